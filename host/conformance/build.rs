//! Lists the files of `fixtures/cases` except the large ones, so that the crate can include them.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

const CASES: &str = "cases";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={CASES}");
    let cases = folder("CARGO_MANIFEST_DIR")?.join(CASES).canonicalize()?;
    let mut files = Vec::new();
    find(&cases, &mut files)?;
    files.sort_unstable();
    let entry = |file: &PathBuf| -> io::Result<String> {
        let path = file.strip_prefix(&cases).map_err(io::Error::other)?;
        let (path, file) = (path.display().to_string(), file.display().to_string());
        Ok(format!("({path:?}, include_bytes!({file:?})),\n"))
    };
    let entries = files.iter().map(entry).collect::<io::Result<String>>()?;
    let list = folder("OUT_DIR")?.join("cases.rs");
    fs::write(list, format!("&[\n{entries}]\n"))
}

/// A folder that cargo names.
fn folder(variable: &str) -> io::Result<PathBuf> {
    let folder = env::var_os(variable).ok_or(io::ErrorKind::NotFound)?;
    Ok(folder.into())
}

/// Finds the files below a folder that are part of the crate.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if !is_left_out(&path) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_left_out(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().contains(".large.") || file.extension().is_some_and(|is| is == "md")
}
