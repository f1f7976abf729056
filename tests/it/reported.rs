//! Documents from public bug reports: results of posting and verifying each.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::ZipMember;
use parafa_fixtures::signed::Identity::Ona;
use parafa_fixtures::signed::container::{ContainerSigning, SignatureTimestamp, SignedContainer};
use parafa_fixtures::signed::schemas::BROKEN;
use parafa_fixtures::tool::samples;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::client::{Refused, SigningClient};
use crate::support::demo::{Demo, parafa};
use crate::support::operator::text;

/// Result of posting a document.
#[derive(Clone, Copy, Debug)]
enum Posted {
    Taken,
    /// Accepted, and flattened.
    Flattened,
    /// Refused with this problem, whose detail has these words.
    Refused(&'static str, &'static str),
    /// Accepted without flattening, for the reason with these words.
    NotFlattened(&'static str),
}

/// Verdicts on its signatures; `None` if verification refuses the file or finds
/// no signature.
type Verified = Option<&'static [&'static str]>;

const INTACT: Verified = Some(&["intact"]);
const BOTH_INTACT: Verified = Some(&["intact", "intact"]);
const NONE: Verified = Some(&[]);

const REPORTED: [(&str, Posted, Verified); 19] = {
    use Posted::{Flattened, NotFlattened, Refused, Taken};

    [
        (
            "unknown-sigalg-changed.asice",
            Refused("container-unsound", "the digest of"),
            Some(&["digest-mismatch"]),
        ),
        (
            "unknown-digest-changed.asice",
            Refused("container-unsound", "does not verify under the certificate"),
            Some(&["unsupported"]),
        ),
        (
            "signature-file-in-capitals.asice",
            Refused("container-unsound", "signature-file-name"),
            NONE,
        ),
        ("rsa-digestinfo-without-null.asice", Taken, INTACT),
        ("autogram__FUPS_signed.asice", Taken, INTACT),
        ("jws-b64-false.json", Taken, Some(&["unsupported"])),
        ("jades-crit-spd.json", Taken, INTACT),
        (
            "metadata-without-length.pdf",
            Refused(
                "document-refused",
                "6 0 at byte 424 cannot be read: the stream has no /Length",
            ),
            None,
        ),
        (
            "certified-no-changes.pdf",
            Refused("document-refused", "certified-no-changes"),
            INTACT,
        ),
        ("combo-blank-display.pdf", Flattened, NONE),
        ("combo-blank-value.pdf", Flattened, NONE),
        ("combo-empty-display-nothing-drawn.pdf", Flattened, NONE),
        (
            "control-combo-AL-not-drawn.pdf",
            NotFlattened("value-not-drawn"),
            NONE,
        ),
        ("qpdf__form-filled-by-acrobat.pdf", Flattened, NONE),
        (
            "pyHanko__form-update-override-appearance-stream.pdf",
            Taken,
            BOTH_INTACT,
        ),
        ("filled-B.pdf", Taken, INTACT),
        ("pyHanko__extensions-direct.pdf", Taken, BOTH_INTACT),
        (
            "SiVa__bdoc_tm_valid_1_signature.bdoc",
            Refused("container-unsound", "an RSA key of 1024 bits"),
            INTACT,
        ),
        ("dss__pkcs7_sha1.pdf", Taken, BOTH_INTACT),
    ]
};

async fn post(api: &SigningClient, file: &Path, flatten: bool) -> Result<Value, Refused> {
    let name = file.file_name().unwrap().to_str().unwrap();
    let content = BASE64.encode(fs::read(file).unwrap());
    let mut document = json!({"name": name, "content": content});
    if flatten {
        document["flatten"] = json!(true);
    }
    let body = json!({
        "title": "Pranešta",
        "document": document,
        "signers": [{"email": "ona@example.lt"}],
    });
    api.call(Method::POST, "v1/signings", Some(body)).await
}

/// Returns the verdicts of `parafa verify`; `None` if the file is refused.
fn verified(file: &Path, data: &Path) -> Option<Vec<String>> {
    let output = parafa(["verify", text(file), "--json", "--data", text(data)]);
    let verdict: Value = serde_json::from_slice(&output.stdout).ok()?;
    let signatures = verdict["signatures"].as_array()?.iter();
    let verdicts = signatures.map(|one| one["integrity"].as_str().unwrap().to_owned());
    Some(verdicts.collect())
}

#[tokio::test]
async fn reported_documents_are_judged_right_by_who_takes_and_by_who_verifies_them() {
    let Some(samples) = samples() else { return };
    let demo = Demo::start();
    let api = demo.signing();
    let data = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (name, expected, verdicts) in REPORTED {
        let file = samples.join("reported").join(name);
        let flatten = matches!(expected, Posted::Flattened | Posted::NotFlattened(_));
        // The signing API does not accept signed JSON.
        if !name.ends_with(".json") {
            let posted = post(&api, &file, flatten).await;
            let agrees = match (&posted, expected) {
                (Ok(_), Posted::Taken | Posted::Flattened) => true,
                (Err(refused), Posted::Refused(problem, words)) => {
                    refused.problem.name() == problem && refused.problem.detail.contains(words)
                }
                (Err(refused), Posted::NotFlattened(reason)) => {
                    refused.problem.name() == "flatten-refused"
                        && format!("{:?}", refused.problem).contains(reason)
                }
                _ => false,
            };
            if !agrees {
                wrong.push(format!("{name}: {expected:?}, but {posted:?}"));
            }
        }
        let found = verified(&file, data.path());
        let expected =
            verdicts.map(|verdicts| verdicts.iter().map(|it| (*it).to_owned()).collect());
        if found != expected {
            wrong.push(format!("{name}: {expected:?}, but {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_document_that_may_not_be_changed_is_carried_in_a_container() {
    let Some(samples) = samples() else { return };
    let content = fs::read(samples.join("reported/certified-no-changes.pdf")).unwrap();
    let demo = Demo::start();
    let body = json!({
        "title": "Priedai",
        "container": {
            "format": "asice",
            "files": [{"name": "certified.pdf", "content": BASE64.encode(content)}],
        },
        "signers": [{"email": "ona@example.lt"}],
    });

    let created = demo
        .signing()
        .call(Method::POST, "v1/signings", Some(body))
        .await;
    created.expect("nothing of the file is changed");
}

#[tokio::test]
async fn a_signature_that_breaks_its_schema_is_told_by_who_takes_and_by_who_verifies_it() {
    const EVERY: usize = 12;

    let demo = Demo::start();
    let api = demo.signing();
    let [folder, data] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let file = folder.path().join("a.asice");
    let files = [("a.txt", "a.txt", "text/plain", &b"a"[..])];
    for broken in BROKEN.into_iter().step_by(EVERY) {
        let signed = SignedContainer::unsigned(&files).sign(ContainerSigning {
            timestamp: SignatureTimestamp::Own,
            change: Some(broken.change),
            ..ContainerSigning::by(Ona)
        });
        fs::write(&file, signed.zip.build()).unwrap();

        let refused = post(&api, &file, false).await;
        let refused = refused.expect_err("the signature breaks its schema");
        assert_eq!(refused.problem.name(), "container-unsound");
        let detail = &refused.problem.detail;
        assert!(detail.contains(broken.element), "{broken:?}: {detail}");
        let found = verified(&file, data.path());
        assert_eq!(found, Some(vec!["malformed".to_owned()]), "{broken:?}");
    }
}

/// A container needs room for each signer's additions.
#[tokio::test]
async fn a_container_is_taken_for_as_many_signers_as_it_has_room_for() {
    let demo = Demo::start();
    let api = demo.signing();
    let full = with_entries(998);
    let signers = |count: usize| -> Value {
        let emails = (0..count).map(|number| json!({"email": format!("{number}@example.lt")}));
        emails.collect()
    };

    let taken = api.try_create("a.asice", &full, signers(2)).await;
    taken.expect("there is room for two");
    let refused = api.try_create("a.asice", &full, signers(3)).await;
    let refused = refused.expect_err("there is no room for three");
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.problem.detail.contains("room for 2"), "{refused:?}");
}

/// Returns a signed container with this number of members.
fn with_entries(count: usize) -> Vec<u8> {
    let files = [("a.txt", "a.txt", "text/plain", &b"a"[..])];
    let signed = SignedContainer::unsigned(&files).sign(ContainerSigning::by(Ona));
    let own = signed.zip.members.len();
    let others = (own..count).map(|number| format!("META-INF/{number}.bin"));
    let full = others.fold(signed, |container, name| {
        container.and(ZipMember::stored(&name, b""))
    });
    full.zip.build()
}
