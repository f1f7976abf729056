//! `cargo xtask build`: makes `plugin.wasm`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use wit_component::ComponentEncoder;

const PACKAGE: &str = "@id@-plugin";
const MODULE: &str = "@module@_plugin.wasm";
const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's Rust, which comes without a standard library for the target: it is
/// built along from its source.
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LIBRARY: &str = "/usr/lib/rustlib/src/rust/library";
const DEBIAN_LINKERS: [&str; 2] = ["/usr/bin/wasm-ld-22", "/usr/bin/wasm-ld"];

fn main() -> Result<()> {
    match env::args().nth(1).as_deref() {
        Some("build") => build(&root()?),
        _ => bail!("usage: cargo xtask build"),
    }
}

fn build(root: &Path) -> Result<()> {
    let target = root.join("target");
    let status = compiler(root)?
        .args(["build", "--release", "--package", PACKAGE, "--target", TARGET])
        .arg("--target-dir")
        .arg(&target)
        .env("CARGO_ENCODED_RUSTFLAGS", rustflags(root))
        .current_dir(root)
        .status()
        .context("cannot run cargo")?;
    ensure!(status.success(), "cargo ended with {status}");
    let module = target.join(TARGET).join("release").join(MODULE);
    let bytes = fs::read(&module).with_context(|| module.display().to_string())?;
    let component = ComponentEncoder::default()
        .module(&bytes)?
        .validate(true)
        .encode()?;
    let plugin = root.join("plugin.wasm");
    fs::write(&plugin, &component)?;
    println!("{}: {} bytes", plugin.display(), component.len());
    Ok(())
}

/// What compiles for WebAssembly here.
fn compiler(root: &Path) -> Result<Command> {
    let installed = || Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    if has_target(root) {
        return Ok(installed());
    }
    let added = Command::new("rustup")
        .args(["target", "add", TARGET])
        .current_dir(root)
        .status();
    if added.is_ok_and(|status| status.success()) && has_target(root) {
        return Ok(installed());
    }
    let linker = DEBIAN_LINKERS.iter().find(|path| Path::new(path).exists());
    let complete = [DEBIAN_CARGO, DEBIAN_RUSTC, DEBIAN_LIBRARY]
        .iter()
        .all(|part| Path::new(part).exists());
    match linker {
        Some(linker) if complete => {
            let mut cargo = Command::new(DEBIAN_CARGO);
            cargo
                .args(["-Z", "build-std=std,panic_abort"])
                .env("RUSTC", DEBIAN_RUSTC)
                // `-Z build-std` is what the bootstrap mode is needed for.
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
            Ok(cargo)
        }
        _ => bail!(
            "no Rust for {TARGET}: run `rustup target add {TARGET}`, or on Debian \
             `apt install rustc-web cargo-web rust-web-src lld-22`"
        ),
    }
}

fn has_target(root: &Path) -> bool {
    Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(root)
        .output()
        .is_ok_and(|output| {
            output.status.success()
                && Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir()
        })
}

/// A plugin has no source of randomness, a stack of 256 KiB, which is part of
/// the memory of every call, and its bytes tell no path of this machine.
fn rustflags(root: &Path) -> OsString {
    let mut flags = OsString::from("--cfg\x1fgetrandom_backend=\"unsupported\"");
    flags.push("\x1f-Clink-arg=-z\x1f-Clink-arg=stack-size=262144");
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(env::home_dir()?.join(".cargo")));
    for (from, to) in [(Some(root.to_owned()), "/plugin"), (home, "/cargo")] {
        if let Some(from) = from {
            flags.push("\x1f--remap-path-prefix=");
            flags.push(from);
            flags.push("=");
            flags.push(to);
        }
    }
    flags
}

fn root() -> Result<PathBuf> {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").context("run it as `cargo xtask`")?;
    let root = Path::new(&manifest).parent();
    Ok(root.context("xtask stands in the plugin's folder")?.to_owned())
}
