use serde_json::json;
use sha2::{Digest, Sha256};

use super::account::{Account, pdf, signing_of, text, two, with};
use crate::support::demo::Demo;

#[tokio::test]
async fn a_stored_file_is_copied_into_signings_and_may_go() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let original = parafa_fixtures::plain(1);

    let stored = api
        .post("v1/files", json!({"name": "nuoma.pdf", "content": pdf()}))
        .await
        .expect(201);
    assert_eq!(stored["name"], "nuoma.pdf");
    assert_eq!(stored["mediaType"], "application/pdf");
    assert_eq!(stored["sha256"], hex::encode(Sha256::digest(&original)));
    assert_eq!(stored["bytes"], original.len());
    assert_eq!(stored["usedCount"], 0);
    let token = text(&stored, "fileToken");
    let path = format!("v1/files/{token}");
    let document = json!({"document": {"name": "kitas.pdf", "fileToken": token}});
    let signing = api.create(with(signing_of(two()), document.clone())).await;
    api.create(with(signing_of(two()), document.clone())).await;
    assert_eq!(api.get(&path).await.expect(200)["usedCount"], 2);
    Account::sandbox(&demo)
        .get(&path)
        .await
        .expect_problem(404, "not-found", &[]);

    let deleted = api.delete(&path).await.expect(200);
    assert_eq!(deleted["fileToken"], stored["fileToken"]);
    assert_eq!(deleted["usedCount"], 2);
    api.get(&path).await.expect_problem(404, "not-found", &[]);
    api.delete(&path)
        .await
        .expect_problem(404, "not-found", &[]);
    api.post("v1/signings", with(signing_of(two()), document))
        .await
        .expect_problem(400, "validation-failed", &["/document/fileToken"]);
    let link = text(&signing["signers"][0], "ceremonyUrl");
    let shown = reqwest::get(format!("{link}/document"))
        .await
        .expect("an answer");
    assert_eq!(shown.bytes().await.expect("the document"), original);
}

#[tokio::test]
async fn what_is_refused_inline_is_refused_as_a_file() {
    let demo = Demo::start();
    let api = Account::live(&demo);

    api.post(
        "v1/files",
        json!({"name": "a.pdf", "content": "bm90IGEgUERG"}),
    )
    .await
    .expect_problem(400, "document-refused", &["/content"]);
    api.post("v1/files", json!({"name": "a.MDOC", "content": "AAAA"}))
        .await
        .expect_problem(400, "document-refused", &["/name"]);
    api.post("v1/files", json!({"name": "a.txt", "content": "AAAA"}))
        .await
        .expect_problem(400, "validation-failed", &["/name"]);
}
