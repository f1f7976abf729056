//! What is released: the server, its plugins, what both are made of, checksums.

mod bill_of_materials;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{plugins, product};

/// Builds everything into `target/dist`.
pub(crate) fn assemble(root: &Path) -> Result<()> {
    let (server, components) = product::build_reproducibly(root)?;
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
    fs::write(folder.join("SHA256SUMS"), checksums(&folder, &files)?)?;
    println!("{}", folder.display());
    Ok(())
}

/// Copies a file into a folder, and returns where it is then.
fn copy(file: &Path, folder: &Path) -> Result<PathBuf> {
    let name = file.file_name().context("a file has a name")?;
    let copied = folder.join(name);
    fs::copy(file, &copied).with_context(|| file.display().to_string())?;
    Ok(copied)
}

/// Lines for `sha256sum --check`.
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
}
