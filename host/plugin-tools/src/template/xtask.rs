//! `cargo xtask build`: makes `plugin.wasm`.

mod packages;
mod toolchain;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use wit_component::ComponentEncoder;

use toolchain::{TARGET, Toolchain};

const PACKAGE: &str = "@id@-plugin";
const MODULE: &str = "@module@_plugin.wasm";
/// Where the SDK is on this machine.
const SDK: Option<&str> = @sdk-folder@;

fn main() -> Result<()> {
    match env::args().nth(1).as_deref() {
        Some("build") => build(&root()?),
        _ => bail!("usage: cargo xtask build"),
    }
}

fn build(root: &Path) -> Result<()> {
    let target = root.join("target");
    let toolchain = Toolchain::find(root)?;
    let flags = rustflags(root);
    let status = toolchain
        .build()
        .args(["--package", PACKAGE])
        .arg("--target-dir")
        .arg(&target)
        .env("CARGO_ENCODED_RUSTFLAGS", &flags)
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
    let cargo = || {
        let mut cargo = toolchain.cargo();
        cargo
            .env("CARGO_ENCODED_RUSTFLAGS", &flags)
            .current_dir(root);
        cargo
    };
    let component = packages::with_list(&component, &packages::list(cargo, PACKAGE)?)?;
    let plugin = root.join("plugin.wasm");
    fs::write(&plugin, &component)?;
    println!("{}: {} bytes", plugin.display(), component.len());
    Ok(())
}

/// Returns the compiler flags. A plugin has no source of randomness, and a stack of 256 KiB, which
/// is part of the memory of every call. Its bytes reveal no paths of this machine.
fn rustflags(root: &Path) -> OsString {
    let mut flags = OsString::from("--cfg\x1fgetrandom_backend=\"unsupported\"");
    flags.push("\x1f-Clink-arg=-z\x1f-Clink-arg=stack-size=262144");
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(env::home_dir()?.join(".cargo")));
    for (from, to) in [
        (Some(root.to_owned()), "/plugin"),
        (home, "/cargo"),
        (SDK.map(PathBuf::from), "/sdk"),
    ] {
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
