use serde_json::{Value, json};

use super::account::{Account, pdf, signing_of, text, two, with};
use crate::support::demo::Demo;

#[tokio::test]
async fn a_repeated_request_gets_the_first_answer_and_creates_nothing() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signing = api.create(signing_of(two())).await;
    let one = format!("v1/signings/{}", text(&signing, "signingId"));
    let calls = [
        (
            "v1/signings".to_owned(),
            signing_of(two()),
            json!({"title": "Kita"}),
        ),
        (
            "v1/batches".to_owned(),
            json!({
                "title": "Daug", "signers": two(),
                "documents": [{"name": "a.pdf", "content": pdf()}],
            }),
            json!({"title": "Kitas"}),
        ),
        (
            "v1/files".to_owned(),
            json!({"name": "a.pdf", "content": pdf()}),
            json!({"name": "b.pdf"}),
        ),
        (
            format!("{one}/signers"),
            json!({"email": "rasa@example.lt"}),
            json!({"email": "kita@example.lt"}),
        ),
        (
            format!("{one}/comments"),
            json!({"body": "Kartą"}),
            json!({"body": "Kitaip"}),
        ),
    ];

    for (path, body, change) in calls {
        let first = api.post_once(&path, body.clone(), "tas-pats").await;
        let second = api.post_once(&path, body.clone(), "tas-pats").await;
        assert_eq!(first.expect(201), second.expect(201), "{path}");
        assert_eq!(first.bytes, second.bytes);
        assert_eq!(first.header("location"), second.header("location"));
        assert_eq!(first.header("idempotent-replayed"), None);
        assert_eq!(second.header("idempotent-replayed"), Some("true"));
        api.post_once(&path, with(body, change), "tas-pats")
            .await
            .expect_problem(422, "idempotency-key-reused", &[]);
    }
    let page = api.get("v1/signings").await.expect(200);
    assert_eq!(page["data"].as_array().map(Vec::len), Some(3));
    let comments = api.get(&format!("{one}/comments")).await.expect(200);
    assert_eq!(comments["comments"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_refusal_frees_the_key_and_another_api_key_has_its_own() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let bad = with(
        signing_of(two()),
        json!({"document": {"name": "a.pdf", "content": "bm90IGEgUERG"}}),
    );

    api.post_once("v1/signings", bad, "k").await.expect_problem(
        400,
        "document-refused",
        &["/document/content"],
    );
    let good = api
        .post_once("v1/signings", signing_of(two()), "k")
        .await
        .expect(201);
    let other = Account::sandbox(&demo)
        .post_once("v1/signings", signing_of(two()), "k")
        .await
        .expect(201);

    assert_ne!(good["signingId"], other["signingId"]);
}

#[tokio::test]
async fn erasure_forgets_kept_answers() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let body = signing_of(two());
    let first = api
        .post_once("v1/signings", body.clone(), "k")
        .await
        .expect(201);
    api.delete(&format!("v1/signings/{}", text(&first, "signingId")))
        .await
        .expect(200);

    let second = api.post_once("v1/signings", body, "k").await;

    assert_eq!(second.header("idempotent-replayed"), None);
    let second: Value = second.expect(201);
    assert_ne!(first["signingId"], second["signingId"]);
}
