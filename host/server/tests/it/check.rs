//! `parafa plugin check` on components before their installation.

use std::path::Path;

use parafa_fixtures::built::compiled_plugins;
use serde_json::json;

use crate::support::{Documents, Ended, component, parafa_in};

/// Changes the media type to that of PDF.
const CLAIMS_PDF: [(&[u8], &[u8]); 2] = [
    (b"application/x-least", b"application/pdf\0\0\0\0"),
    (b"\x0a\0\0\0\x13\0\0\0", b"\x0a\0\0\0\x0f\0\0\0"),
];
/// Makes `verify` trap (`unreachable`) in place of its answer (`i32.const
/// 256`).
const FAILS: [(&[u8], &[u8]); 1] = [(b"\x41\x80\x02\x0b", b"\x00\x01\x01\x0b")];

#[test]
fn what_is_looked_at_is_what_an_installation_looks_at_but_the_signature() {
    let documents = Documents::new();
    let least = documents.least_plugin();

    let alone = check(&documents, &least, Where::Nowhere);
    let installed = check(&documents, &least, Where::Data);

    for ended in [&alone, &installed] {
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(ended.json()["admissible"], true);
    }
    let unseen = json!(["signature", "installed"]);
    assert_eq!(alone.json()["notLookedAt"], unseen);
    assert_eq!(installed.json()["notLookedAt"], json!(["signature"]));
}

#[test]
fn people_are_told_what_was_not_checked() {
    let documents = Documents::new();
    let least = documents.least_plugin();

    let ended = parafa_in(Path::new("/"), &[], ["plugin", "check", text(&least)]);

    let admissible = ended.stdout.split_once("\nadmissible\n").unwrap().1;
    assert_eq!(
        admissible,
        "not checked: its signature, and trust in its publisher\n\
         not checked: conflicts with installed plugins: name their folder with --data or --config\n"
    );
}

#[test]
fn a_component_that_takes_what_another_has_is_not_admissible() {
    let documents = Documents::new();
    let thief = documents.add("thief.wasm", least_but(&CLAIMS_PDF));

    let ended = check(&documents, &thief, Where::Data);

    assert_eq!(ended.code, Some(1), "{ended:?}");
    let findings = ended.json();
    assert_eq!(findings["plugin"], "least");
    assert_eq!(findings["admissible"], false);
    let reason = r#"media type "application/pdf" belongs to the plugin "pdf""#;
    assert_eq!(findings["reason"], reason);
    assert_eq!(findings["notLookedAt"], json!(["signature", "self-test"]));
}

#[test]
fn a_component_that_fails_the_checks_of_an_installation_is_not_admissible() {
    let documents = Documents::new();
    let failing = documents.add("failing.wasm", least_but(&FAILS));

    let ended = check(&documents, &failing, Where::Data);

    assert_eq!(ended.code, Some(1), "{ended:?}");
    let findings = ended.json();
    assert_eq!(findings["admissible"], false);
    let reason = findings["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("the plugin fails ") && reason.contains("generic-empty/verify"),
        "{reason}"
    );
    assert_eq!(findings["notLookedAt"], json!(["signature"]));
}

#[test]
fn of_what_is_no_component_nothing_else_is_looked_at() {
    let documents = Documents::new();
    let module = documents.add("module.wasm", b"\0asm\x01\0\0\0");

    let ended = check(&documents, &module, Where::Data);

    assert_eq!(ended.code, Some(1), "{ended:?}");
    let unseen = json!(["signature", "installed", "self-test"]);
    assert_eq!(ended.json()["notLookedAt"], unseen);
}

#[test]
fn it_says_which_documents_callers_can_post() {
    let documents = Documents::new();
    let least = documents.least_plugin();

    let own = check(&documents, &least, Where::Data);
    let shipped = check(&documents, &component("pdf.wasm"), Where::Data);

    let [own, shipped] = [own, shipped].map(|ended| ended.json()["extensions"].clone());
    assert_eq!(own, json!([{"extension": "least", "postable": false}]));
    assert_eq!(shipped, json!([{"extension": "pdf", "postable": true}]));
    let ended = parafa_in(Path::new("/"), &[], ["plugin", "check", text(&least)]);
    let takes = "takes     application/x-least, .least (callers can post it where `plugins.extensions` lists it)";
    assert!(ended.stdout.lines().any(|line| line == takes), "{ended:?}");
}

#[test]
fn it_says_which_packages_are_in_a_component_and_which_ran_in_its_build() {
    let documents = Documents::new();

    let findings = check(&documents, &component("pdf.wasm"), Where::Data).json();

    let packages = findings["packages"].as_array().unwrap();
    let described = |name: &str| {
        let package = packages.iter().find(|package| package["name"] == name);
        package.map(|package| [package["source"].clone(), package["kind"].clone()])
    };
    let local = [json!("local"), json!("runtime")];
    assert_eq!(described("parafa-format-pdf"), Some(local));
    let of_build = [json!("crates.io"), json!("build")];
    assert_eq!(described("wit-bindgen-rust-macro"), Some(of_build));
    assert_eq!(described("parafa-format-jades"), None);
}

#[test]
fn a_malformed_list_of_packages_is_told_and_refuses_nothing() {
    let documents = Documents::new();
    let mut least = parafa_fixtures::component::least();
    least.splice(8..8, *b"\0\x0a\x07.dep-v0{}");
    let malformed = documents.add("malformed.wasm", least);

    let ended = check(&documents, &malformed, Where::Nowhere);

    assert_eq!(ended.code, Some(0), "{ended:?}");
    let fault = ended.json()["packagesFault"].clone();
    let told = "its section does not inflate";
    assert!(fault.as_str().unwrap().starts_with(told), "{fault}");
}

/// Place of the installed plugins.
#[derive(Clone, Copy)]
enum Where {
    Data,
    Nowhere,
}

fn check(documents: &Documents, wasm: &Path, place: Where) -> Ended {
    let mut environment = vec![("PARAFA_PLUGINS__CACHE", compiled_plugins())];
    if let Where::Data = place {
        let data = documents.path("data");
        std::fs::create_dir_all(&data).unwrap();
        environment.push(("PARAFA_STORE__DATA", data));
    }
    let words = ["plugin", "check", text(wasm), "--json"];
    parafa_in(Path::new("/"), &environment, words)
}

/// Returns the least plugin with some of its bytes replaced.
fn least_but(exchanged: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut component = parafa_fixtures::component::least();
    for (from, to) in exchanged {
        assert_eq!(from.len(), to.len());
        let mut windows = component.windows(from.len());
        let at = windows.position(|window| window == *from).unwrap();
        component[at..at + to.len()].copy_from_slice(to);
    }
    component
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
