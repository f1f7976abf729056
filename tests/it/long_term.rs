//! Documents derived without a new signature by a person: archives, sandbox
//! artifacts, flattened forms.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::signed::{Identity, SignedPdf, Signing};
use parafa_fixtures::{PdfBuilder, plain};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::SigningClient;
use crate::support::control::WorldControl;
use crate::support::demo::Demo;
use crate::support::referee::{Referees, text_of};

#[tokio::test]
async fn an_archived_document_verifies_when_nobody_can_be_asked() {
    let demo = Demo::start();
    let Some(referees) = Referees::find(&demo.world.world.roots) else {
        return;
    };
    let api = demo.signing();
    let two = json!([{"email": "ona@example.lt"}, {"email": "jonas@example.lt"}]);
    let signing = api.create(&plain(2), two).await;
    let id = signing.signing_id;
    demo.sign(&signing, 0).await;
    let (stamped, _) = api.document(id).await;
    assert!(!referees.verifies_offline(&stamped));

    let archived = archive(&api, id).await;

    let (raised, digest) = api.document(id).await;
    assert_eq!(
        archived,
        json!({
            "signingId": id, "level": "PAdES-B-LT", "upgraded": true,
            "document": {
                "sha256": digest, "bytes": raised.len(), "mimeType": "application/pdf",
            },
        })
    );
    assert!(raised.starts_with(&stamped));
    referees.assert_baseline_lt(&raised, 1);
    assert_eq!(archive(&api, id).await["upgraded"], false);
    assert_eq!(api.document(id).await.0, raised);

    demo.sign(&signing, 1).await;
    let (twice, _) = api.document(id).await;
    assert!(twice.starts_with(&raised));
    assert_eq!(archive(&api, id).await["upgraded"], true);
    let (both, _) = api.document(id).await;
    assert!(both.starts_with(&twice));
    referees.assert_baseline_lt(&both, 2);
}

#[tokio::test]
async fn an_archive_waits_for_authorities_and_is_refused_before_anybody_has_signed() {
    let demo = Demo::start();
    let world = WorldControl::of(&demo);
    let api = demo.signing();
    let signing = api.create_plain().await;
    let path = format!("v1/signings/{}/archive", signing.signing_id);
    let early = api.call(Method::POST, &path, None).await.unwrap_err();
    assert_eq!(
        (early.problem.status, early.problem.name()),
        (409, "not-yet-signed")
    );
    demo.sign(&signing, 0).await;
    let (stamped, _) = api.document(signing.signing_id).await;
    for service in ["ocsp", "repository"] {
        world.spoil(service, json!({"fault": "down"})).await;
    }

    let refused = api.call(Method::POST, &path, None).await.unwrap_err();

    assert_eq!(
        (refused.problem.status, refused.problem.name()),
        (503, "unavailable")
    );
    let told = &refused.problem.detail;
    assert!(
        told.contains("the revocation status of the certificate"),
        "{told}"
    );
    assert_eq!(api.document(signing.signing_id).await.0, stamped);
    // Revocation lists are enough.
    world.mend("repository").await;
    let archived = archive(&api, signing.signing_id).await;
    assert_eq!(archived["upgraded"], true);
}

#[tokio::test]
async fn the_sandbox_marks_every_page_as_unsigned() {
    let demo = Demo::start();
    let api = SigningClient::new(demo.world.base_url.clone(), &sandbox_key(&demo));
    let original = plain(3);
    let signing = api.create_for_ona(&original).await;
    let path = format!("v1/signings/{}", signing.signing_id);

    let completed = api
        .call(
            Method::POST,
            &format!("{path}/simulate"),
            Some(json!({"action": "complete"})),
        )
        .await
        .expect("the outcome is simulated");

    let (artifact, digest) = api.document(signing.signing_id).await;
    assert_eq!(
        completed["document"],
        json!({
            "sha256": digest, "bytes": artifact.len(), "mimeType": "application/pdf",
            "sandbox": true, "signed": false,
        })
    );
    assert!(artifact.starts_with(&original));
    let Some(text) = text_of(&artifact) else {
        return;
    };
    let pages: Vec<_> = text.trim_end_matches('\u{c}').split('\u{c}').collect();
    assert_eq!(pages.len(), 3);
    for page in pages {
        assert!(page.contains("NEPASIRAŠYTA · UNSIGNED"), "{page}");
    }
}

#[tokio::test]
async fn a_form_is_flattened_or_every_field_is_named() {
    let demo = Demo::start();
    let api = demo.signing();
    let form = PdfBuilder::new().text_field("Vardas", "Jonas").build();
    let fields = |document: &[u8]| document.windows(9).any(|window| window == b"/AcroForm");
    assert!(fields(&form));

    let refused = api
        .call(
            Method::POST,
            "v1/signings",
            Some(flattened(&without_appearance(&form))),
        )
        .await
        .unwrap_err();
    assert_eq!(
        (refused.problem.status, refused.problem.name()),
        (400, "flatten-refused")
    );
    let pointers: Vec<_> = refused
        .problem
        .errors
        .iter()
        .map(|fault| &*fault.pointer)
        .collect();
    assert_eq!(pointers, ["/document/flatten"]);
    assert_eq!(
        refused.problem.errors[0].detail,
        "Vardas: it has something to show and no appearance, so that each reader makes up its own (no-appearance)"
    );

    let created = api
        .call(Method::POST, "v1/signings", Some(flattened(&form)))
        .await
        .expect("the signing is created");
    let link = created["signers"][0]["ceremonyUrl"]
        .as_str()
        .expect("a link");
    let shown = Demo::ceremony(&link.parse().expect("a URL"))
        .document()
        .await;
    assert!(!fields(&shown));
}

#[tokio::test]
async fn a_signed_document_is_not_flattened_and_the_field_that_is_signed_is_named() {
    let demo = Demo::start();
    let api = demo.signing();
    let signed = SignedPdf::unsigned().sign(Signing::by(Identity::Ona));

    let refused = api
        .call(
            Method::POST,
            "v1/signings",
            Some(flattened(&signed.build())),
        )
        .await
        .unwrap_err();

    let problem = refused.problem;
    assert_eq!((problem.status, problem.name()), (400, "flatten-refused"));
    let faults = problem.errors.iter();
    let faults: Vec<_> = faults
        .map(|fault| (&*fault.pointer, &*fault.detail))
        .collect();
    let told = "Signature1: it shows a signature, which flattening would break (signed)";
    assert_eq!(faults, [("/document/flatten", told)]);
}

/// Returns the form without the appearance of its only field.
fn without_appearance(form: &[u8]) -> Vec<u8> {
    let at = form.windows(4).position(|window| window == b"/AP ");
    let at = at.expect("the field has an appearance");
    let mut without = form.to_vec();
    without[at..at + 3].copy_from_slice(b"/XX");
    without
}

fn flattened(document: &[u8]) -> Value {
    json!({
        "title": "Paslaugų sutartis",
        "document": {
            "name": "sutartis.pdf", "content": BASE64.encode(document), "flatten": true,
        },
        "signers": [{"email": "ona@example.lt"}],
    })
}

async fn archive(api: &SigningClient, id: Uuid) -> Value {
    let path = format!("v1/signings/{id}/archive");
    let archived = api.call(Method::POST, &path, None).await;
    archived.expect("the document is archived")
}

fn sandbox_key(demo: &Demo) -> String {
    let json = std::fs::read(demo.data().join("demo.json")).expect("demo.json");
    let json: Value = serde_json::from_slice(&json).expect("JSON");
    json["signing"]["test"].as_str().expect("a key").to_owned()
}
