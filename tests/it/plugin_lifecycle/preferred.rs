//! Two plugins that take the same documents, in a running server.

use std::fs;
use std::path::Path;

use parafa_fixtures::built;
use parafa_fixtures::signed::Identity;
use parafa_fixtures::signed::container::{ContainerSigning, SignedContainer};
use serde_json::json;

use super::assert_unavailable;
use crate::support::client::{Refused, Signing};
use crate::support::demo::Demo;
use crate::support::operator::{done, refused, text};

/// Name of documents that both the plugin for ASiC-E and the toy take.
const SHARED: &str = "sutartis.sce";
const TOY: &[u8] = b"TOY honest 5\nhello";

#[tokio::test]
async fn the_preferred_plugin_alone_is_given_what_two_take_until_the_other_one_is_preferred() {
    let mut demo = Demo::start();
    let (data, folder) = (demo.data(), tempfile::tempdir().expect("a folder"));
    let [asice, toy] = ["asice.wasm", "test/toy.wasm"].map(|name| {
        let path = folder.path().join(name.trim_start_matches("test/"));
        fs::write(&path, built::plugin(name)).expect("written");
        path
    });
    let container = container();
    let begun = post(&demo, SHARED, &container).await.expect("created");
    let refusal = refused(&data, &["plugin", "install", text(&toy)]);
    assert!(
        refusal.contains(r#"extension "sce" belongs to the plugin "asice""#),
        "{refusal}"
    );

    done(&data, &["plugin", "install", text(&toy), "--prefer"]);
    assert_given_to(&demo, "toy", TOY, &container).await;
    demo.stop();
    demo.start_again();
    assert_given_to(&demo, "toy", TOY, &container).await;
    demo.sign(&begun, 0).await;
    let ended = demo.signing().signing(begun.signing_id).await;
    assert_eq!(ended.status, "completed", "the other goes on with its own");

    done(&data, &["plugin", "disable", "toy"]);
    assert_given_to_nobody(&demo, &container).await;
    demo.stop();
    demo.start_again();
    assert_given_to_nobody(&demo, &container).await;
    done(&data, &["plugin", "install", text(&asice), "--prefer"]);
    assert_given_to(&demo, "asice", &container, TOY).await;
    demo.stop();
    demo.start_again();
    assert_given_to(&demo, "asice", &container, TOY).await;
    done(&data, &["plugin", "rollback", "toy"]);
    assert_given_to(&demo, "asice", &container, TOY).await;
}

/// Asserts that a plugin is given the documents, with one that it accepts and one that it refuses.
async fn assert_given_to(demo: &Demo, plugin: &str, accepted: &[u8], other: &[u8]) {
    let created = post(demo, SHARED, accepted).await;
    assert!(created.is_ok(), "{plugin}: {created:?}");
    let refused = post(demo, SHARED, other).await.expect_err("a refusal");
    assert!(refused.status.is_client_error(), "{plugin}: {refused:?}");
    assert_eq!(asked(&demo.data(), accepted), plugin);
}

/// Asserts that no plugin is given the documents, although one that takes them is in use.
async fn assert_given_to_nobody(demo: &Demo, container: &[u8]) {
    for document in [container, TOY] {
        assert_unavailable(post(demo, SHARED, document).await);
    }
    let of_other = post(demo, "sutartis.asice", container).await;
    assert!(of_other.is_ok(), "{of_other:?}");
}

/// Returns the plugin that commands ask about a document.
fn asked(data: &Path, document: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(SHARED);
    fs::write(&path, document).expect("written");
    let run = done(data, &["plugin", "run", "inspect", text(&path)]);
    run["plugin"].as_str().expect("a plugin").to_owned()
}

async fn post(demo: &Demo, name: &str, document: &[u8]) -> Result<Signing, Refused> {
    let signers = json!([{"email": "ona@example.lt"}]);
    demo.signing().try_create(name, document, signers).await
}

/// Returns an ASiC-E container with a signature.
fn container() -> Vec<u8> {
    let files = [("a.txt", "a.txt", "text/plain", &b"Labas.\n"[..])];
    let signing = ContainerSigning::by(Identity::Ona);
    SignedContainer::unsigned(&files).sign(signing).zip.build()
}
