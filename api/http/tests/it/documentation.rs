//! Common documentation of all APIs, and the guide of one.

use axum::Router;
use axum::body::{Body, to_bytes};
use http::{HeaderMap, Request};
use parafa_api_http::webhooks::Event;
use parafa_api_http::{AgentTool, BaseUrl, Documentation, Neighbour, ProblemType};
use tower::ServiceExt;

use crate::tiny::service;

const SOLD_OUT: ProblemType = ProblemType {
    status: http::StatusCode::GONE,
    name: "sold-out",
    title: "There is no more of it",
    meaning: "All of it was sold.",
    remedy: "Come earlier.",
};

fn api(title: &str, folder: &str, problem_folder: &'static str) -> Neighbour {
    Neighbour {
        title: title.to_owned(),
        folder: folder.to_owned(),
        summary: "What is sold",
        guide: "From nothing to a sale",
        problems: vec![ProblemType::NOT_FOUND, SOLD_OUT],
        problem_folder,
        events: vec![Event {
            name: "sale.completed",
            summary: "Somebody has bought",
        }],
    }
}

fn documentation() -> Router {
    let documentation = Documentation {
        base_url: BaseUrl::new(&"https://shop.example".parse().unwrap()),
        apis: vec![
            api("Sales", "", ""),
            api("Returns", "/returns", ""),
            api("Repairs", "/repairs", "/repairs"),
        ],
        tools: vec![AgentTool {
            name: "look_up",
            title: "Look up",
            description: "What is on sale.",
        }],
    };
    documentation.routes()
}

/// Status, headers and text of a page.
async fn page(router: Router, path: &str) -> (u16, HeaderMap, String) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let (head, body) = router.oneshot(request).await.unwrap().into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let text = String::from_utf8(body.to_vec()).unwrap();
    (head.status.as_u16(), head.headers, text)
}

#[tokio::test]
async fn the_start_page_leads_to_all_that_there_is_of_every_api() {
    let (status, headers, start) = page(documentation(), "/docs").await;

    assert_eq!(status, 200);
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    for link in [
        "/docs/guide",
        "/returns/docs/guide",
        "/repairs/docs/guide",
        "/docs/reference",
        "/repairs/docs/reference",
        "https://shop.example/openapi.json",
        "https://shop.example/returns/openapi.yaml",
        "/problems",
        "/docs/webhooks",
        "/docs/mcp",
    ] {
        assert!(start.contains(&format!("href=\"{link}\"")), "{link}");
    }
}

#[tokio::test]
async fn the_folder_of_an_api_leads_to_the_start_page() {
    let (status, headers, _) = page(documentation(), "/returns/docs").await;

    assert_eq!(status, 303);
    assert_eq!(headers["location"], "/docs");
}

#[tokio::test]
async fn a_problem_stands_once_in_the_index_for_all_that_share_its_page() {
    let (_, _, index) = page(documentation(), "/problems").await;

    let row = "<tr><td><a href=\"/problems/sold-out\"><code>sold-out</code></a></td>\
               <td>410</td><td>All of it was sold.</td></tr>";
    assert_eq!(index.matches(row).count(), 1, "{index}");
    let row = "<tr><td><a href=\"/repairs/problems/sold-out\"><code>sold-out</code></a></td>\
               <td>410</td><td>All of it was sold.</td></tr>";
    assert_eq!(index.matches(row).count(), 1, "{index}");
}

#[tokio::test]
async fn events_and_tools_are_listed() {
    let (_, _, webhooks) = page(documentation(), "/docs/webhooks").await;
    let (_, _, agents) = page(documentation(), "/docs/mcp").await;

    assert_eq!(webhooks.matches("<code>sale.completed</code>").count(), 3);
    assert!(agents.contains("<code>look_up</code>"), "{agents}");
    assert!(agents.contains("https://shop.example/mcp"), "{agents}");
}

#[tokio::test]
async fn a_guide_has_commands_for_this_service_and_what_is_set_up_here() {
    let (status, _, guide) = page(service(), "/auth/docs/guide").await;

    assert_eq!(status, 200);
    for part in [
        "<p>Type <code>bash</code> first.</p>",
        "<pre tabindex=\"0\"><code>curl https://auth.example/v1/auth/requests</code></pre>",
        "<th scope=\"row\">Methods</th><td>none</td>",
        "href=\"/auth/docs/reference\"",
    ] {
        assert!(guide.contains(part), "{part}: {guide}");
    }
}
