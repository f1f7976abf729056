use serde_json::{Value, json};

use super::account::{Account, of_signers, pdf, text, two, with};
use crate::support::demo::Demo;
use crate::support::outside::letters;

#[tokio::test]
async fn a_batch_raises_one_signing_for_each_document() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let body = batch(vec![
        json!({"name": "pirmas.pdf", "content": pdf()}),
        json!({"name": "antras.pdf", "content": pdf()}),
    ]);

    let created = api.post("v1/batches", body).await.expect(201);

    assert_eq!(created["title"], "Darbo sutartys");
    assert_eq!(created["externalId"], "b-1");
    let signings = created["signings"].as_array().expect("signings");
    assert_eq!(signings.len(), 2);
    for signing in signings {
        assert_eq!(signing["title"], "Darbo sutartys");
        assert_eq!(signing["externalId"], "b-1");
        assert_eq!(of_signers(signing, "status"), ["pending", "pending"]);
    }
    let path = format!("v1/batches/{}", text(&created, "batchId"));
    assert_eq!(api.get(&path).await.expect(200), created);
    Account::sandbox(&demo)
        .get(&path)
        .await
        .expect_problem(404, "not-found", &[]);

    let id = text(&signings[0], "signingId");
    api.delete(&format!("v1/signings/{id}")).await.expect(200);
    let erased = api.get(&path).await.expect(200);
    assert!(erased["signings"][0]["erasedAt"].is_string());
    assert_eq!(erased["signings"][1], signings[1]);
    assert_eq!(
        (&erased["title"], &erased["externalId"]),
        (&json!(""), &Value::Null)
    );
}

#[tokio::test]
async fn a_batch_with_one_unfit_document_raises_nothing_and_leaves_nothing() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let before = demo.kept();
    let body = batch(vec![
        json!({"name": "geras.pdf", "content": pdf()}),
        json!({"name": "blogas.pdf", "content": "bm90IGEgUERG"}),
        json!({"name": "irgi-blogas.pdf", "content": "bm90IGEgUERG"}),
    ]);

    api.post("v1/batches", body).await.expect_problem(
        400,
        "document-refused",
        &["/documents/1/content", "/documents/2/content"],
    );
    let body = batch(vec![
        json!({"name": "geras.pdf", "content": pdf()}),
        json!({"name": "m.mdoc", "content": "AAAA"}),
    ]);
    api.post("v1/batches", body).await.expect_problem(
        422,
        "mdoc-not-accepted",
        &["/documents/1/name"],
    );

    let page = api.get("v1/signings").await.expect(200);
    assert_eq!(page["data"], json!([]));
    assert_eq!(demo.kept(), before);
}

#[tokio::test]
async fn every_signer_of_a_batch_gets_one_letter_with_all_links() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let documents = ["pirmas.pdf", "antras.pdf"];
    let body = batch(
        documents
            .map(|name| json!({"name": name, "content": pdf()}))
            .to_vec(),
    );
    let parties = json!([
        {"email": "ona@example.lt"}, {"email": "john@example.com", "language": "en"},
        {"email": "stebetojas@example.lt", "role": "viewer"},
    ]);
    let by_mail = json!({"delivery": "email", "signers": parties});

    let created = api
        .post("v1/batches", with(body, by_mail))
        .await
        .expect(201);

    let invited = letters(&demo, 2).await;
    let signings = created["signings"].as_array().expect("signings");
    for (signer, email) in ["ona@example.lt", "john@example.com"].iter().enumerate() {
        let to: Vec<&Value> = invited
            .iter()
            .filter(|letter| letter["to"] == *email)
            .collect();
        let [letter] = to[..] else {
            panic!("one letter to {email}: {invited:#?}");
        };
        for (signing, document) in signings.iter().zip(documents) {
            let link = text(&signing["signers"][signer], "ceremonyUrl");
            let text = text(letter, "text");
            assert!(text.contains(link) && text.contains(document), "{text}");
        }
    }
    assert_eq!(invited.len(), 2);
}

#[expect(clippy::needless_pass_by_value, reason = "callers make it on the spot")]
fn batch(documents: Vec<Value>) -> Value {
    with(
        json!({"title": "Darbo sutartys", "externalId": "b-1", "signers": two()}),
        json!({"documents": documents}),
    )
}
