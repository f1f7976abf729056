//! Containers: composed of files, shown to signers, signed and countersigned.

mod methods;
mod scripts;

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use parafa_fixtures::referees::{AsicE, Dss};
use parafa_fixtures::tool::samples;
use parafa_fixtures::{Zip, ZipMember};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::client::{Refused, Signing, SigningClient};
use crate::support::control::WorldControl;
use crate::support::demo::{Demo, parafa};
use crate::support::operator::{done, refusal, text};
use crate::support::root;

const MEDIA_TYPE: &str = "application/vnd.etsi.asic-e+zip";
/// Names that container writers escape in different ways.
const NAMES: [&str; 3] = ["Sutartis Nr. 1.pdf", "Žemės plotas+kaina.pdf", "100%.pdf"];

/// Returns the files of a container, the main one first.
fn files() -> [Vec<u8>; 3] {
    [1, 2, 3].map(parafa_fixtures::plain)
}

fn composition(files: &[(&str, &[u8])], signers: &Value) -> Value {
    let files: Vec<_> = files
        .iter()
        .map(|(name, content)| json!({"name": name, "content": BASE64.encode(content)}))
        .collect();
    json!({
        "title": "Pirkimo dokumentai",
        "container": {"format": "asice", "files": files},
        "signers": signers,
    })
}

async fn composed(api: &SigningClient, signers: Value) -> Signing {
    let files = files();
    let named: Vec<_> = NAMES
        .into_iter()
        .zip(files.iter().map(Vec::as_slice))
        .collect();
    let body = composition(&named, &signers);
    let created = api.call(Method::POST, "v1/signings", Some(body)).await;
    serde_json::from_value(created.expect("the signing is created")).expect("a signing")
}

/// Completes a signing in the sandbox and returns its artifact.
async fn simulated(sandbox: &SigningClient, signing: &Signing) -> Bytes {
    let path = format!("v1/signings/{}/simulate", signing.signing_id);
    let complete = json!({"action": "complete"});
    let simulated = sandbox.call(Method::POST, &path, Some(complete)).await;
    simulated.expect("the signing is completed");
    sandbox.document(signing.signing_id).await.0
}

fn assert_refused(refused: Result<Signing, Refused>, name: &str, pointer: &str) {
    let refused = refused.expect_err("the container is refused");
    assert_eq!(refused.problem.name(), name, "{refused:?}");
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused.problem.errors[0].pointer, pointer);
}

/// The signature covers the content of the file, but not its checksum.
#[test]
fn a_damaged_member_under_an_intact_signature_is_no_intact_document() {
    let case = root().join("fixtures/cases/asice/signed-once/input.asice");
    let sound = fs::read(case).expect("a signed container");
    // Both headers of `sutartis.txt` contain it.
    let checksum = 0xfc43_087d_u32.to_le_bytes();
    let mut damaged = sound.clone();
    for at in memchr::memmem::find_iter(&sound, &checksum) {
        damaged[at] ^= 1;
    }
    assert_ne!(damaged, sound);
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("a folder");
    let verified = |name: &str, content: &[u8]| {
        let file = folder.path().join(name);
        fs::write(&file, content).expect("written");
        parafa(["verify", text(&file), "--json", "--data", text(&data)])
    };

    assert!(verified("sound.asice", &sound).status.success());
    let refused = verified("damaged.asice", &damaged);

    assert!(refusal(&refused).contains("member-damaged"), "{refused:?}");
    assert!(refused.stdout.is_empty(), "{refused:?}");
}

#[tokio::test]
async fn files_become_a_container_that_two_people_sign_and_others_countersign() {
    let demo = Demo::start();
    let roots = &demo.world.world.roots;
    let (Some(judge), Some(dss)) = (AsicE::find(roots), Dss::find(roots)) else {
        return;
    };
    let api = demo.signing();
    let signing = composed(
        &api,
        json!([{"email": "ona@example.lt"}, {"email": "jonas@example.lt"}]),
    )
    .await;

    demo.sign(&signing, 0).await;
    let (once, _) = api.document(signing.signing_id).await;
    demo.sign(&signing, 1).await;
    let (twice, _) = api.document(signing.signing_id).await;
    let described = api.signing(signing.signing_id).await.document;
    assert_eq!(described.expect("a document").mime_type, MEDIA_TYPE);
    let one = json!([{"email": "petras@example.lt"}]);
    let third = api.try_create("Pasirašyta.ASICE", &twice, one).await;
    let third = third.expect("a signed container is countersigned");
    demo.sign(&third, 0).await;
    let (thrice, _) = api.document(third.signing_id).await;

    let folder = tempfile::tempdir().expect("a temporary folder");
    let written: Vec<_> = [once, twice, thrice]
        .iter()
        .enumerate()
        .map(|(number, container)| {
            let file = folder.path().join(format!("{number}.asice"));
            fs::write(&file, container).expect("a file");
            file
        })
        .collect();
    for (verdict, signatures) in judge.verdicts(&written).iter().zip(1..) {
        assert!(verdict.ok, "{verdict:#?}");
        assert_eq!(verdict.signatures.len(), signatures);
        for signature in &verdict.signatures {
            assert_eq!((signature.covers.len(), signature.timestamps), (3, 1));
        }
    }
    let verdicts = dss.verdicts(&written, &["--level", "T", "--online-loopback"]);
    for (verdict, signatures) in verdicts.iter().zip(1..) {
        assert!(verdict.ok, "DSS: {verdict:#?}");
        assert_eq!(verdict.signatures.len(), signatures);
        for signature in &verdict.signatures {
            assert_eq!(signature.level, "XAdES-BASELINE-T");
        }
    }
}

#[tokio::test]
async fn files_become_an_adoc_that_two_people_sign_and_that_is_not_archived() {
    let demo = Demo::start();
    let Some(judge) = AsicE::find(&demo.world.world.roots) else {
        return;
    };
    let api = demo.signing();
    let types = ZipMember::stored("[Content_Types].xml", b"<Types/>");
    let workbook = Zip::of(vec![types]).build();
    let document = parafa_fixtures::plain(1);
    let mut body = composition(
        &[
            ("Sutartis Nr. 1.pdf", &document),
            ("Kainos ąč.xlsx", &workbook),
        ],
        &json!([{"email": "ona@example.lt"}, {"email": "jonas@example.lt"}]),
    );
    body["container"]["format"] = json!("adoc");
    let created = api.call(Method::POST, "v1/signings", Some(body)).await;
    let signing: Signing =
        serde_json::from_value(created.expect("the signing is created")).expect("a signing");
    let ceremony = Demo::ceremony(signing.signers[0].link());
    let (_, listed) = ceremony.get("members").await;
    let listed: Value = serde_json::from_slice(&listed).expect("JSON");
    let roles: Vec<_> = listed["members"]
        .as_array()
        .expect("members")
        .iter()
        .map(|member| member["role"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(roles[..2], ["main", "attachment"]);
    assert!(
        roles[2..].iter().all(|role| *role == "metadata"),
        "{roles:?}"
    );

    demo.sign(&signing, 0).await;
    demo.sign(&signing, 1).await;
    let (document, _) = api.document(signing.signing_id).await;
    let described = api.signing(signing.signing_id).await.document;
    assert_eq!(
        described.expect("a document").mime_type,
        "application/vnd.lt.archyvai.adoc-2008"
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("signed.adoc");
    fs::write(&file, &document).expect("a file");
    let verdicts = judge.verdicts(&[file]);
    assert!(verdicts[0].ok, "{:#?}", verdicts[0]);
    assert_eq!(verdicts[0].signatures.len(), 2);

    let path = format!("v1/signings/{}/archive", signing.signing_id);
    let refused = api.call(Method::POST, &path, None).await;
    let refused = refused.expect_err("an ADOC is not archived");
    assert_eq!(refused.problem.name(), "archive-not-supported");
    for named in ["ADOC", "XAdES-T"] {
        assert!(refused.problem.detail.contains(named), "{refused:?}");
    }
}

#[tokio::test]
async fn a_container_is_archived_and_verifies_with_what_it_holds() {
    let demo = Demo::start();
    let Some(dss) = Dss::find(&demo.world.world.roots) else {
        return;
    };
    let api = demo.signing();
    let signing = composed(&api, json!([{"email": "ona@example.lt"}])).await;
    demo.sign(&signing, 0).await;
    let path = format!("v1/signings/{}/archive", signing.signing_id);

    let archived = api.call(Method::POST, &path, None).await;
    let archived = archived.expect("the container is archived");

    assert_eq!(archived["level"], "XAdES-LT");
    assert_eq!(archived["upgraded"], true);
    let (document, _) = api.document(signing.signing_id).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("archived.asice");
    fs::write(&file, &document).expect("a file");
    let verdict = dss.verdict(&file, &["--level", "LT"]);
    assert!(verdict.ok, "DSS: {verdict:#?}");
    let again = api.call(Method::POST, &path, None).await;
    assert_eq!(again.expect("it stays as it is")["upgraded"], false);
}

#[tokio::test]
async fn what_somebody_else_s_signature_lacks_for_good_is_told_whoever_is_away_now() {
    let Some(samples) = samples() else { return };
    let demo = Demo::start();
    let api = demo.signing();
    let foreign = samples.join("containers/dd4j__valid-asice.asice");
    let foreign = fs::read(foreign).expect("the sample is there");
    let one = json!([{"email": "ona@example.lt"}]);
    let signing = api.try_create("foreign.asice", &foreign, one).await;
    let signing = signing.expect("the container is taken");
    demo.sign(&signing, 0).await;
    let path = format!("v1/signings/{}/archive", signing.signing_id);
    WorldControl::of(&demo)
        .spoil("ocsp", json!({"fault": "down"}))
        .await;

    let refused = api.call(Method::POST, &path, None).await.unwrap_err();

    assert_eq!(
        (refused.problem.status, refused.problem.name()),
        (422, "archive-incomplete"),
        "{refused:?}"
    );
    assert!(
        refused.problem.detail.contains("certificate"),
        "{refused:?}"
    );
    assert!(!refused.problem.detail.contains("moment"), "{refused:?}");
}

#[tokio::test]
async fn a_signer_is_shown_everything_that_a_container_holds() {
    let demo = Demo::start();
    let api = demo.signing();
    let signing = composed(&api, json!([{"email": "ona@example.lt"}])).await;
    let ceremony = Demo::ceremony(signing.signers[0].link());

    let (status, listed) = ceremony.get("members").await;
    let listed: Value = serde_json::from_slice(&listed).expect("JSON");

    assert_eq!(status, StatusCode::OK);
    let members = listed["members"].as_array().expect("members");
    assert_eq!(members.len(), NAMES.len());
    for (place, (member, content)) in members.iter().zip(files()).enumerate() {
        assert_eq!(member["name"], NAMES[place]);
        assert_eq!(member["mimeType"], "application/pdf");
        assert_eq!(member["bytes"], content.len());
        assert_eq!(
            member["sha256"],
            hex::encode(Sha256::digest(&content)),
            "{member}"
        );
        assert_eq!(
            member["role"],
            if place == 0 { "main" } else { "attachment" }
        );
        let id = member["id"].as_str().expect("an id");
        let (status, shown) = ceremony.get(&format!("members/{id}")).await;
        assert_eq!((status, shown.to_vec()), (StatusCode::OK, content));
    }
    let (status, _) = ceremony.get("members/Sutartis Nr. 1.pdf").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_document_that_is_no_container_is_its_own_only_member() {
    let demo = Demo::start();
    let document = parafa_fixtures::plain(1);
    let signing = demo.signing().create_for_ona(&document).await;
    let ceremony = Demo::ceremony(signing.signers[0].link());

    let (_, listed) = ceremony.get("members").await;
    let listed: Value = serde_json::from_slice(&listed).expect("JSON");

    let member = &listed["members"][0];
    assert_eq!(listed["members"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&member["name"], &member["role"]),
        (&json!("sutartis.pdf"), &json!("main"))
    );
    let id = member["id"].as_str().expect("an id");
    let (_, shown) = ceremony.get(&format!("members/{id}")).await;
    assert_eq!(shown.to_vec(), document);
}

#[tokio::test]
async fn the_sandbox_gives_a_container_that_says_that_nobody_signed_it() {
    let demo = Demo::start();
    let sandbox = demo.sandbox();
    let signing = composed(&sandbox, json!([{"email": "ona@example.lt"}])).await;

    let artifact = simulated(&sandbox, &signing).await;

    let text = String::from_utf8_lossy(&artifact);
    assert!(text.contains("NEPASIRAŠYTA · UNSIGNED"));
    assert!(!text.contains("META-INF/signatures"));
    let one = json!([{"email": "ona@example.lt"}]);
    let refused = demo.signing().try_create("a.asice", &artifact, one).await;
    assert_refused(refused, "container-unsigned", "/document/content");
    let kept = json!({"name": "artifact.asice", "content": BASE64.encode(&artifact)});
    let refused = demo
        .signing()
        .call(Method::POST, "v1/files", Some(kept))
        .await;
    let refused = refused.expect_err("what takes no signature is not kept");
    assert_eq!(
        (refused.problem.status, refused.problem.name()),
        (400, "document-refused")
    );
    assert_eq!(refused.problem.errors[0].pointer, "/content");
}

#[tokio::test]
async fn an_adoc_is_of_the_category_that_operators_gave_the_workspace() {
    let demo = Demo::start();
    let sandbox = demo.sandbox();
    let document = parafa_fixtures::plain(1);
    let one = json!([{"email": "ona@example.lt"}]);
    let mut body = composition(&[("Sutartis.pdf", &document)], &one);
    body["container"]["format"] = json!("adoc");
    let has_category = async |category: &str| {
        let created = sandbox.call(Method::POST, "v1/signings", Some(body.clone()));
        let signing = created.await.expect("the signing is created");
        let signing = serde_json::from_value(signing).expect("a signing");
        let artifact = simulated(&sandbox, &signing).await;
        let told = format!("<uns:documentCategory>{category}</uns:documentCategory>");
        memchr::memmem::find(&artifact, told.as_bytes()).is_some()
    };

    assert!(has_category("BeDOC").await);
    let command = ["tenant", "set-adoc-category", "Demo UAB", "gedoc"];
    let shown = done(&demo.data(), &command);

    assert_eq!(shown["adocCategory"], "GeDOC");
    assert!(has_category("GeDOC").await);
}

#[tokio::test]
async fn files_that_cannot_go_into_a_container_are_refused_by_their_place() {
    let demo = Demo::start();
    let api = demo.signing();
    let good = parafa_fixtures::plain(1);
    let one = json!([{"email": "ona@example.lt"}]);
    let refused = async |files: &[(&str, &[u8])]| {
        let body = composition(files, &one);
        let refused = api.call(Method::POST, "v1/signings", Some(body)).await;
        let refused = refused.expect_err("the files are refused");
        assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        let errors = refused.problem.errors.iter();
        errors
            .map(|fault| fault.pointer.clone())
            .collect::<Vec<_>>()
    };

    let broken = refused(&[("a.pdf", &good), ("b.pdf", b"no PDF"), ("c.pdf", b"%PDF-")]).await;
    assert_eq!(
        broken,
        ["/container/files/1/content", "/container/files/2/content"]
    );
    let twice = refused(&[("a.pdf", &good), ("a.pdf", &good)]).await;
    assert_eq!(twice, ["/container/files/1/name"]);
    let other = refused(&[("a.xlsx", &good)]).await;
    assert_eq!(other, ["/container/files/0/name"]);
}
