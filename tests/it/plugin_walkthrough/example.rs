//! The example of detached signatures, outside of this checkout, by the commands of its README.

use std::fs;

use parafa_fixtures::tool;
use serde_json::Value;

use super::{BUNDLE, Workshop, commands, copy, told_by};
use crate::support::demo::parafa;
use crate::support::operator::text;
use crate::support::root;

const EXAMPLE: &str = "plugins/examples/cades-detached";
const README: &str = "plugins/examples/cades-detached/README.md";

#[test]
fn the_example_of_detached_signatures_passes_the_kit_and_openssl_verifies_what_it_signs() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let workshop = Workshop::open("cades-detached");
    copy_example(&workshop);

    let told = workshop.enter(commands(README, "Build it"), data.path());

    let tested = told_by(&told, "cargo test");
    assert!(tested.contains("test result: ok. 4 passed"), "{tested}");
    let checked = told_by(&told, "parafa plugin check");
    assert!(checked.contains("\nadmissible\n"), "{checked}");
    let played = told_by(&told, "parafa plugin test");
    assert!(
        played.contains("16 passed, 0 failed, 0 skipped"),
        "{played}"
    );
    let verified = told_by(&told, "parafa plugin run verify");
    let verified: Value = serde_json::from_str(verified).expect("JSON");
    let signature = &verified["outcome"]["signatures"][0];
    assert_eq!(signature["integrity"], "intact", "{verified}");
    assert_eq!(signature["level"], "CAdES-B-T", "{verified}");
    assert_eq!(signature["timestamps"][0]["status"], "intact", "{verified}");
    if tool::program("openssl").is_some() {
        for line in commands(README, "Ask OpenSSL") {
            let said = workshop.run(&line, &workshop.plugin());
            let stderr = String::from_utf8_lossy(&said.stderr);
            assert!(said.status.success(), "{line}\n{stderr}");
        }
    }
}

#[test]
fn the_example_is_built_as_a_new_plugin_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let new = folder.path().join("cades-detached");

    let made = parafa(["plugin", "new", text(&new), "--with", "sign,verify"]);

    assert!(made.status.success());
    for file in [
        ".gitignore",
        "xtask/Cargo.toml",
        "xtask/src/main.rs",
        "xtask/src/packages.rs",
        "xtask/src/toolchain.rs",
    ] {
        let [new, example] = [new.join(file), root().join(EXAMPLE).join(file)]
            .map(|path| fs::read_to_string(path).expect("a file"));
        assert_eq!(new, example, "{file}");
    }
}

/// Copies the example into the workshop. Its packages come from the folder that other plugins there
/// take them from: Cargo would build those of another path anew.
fn copy_example(workshop: &Workshop) {
    let parts = [".cargo", "Cargo.toml", "cases", "src", "xtask"];
    copy(&root().join(EXAMPLE), &parts, &workshop.plugin());
    let bundle = workshop.folder.join(BUNDLE);
    let bundle = bundle.canonicalize().expect("the bundle");
    let settings = workshop.plugin().join(".cargo/config.toml");
    let written = fs::read_to_string(&settings).expect("settings");
    let beside = format!("../{BUNDLE}");
    assert!(written.contains(&beside), "{written}");
    fs::write(settings, written.replace(&beside, text(&bundle))).expect("written");
}
