//! Packages for authors of plugins, which need nothing of this checkout, and the bundle of the
//! SDK: a directory source (The Cargo Book, "Source Replacement") with all that it depends on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;

use crate::{plugins, process};

/// Name of the SDK's package.
const SDK: &str = "parafa-plugin-sdk";
/// Packages of ours that the SDK depends on.
const BELOW_SDK: [&str; 4] = [
    "parafa-cades",
    "parafa-catalogue",
    "parafa-format-core",
    "parafa-pki",
];
/// The conformance kit, and the packages of ours that only it depends on.
const KIT: [&str; 5] = [
    "parafa-conformance",
    "parafa-issuing",
    "parafa-plugin-host",
    "parafa-public-key",
    "parafa-traces",
];
/// Where the packages and the bundle are written.
const FOLDER: &str = "target/sdk";
/// A package whose lock file pins the content of the bundle.
const DEPENDENCIES: &str = "plugins/sdk/bundle";

/// Packs the SDK and the kit in `target/sdk`, and returns the folder of the bundle, which is
/// named after the SDK's version.
pub(crate) fn bundle(root: &Path) -> Result<PathBuf> {
    let folder = root.join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    pack(root, &KIT, &folder.join("kit"))?;
    let packages = folder.join("packages");
    pack(root, &BELOW_SDK, &packages)?;
    pack(&root.join("plugins"), &[SDK], &packages)?;
    let packed = crates(&packages)?;
    let sdk = packed
        .iter()
        .find_map(|packed| named(packed).filter(|name| name.starts_with(SDK)))
        .context("there is no package of the SDK")?;

    let bundle = folder.join(sdk);
    process::run_quietly(
        process::cargo(&root.join(DEPENDENCIES))
            .args(["vendor", "--quiet", "--locked", "--versioned-dirs"])
            .arg(&bundle),
    )?;
    for packed in &packed {
        unpack(packed, &bundle)?;
    }
    // Recipients of the packages receive it, too (Apache-2.0, section 4).
    fs::copy(root.join("LICENSE"), bundle.join("LICENSE")).context("LICENSE")?;
    Ok(bundle)
}

/// Writes the bundle as an archive into a folder, the same bytes every time, and returns its
/// path.
pub(crate) fn archive(root: &Path, folder: &Path) -> Result<PathBuf> {
    let bundle = bundle(root)?;
    let name = bundle.file_name().context("a bundle has a name")?;
    let mut archive = folder.join(name).into_os_string();
    archive.push(".tar.gz");
    let mut tar = Command::new("tar");
    tar.arg("--create").arg("--file").arg(&archive);
    tar.args(["--use-compress-program", "gzip -9n"]);
    tar.args(["--sort=name", "--mtime=@0", "--mode=a+rX,u+w,go-w"]);
    tar.args(["--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg("--directory").arg(root.join(FOLDER)).arg(name);
    process::run_quietly(&mut tar)?;
    Ok(archive.into())
}

/// Packs packages of a workspace as `cargo publish` does, without building them. A lock file
/// would name packages that no registry has yet.
fn pack(workspace: &Path, packages: &[&str], target: &Path) -> Result<()> {
    let mut cargo = process::cargo(workspace);
    cargo.args(["package", "--quiet", "--no-verify", "--no-metadata"]);
    cargo.args(["--exclude-lockfile", "--allow-dirty"]);
    for package in packages {
        cargo.args(["--package", package]);
    }
    process::run_quietly(cargo.arg("--target-dir").arg(target))
}

/// The packages that were packed.
fn crates(target: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(target.join("package"))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "crate")
        {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// Name and version of a package, by its file.
fn named(packed: &Path) -> Option<&str> {
    packed.file_stem()?.to_str()
}

/// Unpacks a package into a directory source.
fn unpack(packed: &Path, source: &Path) -> Result<()> {
    let mut tar = Command::new("tar");
    tar.args(["--extract", "--gzip", "--no-same-owner", "--file"])
        .arg(packed)
        .arg("--directory")
        .arg(source);
    process::run_quietly(&mut tar)?;
    let package = source.join(named(packed).context("a package has a name")?);
    // A build without Git has none, and its bundle is the same.
    let commit = package.join(".cargo_vcs_info.json");
    if commit.exists() {
        fs::remove_file(&commit)?;
    }
    let mut files = Vec::new();
    find(&package, &mut files)?;
    let digests = plugins::digests(&files)?;
    let names = files.iter().map(|file| {
        let name = file.strip_prefix(&package).unwrap_or(file);
        name.display().to_string()
    });
    let digests: BTreeMap<String, String> = names.zip(digests).collect();
    // Without the digest of the packed file, which differs from build to build.
    let checksums = json!({ "files": digests }).to_string();
    fs::write(package.join(".cargo-checksum.json"), checksums)?;
    Ok(())
}

/// Finds the files below a folder.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
