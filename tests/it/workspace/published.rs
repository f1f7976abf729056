//! Packages that may be published, because they need nothing beside themselves in the checkout.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Package};

use super::{folder, packages};
use crate::support::root;

#[test]
fn the_sdk_the_catalogue_and_the_kit_are_published_with_a_readme_and_a_changelog() {
    let published = published();
    for from in ["host/conformance", "plugins/sdk", "wit/catalogue"] {
        assert!(published.iter().any(|package| folder(package) == from));
        for page in ["README.md", "CHANGELOG.md"] {
            assert!(root().join(from).join(page).is_file(), "{from} {page}");
        }
    }
}

#[test]
fn a_published_package_depends_on_published_packages_alone() {
    let published = published();
    let names: BTreeSet<&str> = published
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    for package in &published {
        for dependency in &package.dependencies {
            let is_for_tests = dependency.kind == DependencyKind::Development;
            let is_elsewhere = dependency.path.is_none();
            let (from, to) = (&package.name, &dependency.name);
            assert!(
                is_for_tests || is_elsewhere || names.contains(to.as_str()),
                "{from} depends on {to}, which is not published"
            );
        }
    }
}

#[test]
fn the_code_of_a_published_package_includes_no_file_outside_of_it() {
    for package in published() {
        let home = root().join(folder(&package));
        let mut code = vec![home.join("build.rs")];
        find_code(&home.join("src"), &mut code);
        for file in code.iter().filter(|file| file.exists()) {
            let inside = file.strip_prefix(&home).expect("a file of the package");
            let outside = format!("\"{}", "../".repeat(inside.components().count()));
            let text = fs::read_to_string(file).expect("code");
            assert!(
                !text.contains(&outside),
                "{} includes a file outside of the package",
                file.display()
            );
        }
    }
}

/// Finds the files of Rust below a folder.
fn find_code(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            find_code(&path, files);
        } else if path.extension() == Some("rs".as_ref()) {
            files.push(path);
        }
    }
}

fn published() -> Vec<Package> {
    let packages = packages().into_iter();
    packages
        .filter(|package| package.publish.is_none())
        .collect()
}
