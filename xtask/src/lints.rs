//! Lints of the workspace. They are checked while the code is compiled; `cargo clippy` followed by
//! `cargo build` would process each crate twice.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process;

/// Returns cargo with clippy, the compiler with more lints, as compiler of the workspace's crates.
/// Its output differs from the compiler's own in that nothing is optimized before LLVM.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut cargo = process::cargo(root);
    cargo.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    cargo
}

/// Compiles everything, benches too.
///
/// # Errors
/// Compilation errors or warnings.
pub(crate) fn deny_warnings(root: &Path) -> anyhow::Result<()> {
    let all = ["build", "--workspace", "--all-targets"];
    process::run(cargo(root).args(all))?;
    // Cargo repeats the warnings of crates that are not compiled again, and prints nothing else.
    let told = cargo(root).args(all).arg("--quiet").output();
    let told = told.context("cargo build")?.stderr;
    ensure!(told.is_empty(), "the compiler has warned");
    Ok(())
}
