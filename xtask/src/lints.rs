//! Lints of the workspace. They come with its code from one pass of the compiler,
//! where `cargo clippy` and `cargo build` after it look at each crate twice.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process;

/// Cargo that has clippy, the compiler with more lints, compile the crates of the
/// workspace. What it makes differs from the compiler's own in that nothing is
/// optimized before LLVM.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut cargo = process::cargo(root);
    cargo.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    cargo
}

/// Compiles everything, benches too.
///
/// # Errors
/// What does not compile, or has a warning.
pub(crate) fn deny_warnings(root: &Path) -> anyhow::Result<()> {
    let all = ["build", "--workspace", "--all-targets"];
    process::run(cargo(root).args(all))?;
    // Warnings of what is not compiled again are told again, and nothing else is.
    let told = cargo(root).args(all).arg("--quiet").output();
    let told = told.context("cargo build")?.stderr;
    ensure!(told.is_empty(), "the compiler has warned");
    Ok(())
}
