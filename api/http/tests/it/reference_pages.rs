//! Requirements on the pages of a reference, so that every call of a description is found and
//! readable, on a phone too.

use axum::Router;
use axum::body::{Body, to_bytes};
use http::{Request, StatusCode};
use serde_json::Value;
use tower::ServiceExt;

/// Maximum number of elements and bytes of a page.
const MOST_ELEMENTS: usize = 1500;
const MOST_BYTES: usize = 100_000;

/// Prefix of the text that search engines show of a page.
const DESCRIBED: &str = "<meta name=\"description\" content=\"";

/// Status and text of a page.
pub(crate) async fn page(service: &Router, path: &str) -> (StatusCode, String) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = service.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

/// Checks the pages of the description in `folder`. Each call, event and schema has one, calls are
/// shown in three languages with their problems, and alternatives have names.
pub(crate) async fn assert_readable(service: &Router, folder: &str) {
    let description = page(service, &format!("{folder}/openapi.json")).await.1;
    let document: Value = serde_json::from_str(&description).unwrap();
    let reference = format!("{folder}/docs/reference");
    let index = light(service, &reference).await;
    assert!(index.contains(DESCRIBED), "{reference}");
    let mut calls = 0;
    for (group, has_samples) in [("paths", true), ("webhooks", false)] {
        let operations = members(&document[group]).flat_map(|(_, item)| members(item));
        let operations = operations.filter(|(_, one)| one["operationId"].is_string());
        for (_, operation) in operations {
            let id = operation["operationId"].as_str().unwrap();
            let path = format!("{reference}/{id}");
            assert!(index.contains(&format!("href=\"{path}\"")), "{path}");
            let page = light(service, &path).await;
            assert!(page.contains(DESCRIBED), "{path}");
            for language in ["curl", "Python", "TypeScript"] {
                let is_shown = page.contains(&format!("<h3>{language}</h3><pre"));
                assert_eq!(is_shown, has_samples, "{path}: {language}");
            }
            for (_, response) in members(&operation["responses"]) {
                let contents = members(&response["content"]);
                let problems = contents.flat_map(|(_, content)| members(&content["examples"]));
                for (problem, _) in problems {
                    let link = format!("href=\"{folder}/problems/{problem}\"");
                    assert!(page.contains(&link), "{path}: {problem}");
                }
            }
            calls += 1;
        }
    }
    assert!(calls > 3, "{calls}");
    let list = light(service, &format!("{reference}/schemas")).await;
    for (name, schema) in members(&document["components"]["schemas"]) {
        let path = format!("{reference}/schemas/{name}");
        assert!(list.contains(&format!("href=\"{path}\"")), "{path}");
        let page = light(service, &path).await;
        for (value, target) in members(&schema["discriminator"]["mapping"]) {
            let (_, target) = target.as_str().unwrap().rsplit_once('/').unwrap();
            assert!(page.contains(&format!("{target}</a>")), "{path}: {target}");
            assert!(page.contains(&format!("<code>{value}</code>")), "{path}");
        }
    }
}

/// A page, after checks: it exists, is light, needs nothing but the style sheet, and its links to
/// its own anchors lead somewhere.
async fn light(service: &Router, path: &str) -> String {
    let (status, page) = page(service, path).await;
    assert_eq!(status, StatusCode::OK, "{path}");
    assert!(page.len() < MOST_BYTES, "{path}: {} bytes", page.len());
    let elements = page.split('<').skip(1);
    let elements = elements.filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    let elements = elements.count();
    assert!(elements < MOST_ELEMENTS, "{path}: {elements} elements");
    assert_eq!(page.matches("<h1").count(), 1, "{path}");
    assert!(page.contains("<html lang=\"en\">"), "{path}");
    for foreign in ["<script", "<style", " style=\""] {
        assert!(!page.contains(foreign), "{path}: {foreign}");
    }
    for link in page.split("href=\"#").skip(1) {
        let (place, _) = link.split_once('"').unwrap();
        assert!(page.contains(&format!("id=\"{place}\"")), "{path}: {place}");
    }
    page
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
