//! Plugin that `parafa plugin run` calls.

use std::path::Path;

use crate::support::{Documents, Ended, parafa_in};

const DESCRIPTION: &str = r#"{
    "title": "Sutartis", "language": "lt",
    "content": [{"type": "paragraph", "text": "Labas."}]
}"#;

#[test]
fn an_installed_plugin_is_named_by_its_format() {
    let documents = Documents::new();
    documents.add("contract", parafa_fixtures::plain(1));

    let named = run(&documents, &["inspect", "contract", "--plugin", "pdf"]);
    let unknown = run(&documents, &["inspect", "contract", "--plugin", "odt"]);

    assert_eq!(named.code, Some(0), "{named:?}");
    assert_eq!(named.json()["plugin"], "pdf");
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
    let why = "odt is neither a file nor an installed plugin";
    let told = &unknown.json()["refusal"]["detail"];
    assert!(told.as_str().unwrap().starts_with(why), "{told}");
}

#[test]
fn a_document_is_composed_by_the_plugin_for_what_is_made() {
    let documents = Documents::new();
    documents.add("d.json", DESCRIPTION);

    let composed = run(&documents, &["compose", "d.json", "--out", "d.pdf"]);
    let unknown = run(&documents, &["compose", "d.json", "--out", "d.odt"]);

    assert_eq!(composed.code, Some(0), "{composed:?}");
    assert_eq!(composed.json()["plugin"], "pdf");
    let document = std::fs::read(documents.path("d.pdf")).unwrap();
    assert!(document.starts_with(b"%PDF-"));
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
    let why = "no plugin takes d.odt";
    let told = &unknown.json()["refusal"]["detail"];
    assert!(told.as_str().unwrap().starts_with(why), "{told}");
}

fn run(documents: &Documents, words: &[&str]) -> Ended {
    let folder: &Path = &documents.path("");
    parafa_in(
        folder,
        &[],
        [&["plugin", "run"], words, &["--json"]].concat(),
    )
}
