use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use super::account::{Account, of_signers, signing_of, text, two, with};
use crate::support::demo::Demo;
use crate::support::operator::done;
use crate::support::root;

#[tokio::test]
async fn a_new_signing_has_exactly_the_members_of_the_contract() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signers = json!([
        {"email": "ona@example.lt", "name": "Ona", "language": "en", "personalCode": "38001010001",
         "methods": ["mobile_id", "smart_id"]},
        {"email": "stebetojas@example.lt", "role": "viewer"},
        {"email": "jonas@example.lt"},
    ]);
    let members = json!({
        "signingOrder": "sequential", "externalId": "nuoma-7", "softDeadlineInDays": 3,
        "expiresInDays": 5,
    });
    let answer = api
        .post("v1/signings", with(signing_of(signers), members))
        .await;
    let signing = answer.expect(201);

    let location = answer.header("location").expect("an address");
    assert!(location.ends_with(&format!("/v1/signings/{}", text(&signing, "signingId"))));
    let names: Vec<&String> = signing.as_object().expect("an object").keys().collect();
    let expected = [
        "signingId",
        "status",
        "title",
        "delivery",
        "signingOrder",
        "softDeadlineAt",
        "externalId",
        "createdAt",
        "expiresAt",
        "completedAt",
        "completionMode",
        "erasedAt",
        "signers",
    ];
    assert_eq!(names, expected);
    assert_eq!(signing["status"], "pending");
    assert_eq!(signing["externalId"], "nuoma-7");
    assert_eq!(
        of_signers(&signing, "status"),
        ["pending", "recorded", "waiting"]
    );
    assert_eq!(
        of_signers(&signing, "identityLocked"),
        [json!(true), json!(false), json!(false)]
    );
    assert_eq!(
        of_signers(&signing, "methodsAllowed"),
        [
            json!(["mobile_id", "smart_id"]),
            json!([]),
            json!(["nfc", "smart_id", "mobile_id"])
        ]
    );
    let signers = signing["signers"].as_array().expect("signers");
    let has_link: Vec<bool> = signers
        .iter()
        .map(|signer| signer.get("ceremonyUrl").is_some())
        .collect();
    assert_eq!(has_link, [true, false, true]);

    let id = text(&signing, "signingId");
    assert_eq!(
        api.get(&format!("v1/signings/{id}")).await.expect(200),
        signing
    );
    let waiting = text(&signing["signers"][2], "ceremonyUrl");
    let dead = reqwest::get(waiting).await.expect("an answer");
    assert_eq!(dead.status(), 404, "a waiting signer's link");
}

#[tokio::test]
async fn a_container_that_takes_no_further_signature_is_refused_by_the_reason() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let (unsigned, finalized) = ("container-unsigned", "container-finalized");
    let (unsound, mdoc) = ("container-unsound", "mdoc-not-accepted");
    let unsupported = "unsupported-container";
    for (problem, member, name, case) in [
        (unsigned, "content", "a.asice", "asice/unsigned"),
        (unsigned, "content", "a.adoc", "adoc/sound-one-document"),
        (finalized, "content", "a.sce", "asice/finalized-timestamp"),
        (finalized, "content", "a.bedoc", "adoc/finalized-notarised"),
        (unsound, "content", "a.bdoc", "asice/tampered-file"),
        (unsound, "content", "a.asice", "asice/refused-without-files"),
        (unsound, "content", "a.gedoc", "adoc/tampered-title"),
        (unsound, "content", "a.adoc", "adoc/refused-no-relations"),
        (unsupported, "content", "a.asice", "asice/refused-asic-s"),
        (
            unsupported,
            "content",
            "a.asice",
            "asice/refused-signed-in-cms",
        ),
        (unsupported, "content", "a.adoc", "adoc/refused-egas"),
        // Recognized by its content, under any name.
        (mdoc, "content", "a.asice", "asice/refused-mdoc"),
        (mdoc, "content", "a.bdoc", "adoc/refused-mdoc"),
        (mdoc, "content", "a.adoc", "adoc/refused-mdoc"),
        // Recognized by its name, with any content.
        (mdoc, "name", "a.mdoc", "adoc/refused-mdoc"),
        (mdoc, "name", "a.MDOC", "asice/signed-once"),
    ] {
        let content = case_file(case);
        let document = json!({"name": name, "content": content});
        let one = with(signing_of(two()), json!({"document": document}));
        let batch = json!({"title": "Sutartys", "documents": [document], "signers": two()});

        let refused = api.post("v1/signings", one).await;
        refused.expect_problem(422, problem, &[&format!("/document/{member}")]);
        let refused = api.post("v1/batches", batch).await;
        refused.expect_problem(422, problem, &[&format!("/documents/0/{member}")]);
        let refused = api.post("v1/files", document).await;
        refused.expect_problem(400, "document-refused", &[&format!("/{member}")]);
    }
    let made = api.get("v1/signings").await.expect(200);
    assert_eq!(made["data"], json!([]));
}

#[tokio::test]
async fn what_a_disabled_plugin_would_refuse_comes_into_no_container() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let container = json!({"format": "asice", "files": [{"name": "a.pdf", "content": "AAAA"}]});
    let body = json!({"title": "Sutartis", "container": container, "signers": two()});
    let refused = api.post("v1/signings", body.clone()).await;
    refused.expect_problem(400, "document-refused", &["/container/files/0/content"]);

    done(&demo.data(), &["plugin", "disable", "pdf"]);

    let refused = api.post("v1/signings", body).await;
    refused.expect_problem(503, "unavailable", &[]);
}

/// Returns the document of a conformance case, in base64.
fn case_file(case: &str) -> String {
    let folder = root().join("fixtures/cases").join(case);
    let mut files = std::fs::read_dir(folder).expect("a case");
    let input = files.find_map(|file| {
        let file = file.expect("a file").path();
        (file.file_stem()? == "input").then_some(file)
    });
    BASE64.encode(std::fs::read(input.expect("an input")).expect("a file"))
}

#[tokio::test]
async fn methods_of_which_none_is_set_up_are_refused_at_their_member() {
    let demo = Demo::start_with(&[("PARAFA_CARD__ENABLED", "false".to_owned())]);
    let api = Account::live(&demo);
    let signers = json!([
        {"email": "ona@example.lt", "methods": ["nfc", "smart_id"]},
        {"email": "jonas@example.lt", "methods": ["nfc"]},
    ]);
    let body = signing_of(signers);
    let mut batch = body.clone();
    let members = batch.as_object_mut().expect("an object");
    let document = members.remove("document");
    members.insert("documents".to_owned(), json!([document]));
    for (path, body) in [("v1/signings", body), ("v1/batches", batch)] {
        let refused = api.post(path, body).await;
        refused.expect_problem(400, "validation-failed", &["/signers/1/methods"]);
        let refused = refused.expect(400);
        let detail = text(&refused["errors"][0], "detail");
        assert!(
            detail.ends_with("set up here: smart_id, mobile_id"),
            "{detail}"
        );
    }

    let signing = api.create(signing_of(two())).await;
    let parties = format!("v1/signings/{}/signers", text(&signing, "signingId"));
    let added = json!({"email": "rasa@example.lt", "methods": ["nfc"]});
    api.post(&parties, added)
        .await
        .expect_problem(400, "validation-failed", &["/methods"]);
    let signer = text(&signing["signers"][0], "signerId");
    api.patch(&format!("{parties}/{signer}"), json!({"methods": ["nfc"]}))
        .await
        .expect_problem(400, "validation-failed", &["/methods"]);
}

#[tokio::test]
async fn a_list_holds_the_newest_first_and_only_what_the_key_may_see() {
    let demo = Demo::start();
    let (live, sandbox) = (Account::live(&demo), Account::sandbox(&demo));
    let stranger = Account::of(&demo, "/other/live");
    let mut ids = Vec::new();
    for _ in 0..3 {
        let signing = live.create(signing_of(two())).await;
        ids.insert(0, text(&signing, "signingId").to_owned());
    }
    live.post(&format!("v1/signings/{}/cancel", ids[1]), json!({}))
        .await
        .expect(200);

    let listed = |page: &Value| -> Vec<String> {
        let data = page["data"].as_array().expect("data");
        data.iter()
            .map(|signing| text(signing, "signingId").to_owned())
            .collect()
    };
    let all = live.get("v1/signings").await.expect(200);
    assert_eq!(listed(&all), ids);
    assert_eq!(
        (&all["hasMore"], &all["nextCursor"]),
        (&json!(false), &Value::Null)
    );
    let first = live.get("v1/signings?limit=2").await.expect(200);
    assert_eq!(listed(&first), ids[..2]);
    let cursor = text(&first, "nextCursor");
    let rest = live
        .get(&format!("v1/signings?limit=2&startingAfter={cursor}"))
        .await
        .expect(200);
    assert_eq!(listed(&rest), ids[2..]);
    let pending = live.get("v1/signings?status=pending").await.expect(200);
    assert_eq!(listed(&pending), [ids[0].clone(), ids[2].clone()]);
    let cancelled = live.get("v1/signings?status=cancelled").await.expect(200);
    assert_eq!(listed(&cancelled), ids[1..2]);

    for foreign in [&sandbox, &stranger] {
        let page = foreign.get("v1/signings").await.expect(200);
        assert_eq!(page["data"], json!([]));
        let one = format!("v1/signings/{}", ids[0]);
        foreign
            .get(&one)
            .await
            .expect_problem(404, "not-found", &[]);
        foreign
            .delete(&one)
            .await
            .expect_problem(404, "not-found", &[]);
        foreign
            .get(&format!("v1/signings?startingAfter={}", ids[0]))
            .await
            .expect_problem(400, "validation-failed", &["/startingAfter"]);
    }
}
