//! Isolation of workspaces from each other, and of the sandbox from production.

use reqwest::Method;
use serde_json::{Value, json};

use super::account::{Account, Answer, pdf, signing_of, text, two};
use crate::support::demo::Demo;
use crate::support::outside::Hook;

#[tokio::test]
async fn every_call_finds_nothing_of_another_workspace_or_mode() {
    let demo = Demo::start();
    let owner = Account::live(&demo);
    let signing = owner.create(signing_of(two())).await;
    let batch = json!({
        "title": "Kelios", "signers": two(), "documents": [{"name": "a.pdf", "content": pdf()}],
    });
    let batch = owner.post("v1/batches", batch).await.expect(201);
    let file = json!({"name": "a.pdf", "content": pdf()});
    let file = owner.post("v1/files", file).await.expect(201);
    let test = json!({"webhookUrl": Hook::new(&demo, "isolated").address});
    let delivery = owner.post("v1/deliveries", test).await.expect(202);
    let ids = [
        ("signingId", text(&signing, "signingId")),
        ("signerId", text(&signing["signers"][0], "signerId")),
        ("batchId", text(&batch, "batchId")),
        ("fileToken", text(&file, "fileToken")),
        ("deliveryId", text(&delivery, "deliveryId")),
    ];
    let calls = calls_on(&owner, &ids).await;
    assert_eq!(calls.len(), 19, "{calls:?}");

    for place in ["/signing/test", "/other/live", "/other/test"] {
        let stranger = Account::of(&demo, place);
        for (method, path, body) in &calls {
            // A live key may never simulate, for any id.
            let simulates = path.ends_with("/simulate") && place.ends_with("/live");
            let mut request = stranger.request(method.clone(), path);
            if let Some(body) = body {
                request = request.json(body);
            }
            let answer = Answer::to(request).await;
            let expected = if simulates { 403 } else { 404 };
            assert_eq!(
                answer.status, expected,
                "{place}: {method} {path}: {answer:?}"
            );
        }
    }
    let path = format!("v1/signings/{}", text(&signing, "signingId"));
    assert_eq!(owner.get(&path).await.expect(200), signing);
}

/// Returns every call of the description with an id in its path, with its
/// example body.
async fn calls_on(api: &Account, ids: &[(&str, &str)]) -> Vec<(Method, String, Option<Value>)> {
    let description = api.get("openapi.json").await.expect(200);
    let paths = description["paths"].as_object().expect("paths");
    let mut calls = Vec::new();
    for (path, item) in paths.iter().filter(|(path, _)| path.contains('{')) {
        let filled = ids.iter().fold(path.clone(), |path, (name, id)| {
            path.replace(&format!("{{{name}}}"), id)
        });
        let operations = item.as_object().expect("a path item");
        for (method, operation) in operations.iter().filter(|(name, _)| *name != "parameters") {
            let method = method.to_uppercase().parse().expect("a method");
            let content = &operation["requestBody"]["content"]["application/json"];
            calls.push((method, filled.clone(), content.get("example").cloned()));
        }
    }
    calls
}

#[tokio::test]
async fn a_cursor_outlives_the_erasure_of_its_row() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let mut ids = Vec::new();
    for _ in 0..3 {
        let signing = api.create(signing_of(two())).await;
        ids.push(text(&signing, "signingId").to_owned());
    }
    let page = api.get("v1/signings?limit=1").await.expect(200);
    let cursor = text(&page, "nextCursor");
    assert_eq!(cursor, ids[2]);

    api.delete(&format!("v1/signings/{cursor}"))
        .await
        .expect(200);

    let path = format!("v1/signings?limit=1&startingAfter={cursor}");
    let next = api.get(&path).await.expect(200);
    assert_eq!(next["data"][0]["signingId"], ids[1].as_str());
    assert_eq!(next["hasMore"], true);
}
