//! Builds the format plugins: Rust to a core module, a core module to a component.
//!
//! The same source gives the same bytes on every machine. The lock file is binding, and every
//! plugin is built alone, so that other plugins' features cannot leak into it. Neither the module
//! nor its order depends on a path.

mod compiler;
/// These modules are shared with third-party plugins.
#[path = "../../host/plugin-tools/src/template/packages.rs"]
mod packages;
#[path = "../../host/plugin-tools/src/template/toolchain.rs"]
mod toolchain;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use crate::{process, product};

use toolchain::{TARGET, Toolchain};

pub(crate) use compiler::run as run_as_compiler;

/// The test plugins, by folder. The second one is written against the previous release's contract.
const FOR_TESTS: [&str; 4] = ["toy", "toy-0-2", "toy-container", "toy-detached"];
/// The plugins of the product.
pub(crate) const SHIPPED: [&str; 4] = ["adoc", "asice", "jades", "pdf"];

/// The flags of `plugins/.cargo/config.toml`, which explains each; those set here override them.
const FLAGS: [&str; 5] = [
    "--cfg",
    r#"getrandom_backend="unsupported""#,
    "-Ctarget-feature=+simd128",
    "-Clink-arg=-z",
    "-Clink-arg=stack-size=262144",
];

/// A plugin as a core module, the path of its component, and the list of its packages.
pub(crate) struct Module {
    module: PathBuf,
    component: PathBuf,
    packages: String,
}

/// The build of plugins.
pub(crate) struct PluginBuild<'a> {
    root: &'a Path,
    toolchain: Toolchain,
    compiler: PathBuf,
    flags: OsString,
}

impl<'a> PluginBuild<'a> {
    /// Finds a toolchain and fetches the plugins' dependencies.
    ///
    /// # Errors
    /// A missing tool, or a `plugins/Cargo.lock` that is not up to date.
    pub(crate) fn prepare(root: &'a Path) -> Result<Self> {
        let toolchain = Toolchain::find(root)?;
        eprintln!(
            "plugins: {}",
            match toolchain {
                Toolchain::Installed => "the installed standard library for wasm32-unknown-unknown",
                Toolchain::Debian { .. } =>
                    "Debian's Rust with a standard library built along (its digests differ from released plugins)",
            }
        );
        Ok(Self {
            compiler: compiler::place().context("the compiler of the plugins")?,
            flags: rustflags(root, &toolchain)?,
            toolchain,
            root,
        })
    }

    /// Builds every plugin: the shipped ones, whose paths it returns, and the test plugins.
    pub(crate) fn build(&self) -> Result<Vec<PathBuf>> {
        let modules = self.compile_all()?;
        let encoder = product::build_encoder(self.root)?;
        let mut components = components_of(&modules, &encoder)?;
        Ok(components.split_off(FOR_TESTS.len()))
    }

    /// Compiles the test plugins, whose components belong in the `test` folder beside the others,
    /// and the shipped ones.
    pub(crate) fn compile_all(&self) -> Result<Vec<Module>> {
        let tests = self.components().join("test");
        let for_tests = FOR_TESTS.iter().map(|name| self.module(name, &tests));
        let mut modules: Vec<Module> = for_tests.collect::<Result<_>>()?;
        modules.extend(self.compile_shipped()?);
        Ok(modules)
    }

    /// Compiles the plugins of the product, whose components belong in `target/plugins`.
    pub(crate) fn compile_shipped(&self) -> Result<Vec<Module>> {
        let components = self.components();
        let shipped = SHIPPED.iter();
        shipped.map(|name| self.module(name, &components)).collect()
    }

    fn components(&self) -> PathBuf {
        self.root.join("target/plugins")
    }

    /// Compiles a plugin whose component belongs in a folder.
    fn module(&self, name: &str, components: &Path) -> Result<Module> {
        let package = format!("parafa-plugin-{name}");
        Ok(Module {
            module: self.compile(name, &package)?,
            component: components.join(name).with_extension("wasm"),
            packages: packages::list(|| self.configured(self.toolchain.cargo()), &package)?,
        })
    }

    /// Returns a command of Cargo with the plugins' folder and flags.
    fn configured(&self, mut cargo: Command) -> Command {
        cargo
            .current_dir(self.root.join("plugins"))
            .env("CARGO_ENCODED_RUSTFLAGS", &self.flags);
        cargo
    }

    /// Lints the plugins as compiled for WebAssembly, or for this machine if the linter lacks the
    /// standard library of WebAssembly. The profile is the build's, so that both share build
    /// scripts and macros.
    ///
    /// # Errors
    /// Warnings.
    pub(crate) fn deny_warnings(&self) -> Result<()> {
        let mut clippy = process::cargo(&self.root.join("plugins"));
        clippy.args(["clippy", "--release", "--workspace", "--locked", "--target"]);
        clippy.arg(match self.toolchain {
            Toolchain::Installed => TARGET,
            Toolchain::Debian { .. } => "host-tuple",
        });
        process::run(clippy.args(["--", "-D", "warnings"]))
    }

    fn compile(&self, name: &str, package: &str) -> Result<PathBuf> {
        let build = self.root.join("plugins/target");
        let mut cargo = self.configured(self.toolchain.build());
        cargo
            .args(["--quiet", "--locked", "--package", package])
            .arg("--target-dir")
            .arg(&build);
        compiler::install(&mut cargo, &self.compiler, self.root);
        let status = cargo.status().context("cannot run cargo")?;
        ensure!(status.success(), "the plugin {name} does not build");
        let module = format!("parafa_plugin_{}.wasm", name.replace('-', "_"));
        Ok(build.join(TARGET).join("release").join(module))
    }
}

/// Returns the SHA-256 digests of components, in hexadecimal.
pub(crate) fn digests(components: &[PathBuf]) -> Result<Vec<String>> {
    let of_file = |component: &PathBuf| Ok(digest(&fs::read(component)?));
    components.iter().map(of_file).collect()
}

/// Returns the flags of every plugin, with mappings of paths that differ between machines.
fn rustflags(root: &Path, toolchain: &Toolchain) -> Result<OsString> {
    // The registry's folders exist only after a fetch.
    let fetched = toolchain
        .cargo()
        .args(["fetch", "--locked", "--target", TARGET])
        .current_dir(root.join("plugins"))
        .status()
        .context("cannot run cargo")?;
    ensure!(
        fetched.success(),
        "cannot fetch what plugins/Cargo.lock names; after a change of the formats' dependencies run \
         `cargo update --workspace` in plugins/"
    );

    let flags = FLAGS.iter().map(OsString::from);
    let flags: Vec<OsString> = flags
        .chain(prefix_maps("--remap-path-prefix=", root)?)
        .collect();
    Ok(flags.join(&OsString::from("\x1f")))
}

/// Returns options for a compiler that accepts them as `option`. They map the checkout and the
/// folders of registries to the same names on every machine.
///
/// # Errors
/// When nothing was fetched yet.
pub(crate) fn prefix_maps(option: &str, root: &Path) -> Result<Vec<OsString>> {
    let registries = cargo_home()?.join("registry/src");
    let mut maps = vec![prefix_map(option, root, "/parafa")];
    for registry in fs::read_dir(&registries)
        .with_context(|| format!("cannot read {}", registries.display()))?
    {
        maps.push(prefix_map(option, &registry?.path(), "/registry"));
    }
    Ok(maps)
}

fn prefix_map(option: &str, from: &Path, to: &str) -> OsString {
    let mut flag = OsString::from(option);
    flag.push(from);
    flag.push("=");
    flag.push(to);
    flag
}

/// Returns Cargo's folder of downloaded packages.
pub(crate) fn cargo_home() -> Result<PathBuf> {
    match env::var_os("CARGO_HOME") {
        Some(home) => Ok(home.into()),
        None => Ok(env::home_dir()
            .context("there is no home directory")?
            .join(".cargo")),
    }
}

/// Makes components of modules by the program `encoder`, and returns their paths.
pub(crate) fn components_of(modules: &[Module], encoder: &Path) -> Result<Vec<PathBuf>> {
    let made = modules.iter().map(|one| -> Result<PathBuf> {
        encode(one, encoder)
            .with_context(|| format!("cannot make a component of {}", one.module.display()))?;
        Ok(one.component.clone())
    });
    made.collect()
}

/// Makes the component, unless it exists and was made of the same module and packages.
fn encode(made: &Module, encoder: &Path) -> Result<()> {
    let Module {
        module,
        component,
        packages,
    } = made;
    let stamp = component.with_extension("stamp");
    let made_of = format!(
        "{} {} wit-component-0.263",
        digest(&fs::read(module)?),
        digest(packages.as_bytes())
    );
    let is_current = fs::read(component).is_ok_and(|current| {
        fs::read_to_string(&stamp)
            .is_ok_and(|stamp| stamp == format!("{made_of} {}", digest(&current)))
    });
    if !is_current {
        let folder = component.parent();
        fs::create_dir_all(folder.context("a component stands in a folder")?)?;
        process::run_quietly(Command::new(encoder).args([module, component]))?;
        let listed = packages::with_list(&fs::read(component)?, packages)?;
        fs::write(component, listed)?;
    }
    let encoded = fs::read(component)?;
    let digest = digest(&encoded);
    if !is_current {
        fs::write(&stamp, format!("{made_of} {digest}"))?;
    }
    eprintln!(
        "plugins: {} {}, {} bytes, sha256 {digest}",
        component.display(),
        if is_current { "unchanged" } else { "built" },
        encoded.len()
    );
    Ok(())
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::packages::{json, read, with_list, zlib};

    const ALL: &str = "\
0parafa-plugin-x v0.1.0 (/parafa/plugins/x)
1derive v1.0.0 (proc-macro) (/parafa/derive)
2syn v2.0.1
1b v0.3.0-rc.1+7 (https://example.com/b?branch=v2#0a1b2c3d)
2a v1.0.0 (registry `own`)
2cc v1.2.0
1a v1.0.0 (registry `own`) (*)
";
    const LINKED: &str = "\
0parafa-plugin-x v0.1.0 (/parafa/plugins/x)
1b v0.3.0-rc.1+7 (https://example.com/b?branch=v2#0a1b2c3d)
2a v1.0.0 (registry `own`)
1a v1.0.0 (registry `own`)
";

    #[test]
    fn a_list_has_what_is_linked_and_what_runs_in_the_build_without_paths() {
        let [all, linked] = [ALL, LINKED].map(|tree| read(tree).unwrap());

        let list = json("parafa-plugin-x", &all, &linked);

        let list: serde_json::Value = serde_json::from_str(&list).unwrap();
        let expected = serde_json::json!({
            "packages": [
                {"name": "a", "version": "1.0.0", "source": "registry"},
                {"name": "b", "version": "0.3.0-rc.1+7", "source": "git", "dependencies": [0, 2]},
                {"name": "cc", "version": "1.2.0", "source": "crates.io", "kind": "build"},
                {
                    "name": "derive", "version": "1.0.0", "source": "local", "kind": "build",
                    "dependencies": [5],
                },
                {
                    "name": "parafa-plugin-x", "version": "0.1.0", "source": "local",
                    "dependencies": [0, 1, 3], "root": true,
                },
                {"name": "syn", "version": "2.0.1", "source": "crates.io", "kind": "build"},
            ],
            "format": 1,
        });
        assert_eq!(list, expected);
    }

    #[test]
    fn a_line_that_is_no_package_is_no_list() {
        assert!(read("0parafa-plugin-x\n").is_err());
        assert!(read("a v1.0.0\n").is_err());
    }

    /// Python's `zlib` reads the stream as `abc`.
    #[test]
    fn a_list_is_the_first_section_of_its_component() {
        let listed = with_list(b"\0asm\x0d\0\x01\0rest", "abc").unwrap();

        let section = b"\x00\x16\x07.dep-v0\x78\x01\x01\x03\x00\xfc\xffabc\x02\x4d\x01\x27";
        let expected = [&b"\0asm\x0d\0\x01\0"[..], section, b"rest"].concat();
        assert_eq!(listed, expected);
        assert!(with_list(b"\0asm", "abc").is_err());
    }

    #[test]
    fn a_long_list_has_several_blocks() {
        let stream = zlib(&[b'x'; 65_536]);

        assert_eq!(stream[2..7], [0, 0xff, 0xff, 0, 0]);
        assert_eq!(stream[7 + 65_535..][..5], [1, 1, 0, 0xfe, 0xff]);
        assert_eq!(stream.len(), 2 + 5 + 65_535 + 5 + 1 + 4);
    }
}
