//! Long answers, in pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::{Json, Router};
use serde_json::{Value, json};

use super::{call_of, service_over};

/// An API with 45 acts and as many statements on each entity, that counts its requests.
fn acts(asked: &Arc<AtomicUsize>) -> Router {
    let asked = Arc::clone(asked);
    Router::new().fallback(async move || {
        asked.fetch_add(1, Ordering::Relaxed);
        let acts: Vec<_> = (0..45).map(|act| json!({"actId": act})).collect();
        let items: Vec<_> = (0..45)
            .map(|act| json!({"pointer": format!("/acts/{act}/status")}))
            .collect();
        Json(json!({
            "data": {"acts": acts, "bods": acts},
            "interpretation": {"items": items},
        }))
    })
}

#[tokio::test]
async fn a_long_list_comes_in_pages_of_one_answer_that_is_paid_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let service = service_over(acts(&asked)).await;
    let (mut ids, mut pointers) = (Vec::new(), Vec::new());
    let mut arguments = json!({"entityCode": "999000009", "interpret": true});
    for (offset, length) in [(0, 20), (20, 20), (40, 5)] {
        let result = call_of(&service, "get_seizures", arguments.clone()).await;
        assert_eq!(result["isError"], false, "{result}");
        let content = &result["structuredContent"];
        let acts = content["data"]["acts"].as_array().expect("acts");
        assert_eq!(acts.len(), length);
        ids.extend(acts.iter().map(|act| act["actId"].as_u64()));
        let items = content["interpretation"]["items"].as_array();
        pointers.extend(
            items
                .expect("items")
                .iter()
                .map(|item| item["pointer"].clone()),
        );
        assert_eq!(content["page"]["offset"], offset);
        assert_eq!(content["page"]["total"], 45);
        let told = result["content"][1]["text"].as_str().expect("a text");
        let next = &content["page"]["nextCursor"];
        assert_eq!(next.is_null(), offset == 40);
        if let Some(next) = next.as_str() {
            assert!(told.contains(next), "{told}");
            arguments["cursor"] = next.into();
        }
    }
    assert_eq!(ids, (0..45).map(Some).collect::<Vec<_>>());
    assert_eq!(pointers.len(), 45);
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_caller_says_how_long_a_page_is_up_to_all_of_a_list() {
    let service = service_over(acts(&Arc::default())).await;
    let arguments = |limit: Value| json!({"entityCode": "999000009", "limit": limit});
    let whole = call_of(&service, "get_seizures", arguments(json!(45))).await;
    let whole = &whole["structuredContent"];
    assert_eq!(whole["data"]["acts"].as_array().expect("acts").len(), 45);
    assert_eq!(whole.get("page"), None);
    for limit in [json!(0), json!(201), json!(1.5), json!("20")] {
        let refused = call_of(&service, "get_seizures", arguments(limit)).await;
        assert_eq!(refused["structuredContent"]["status"], 400);
        let fault = &refused["structuredContent"]["errors"][0];
        assert_eq!(fault["pointer"], "/limit");
    }
}

#[tokio::test]
async fn a_cursor_is_for_the_arguments_and_the_time_that_it_came_with() {
    tokio::time::pause();
    let service = service_over(acts(&Arc::default())).await;
    let arguments = json!({"entityCode": "999000009"});
    let first = call_of(&service, "get_seizures", arguments).await;
    let cursor = &first["structuredContent"]["page"]["nextCursor"];
    let next = async |tool, code| {
        let arguments = json!({"entityCode": code, "cursor": cursor});
        call_of(&service, tool, arguments).await["structuredContent"].clone()
    };
    assert_eq!(
        next("get_seizures", "999000009").await["page"]["offset"],
        20
    );
    for other in [
        next("get_seizures", "999000017").await,
        next("get_participants", "999000009").await,
    ] {
        assert_eq!(other["errors"][0]["pointer"], "/cursor", "{other}");
    }
    tokio::time::advance(Duration::from_secs(601)).await;
    let late = next("get_seizures", "999000009").await;
    assert_eq!(late["status"], 400);
    assert_eq!(late["errors"][0]["pointer"], "/cursor");
}

#[tokio::test]
async fn statements_of_bods_are_there_where_they_are_asked_for() {
    let service = service_over(acts(&Arc::default())).await;
    for (bods, is_there) in [
        (json!(null), false),
        (json!(false), false),
        (json!(true), true),
    ] {
        let mut arguments = json!({"entityCode": "999000009"});
        if !bods.is_null() {
            arguments["bods"] = bods;
        }
        let result = call_of(&service, "get_participants", arguments).await;
        let data = &result["structuredContent"]["data"];
        assert_eq!(data.get("bods").is_some(), is_there, "{data}");
    }
}
