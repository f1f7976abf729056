use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, thread};

use anyhow::Context;

use crate::plugins::PluginBuild;
use crate::{lints, plugins, process, tools};

/// The variable that lists, at compile time, the plugins built along with the program.
const SHIPPED_PLUGINS: &str = "PARAFA_SHIPPED_PLUGINS";
/// The program that makes components of plugins.
const ENCODER: &str = "parafa-component";

/// Builds `target/release/parafa` and the plugins that it ships.
pub(crate) fn build_release(root: &Path) -> anyhow::Result<PathBuf> {
    tools::require_for_build()?;
    let plugins = PluginBuild::prepare(root)?;
    build(root, &plugins, "release", |_| {})?;
    place(root, "release")
}

/// Builds `target/profiling/parafa`, in which a profiler finds frames, lines and crates, and its
/// plugins.
pub(crate) fn build_for_profiles(root: &Path) -> anyhow::Result<PathBuf> {
    tools::require_for_build()?;
    let plugins = PluginBuild::prepare(root)?;
    build(root, &plugins, "profiling", |cargo| {
        let flags = "-Cforce-frame-pointers=yes\x1f-Csymbol-mangling-version=v0";
        cargo.env("CARGO_ENCODED_RUSTFLAGS", flags);
    })?;
    place(root, "profiling")
}

/// Builds the same without paths of this machine in it, and returns the paths of the server and of
/// the plugins.
pub(crate) fn build_reproducibly(root: &Path) -> anyhow::Result<(PathBuf, Vec<PathBuf>)> {
    tools::require_for_build()?;
    let plugins = PluginBuild::prepare(root)?;
    let rust = plugins::prefix_maps("--remap-path-prefix=", root)?;
    let rust = rust.join(OsStr::new("\x1f"));
    let c = plugins::prefix_maps("-ffile-prefix-map=", root)?;
    let c = c.join(OsStr::new(" "));
    let shipped = build(root, &plugins, "release", |cargo| {
        cargo
            .arg("--locked")
            .env("CARGO_ENCODED_RUSTFLAGS", &rust)
            .env("CFLAGS", &c)
            .env("CXXFLAGS", &c);
    })?;
    Ok((place(root, "release")?, shipped))
}

/// Builds the plugins of the product, whose paths it returns, and the server, with cargo as
/// `configure` sets it up.
fn build(
    root: &Path,
    plugins: &PluginBuild<'_>,
    profile: &str,
    configure: impl Fn(&mut Command),
) -> anyhow::Result<Vec<PathBuf>> {
    let server = |target: &[&str]| {
        let mut cargo = process::cargo(root);
        cargo.args(["build", "--profile", profile, "--package", "parafa-server"]);
        cargo.args(target);
        configure(&mut cargo);
        cargo
    };
    // Only the program's own crate gets the list of plugins, so that all others compile
    // concurrently with the plugins.
    let (library, modules) = thread::scope(|scope| {
        let modules = scope.spawn(|| plugins.compile_shipped());
        let library = ["--package", ENCODER, "--lib", "--bin", ENCODER];
        let library = process::run(&mut server(&library));
        (library, process::joined(modules))
    });
    library?;
    let shipped = plugins::components_of(&modules?, &program(profile, ENCODER)?)?;
    let digests = plugins::digests(&shipped)?.join(",");
    process::run(server(&["--bin", "parafa"]).env(SHIPPED_PLUGINS, digests))?;
    Ok(shipped)
}

/// Builds the program that makes components of plugins, with the profile of tests, and returns its
/// path.
pub(crate) fn build_encoder(root: &Path) -> anyhow::Result<PathBuf> {
    process::run(lints::cargo(root).args(["build", "--workspace", "--bin", ENCODER]))?;
    encoder_of_tests()
}

/// Returns the program that makes components, after the workspace is built for tests.
pub(crate) fn encoder_of_tests() -> anyhow::Result<PathBuf> {
    program("debug", ENCODER)
}

/// Builds `target/debug/parafa` together with all tests, so that both share every dependency.
pub(crate) fn build_for_tests(root: &Path) -> anyhow::Result<PathBuf> {
    process::run(lints::cargo(root).args(["build", "--workspace", "--bins", "--tests"]))?;
    place(root, "debug")
}

/// Builds, then replaces this process by `parafa serve --demo`; returns only if that fails.
pub(crate) fn demo(root: &Path, arguments: &[String]) -> anyhow::Error {
    match build_release(root) {
        Ok(parafa) => Command::new(parafa)
            .args(["serve", "--demo"])
            .args(arguments)
            .exec()
            .into(),
        Err(error) => error,
    }
}

/// Returns the path of a program built by cargo: beside the folder of this one.
fn program(profile: &str, name: &str) -> anyhow::Result<PathBuf> {
    let own = env::current_exe()?;
    let folder = own.parent().context("a program stands in a folder")?;
    Ok(folder.with_file_name(profile).join(name))
}

/// Places the server in `target` below `root`, beside the plugins that it loads, wherever cargo's
/// target folder is: this program is there, too.
fn place(root: &Path, profile: &str) -> anyhow::Result<PathBuf> {
    let built = program(profile, "parafa")?;
    let folder = root.join("target").join(profile);
    let placed = folder.join("parafa");
    fs::create_dir_all(&folder)?;
    if !placed
        .canonicalize()
        .is_ok_and(|placed| built.canonicalize().is_ok_and(|built| built == placed))
    {
        // A running program can be replaced, but not written to.
        if placed.exists() {
            fs::remove_file(&placed)?;
        }
        fs::copy(&built, &placed).with_context(|| built.display().to_string())?;
    }
    Ok(placed)
}
