//! The plugin in C of `plugins/examples`, which knows the published contract alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use parafa_fixtures::tool;
use serde_json::json;

use crate::support::demo::{Demo, parafa};
use crate::support::operator::{answer, done, text};
use crate::support::root;

/// Builders of the plugin, which the tests do without: its component is committed.
const TOOLS: [&str; 5] = ["make", "clang", "wasm-ld", "wit-bindgen", "wasm-tools"];

#[test]
fn a_plugin_in_c_is_admitted_with_imports_of_the_contract_alone() {
    let checked = answer(&parafa(["plugin", "check", text(&component()), "--json"]));

    assert_eq!(checked["admissible"], true, "{checked}");
    assert_eq!(checked["contract"], "1.0.0", "{checked}");
    let imports = checked["imports"].as_array().expect("a list");
    for import in imports {
        let import = import.as_str().expect("a name");
        assert!(import.starts_with("parafa:format/"), "{import}");
    }
}

#[test]
fn a_plugin_in_c_passes_the_kit() {
    assert_passes(&component());
}

#[test]
fn a_plugin_in_c_is_built_by_the_commands_of_its_page() {
    if let Some(missing) = TOOLS.iter().find(|name| tool::find(name).is_none()) {
        tool::skip(&format!("{missing} is missing"));
        return;
    }
    let made = tempfile::tempdir().expect("a temporary folder");
    let built = made.path().join("memo.wasm");

    make(&[
        &format!("BUILD={}", text(&made.path().join("build"))),
        &format!("COMPONENT={}", text(&built)),
        text(&built),
    ]);

    assert_passes(&built);
    let page = fs::read_to_string(folder().join("README.md")).expect("the page");
    let versions = make(&["versions"]);
    if versions.lines().all(|version| page.contains(version)) {
        let same = fs::read(&built).expect("built") == fs::read(component()).expect("committed");
        assert!(same, "memo.wasm is not of this source: run make");
    }
}

#[tokio::test]
async fn a_document_of_a_plugin_in_c_is_signed_over_rest() {
    let demo = Demo::start_with(&[("PARAFA_PLUGINS__EXTENSIONS", "memo".to_owned())]);
    let (api, data) = (demo.signing(), demo.data());
    done(&data, &["plugin", "install", text(&component())]);

    let signers = json!([{"email": "ona@example.lt"}]);
    let created = api.try_create("labas.memo", b"Labas.\n", signers).await;
    let signing = created.expect("the signing is created");
    demo.sign(&signing, 0).await;
    let (document, _) = api.document(signing.signing_id).await;

    assert!(document.starts_with(b"Labas.\n-----BEGIN MEMO SIGNATURE-----\n"));
    let path = data.join("labas.memo");
    fs::write(&path, document).expect("written");
    let verified = done(&data, &["plugin", "run", "verify", text(&path)]);
    let signature = &verified["outcome"]["signatures"][0];
    assert_eq!(signature["integrity"], "intact", "{verified}");
    assert_eq!(signature["level"], "Memo-B-T", "{verified}");
    assert_eq!(signature["timestamps"][0]["status"], "intact", "{verified}");
}

fn folder() -> PathBuf {
    root().join("plugins/examples/memo")
}

/// Returns the component as it is committed.
fn component() -> PathBuf {
    folder().join("memo.wasm")
}

/// Plays the cases for any format, and those of the plugin.
fn assert_passes(component: &Path) {
    let cases = folder().join("cases");
    let test = ["plugin", "test", text(component), "--json"];
    let own = [&test[..], &["--cases", text(&cases)]].concat();
    for words in [&test[..], &own] {
        let played = answer(&parafa(words));
        assert!(played["passed"].as_u64() > Some(0), "{played}");
        assert_eq!(played["failed"], 0, "{played}");
    }
}

/// Runs `make` in the plugin's folder, and returns its output.
fn make(words: &[&str]) -> String {
    let made = Command::new("make")
        .arg("--silent")
        .arg("--directory")
        .arg(folder())
        .args(words)
        .output()
        .expect("make starts");
    let told = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{told}");
    String::from_utf8_lossy(&made.stdout).into_owned()
}
