//! A plugin is the same bytes wherever it is built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use super::{GUIDE, Workshop, commands, copy};
use crate::support::operator::text;

/// Only the plugin is compiled again, by the `xtask` of the first build: another one would compile
/// the encoder of components, too.
#[test]
fn a_plugin_is_the_same_from_another_folder_with_another_cargo_home_and_toolchain() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let elsewhere = elsewhere.path().canonicalize().expect("a path");
    let workshop = Workshop::open("saskaita");
    let begin = ["parafa plugin new", "cd ", "cargo xtask build"];
    let mut building = commands(GUIDE, "Begin one");
    building.retain(|line| begin.iter().any(|begin| line.starts_with(begin)));
    workshop.enter(building, data.path());
    let again = elsewhere.join("a/folder/with/a/longer/path/saskaita");
    let parts = [".cargo", "Cargo.lock", "Cargo.toml", "src", "xtask"];
    copy(&workshop.plugin(), &parts, &again);

    let mut build = workshop.shell("\"$XTASK\" build", &again);
    build
        .env("XTASK", workshop.built().join("debug/xtask"))
        .env("CARGO_MANIFEST_DIR", again.join("xtask"))
        .env("CARGO_HOME", elsewhere.join("cargo-home"));
    if let Some(rustc) = copied_compiler(&workshop, &elsewhere.join("toolchain")) {
        build.env("RUSTC", rustc);
    }
    // Else the copied compiler would load the libraries of the first one.
    let built = build.env_remove("LD_LIBRARY_PATH").output();

    let built = built.expect("there is a shell");
    let stderr = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{stderr}");
    let [once, again] = [&workshop.plugin(), &again].map(|folder| digest(folder));
    assert_eq!(once, again);
}

/// Copies the compiler and its libraries, as hard links where the file system has them, and returns
/// its path. A distribution's compiler has no folder of its own, and is not copied.
fn copied_compiler(workshop: &Workshop, toolchain: &Path) -> Option<PathBuf> {
    let mut print = workshop.shell("rustc --print sysroot", &workshop.plugin());
    let installed = sysroot(&mut print);
    if !installed.join("lib/rustlib/components").is_file() {
        return None;
    }
    fs::create_dir_all(toolchain.join("bin")).expect("a folder");
    for part in ["lib", "bin/rustc"] {
        let (from, to) = (installed.join(part), toolchain.join(part));
        let copy = |how| {
            let mut cp = Command::new("cp");
            let copied = cp.args([how, "-T", text(&from), text(&to)]).output();
            copied.expect("cp").status.success()
        };
        assert!(copy("-al") || copy("-a"), "{from:?}");
    }
    let rustc = toolchain.join("bin/rustc");
    let mut print = Command::new(&rustc);
    print.args(["--print", "sysroot"]);
    assert_eq!(sysroot(print.env_remove("LD_LIBRARY_PATH")), toolchain);
    Some(rustc)
}

fn sysroot(print: &mut Command) -> PathBuf {
    let printed = print.output().expect("there is a compiler").stdout;
    let printed = String::from_utf8(printed).expect("a path");
    let sysroot = Path::new(printed.trim_end()).canonicalize();
    sysroot.expect("the compiler's folder")
}

fn digest(plugin: &Path) -> String {
    let wasm = fs::read(plugin.join("plugin.wasm")).expect("it is built");
    hex::encode(Sha256::digest(wasm))
}
