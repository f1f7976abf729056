//! The release: the server, its plugins, their bill of materials, the bundle of the SDK, checksums.

mod bill_of_materials;
mod released;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{plugins, process, product, sdk};

/// The checksums in the release folder.
const CHECKSUMS: &str = "SHA256SUMS";

/// Builds everything into `target/dist`.
pub(crate) fn assemble(root: &Path) -> Result<()> {
    let (server, components) = product::build_reproducibly(root)?;
    for line in released::compare(root, &components)? {
        eprintln!("release: not yet in plugins/released.txt: {line}");
    }
    let folder = root.join("target/dist");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder.join("plugins"))?;
    let mut files = vec![
        copy(&root.join("LICENSE"), &folder)?,
        copy(&server, &folder)?,
    ];
    for component in &components {
        files.push(copy(component, &folder.join("plugins"))?);
    }
    let bill = folder.join("parafa.cdx.json");
    fs::write(&bill, bill_of_materials::of_product(root)?)?;
    files.push(bill);
    files.push(sdk::archive(root, &folder)?);
    fs::write(folder.join(CHECKSUMS), checksums(&folder, &files)?)?;
    println!("{}", folder.display());
    Ok(())
}

/// Builds the release, then again in a clone below `target`, which has another path and no build
/// results, with another `CARGO_HOME`, and compares.
///
/// # Errors
/// Names the files that differ.
pub(crate) fn assemble_twice(root: &Path) -> Result<()> {
    let mut git = Command::new("git");
    let changes = git.args(["status", "--porcelain"]).current_dir(root);
    let changes = changes.output().context("git status")?;
    ensure!(
        changes.status.success() && changes.stdout.is_empty(),
        "the second build is of a clone: commit what is changed first"
    );
    assemble(root)?;
    let clone = root.join("target/again");
    if clone.exists() {
        fs::remove_dir_all(&clone).with_context(|| clone.display().to_string())?;
    }
    let mut git = Command::new("git");
    process::run(git.args(["clone", "--quiet"]).arg(root).arg(&clone))?;
    process::run(
        process::cargo(&clone)
            .args(["xtask", "release"])
            .env("CARGO_TARGET_DIR", clone.join("target"))
            .env("CARGO_HOME", another_cargo_home(root)?),
    )?;
    let sums = |root: &Path| {
        let file = root.join("target/dist").join(CHECKSUMS);
        fs::read_to_string(&file).with_context(|| file.display().to_string())
    };
    let (once, again) = (sums(root)?, sums(&clone)?);
    let differing = differing(&once, &again);
    ensure!(
        differing.is_empty(),
        "these came out differently in {}: {}",
        clone.display(),
        differing.join(", ")
    );
    println!("the same in {}", clone.display());
    Ok(())
}

/// Makes a `CARGO_HOME` below `target`. It has the first one's settings and downloads, by links, so
/// that no network is needed. Cargo unpacks the packages anew, below another path.
fn another_cargo_home(root: &Path) -> Result<PathBuf> {
    let (first, second) = (plugins::cargo_home()?, root.join("target/again-cargo-home"));
    if second.exists() {
        fs::remove_dir_all(&second).with_context(|| second.display().to_string())?;
    }
    fs::create_dir_all(second.join("registry"))?;
    for shared in ["config.toml", "registry/cache", "registry/index"] {
        if let Ok(original) = first.join(shared).canonicalize() {
            symlink(original, second.join(shared))?;
        }
    }
    Ok(second)
}

/// Returns the files whose checksums are missing from, or differ in, the other list.
fn differing<'s>(sums: &'s str, others: &str) -> Vec<&'s str> {
    let others: Vec<&str> = others.lines().collect();
    let lines = sums.lines().filter(|line| !others.contains(line));
    lines
        .map(|line| line.split_once("  ").map_or(line, |(_, name)| name))
        .collect()
}

/// Copies a file into a folder, and returns the new path.
fn copy(file: &Path, folder: &Path) -> Result<PathBuf> {
    let name = file.file_name().context("a file has a name")?;
    let copied = folder.join(name);
    fs::copy(file, &copied).with_context(|| file.display().to_string())?;
    Ok(copied)
}

/// Returns the lines for `sha256sum --check`.
fn checksums(folder: &Path, files: &[PathBuf]) -> Result<String> {
    let digests = plugins::digests(files)?;
    let lines = digests.iter().zip(files).map(|(digest, file)| {
        let name = file.strip_prefix(folder).unwrap_or(file);
        format!("{digest}  {}\n", name.display())
    });
    Ok(lines.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_name_files_as_seen_from_the_folder() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let sums = checksums(root, &[root.join("src/release.rs")]).unwrap();

        let (digest, name) = sums.split_once("  ").unwrap();
        assert_eq!((digest.len(), name), (64, "src/release.rs\n"));
    }

    #[test]
    fn files_that_came_out_differently_are_named() {
        let once = "aa  parafa\nbb  plugins/pdf.wasm\n";

        assert!(differing(once, once).is_empty());
        let again = "aa  parafa\ncc  plugins/pdf.wasm\n";
        assert_eq!(differing(once, again), ["plugins/pdf.wasm"]);
    }
}
