//! The due-diligence tools in front of an API that echoes requests.

mod pages;

use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use http::StatusCode;
use parafa_api_http::{
    Access, AlreadyCounted, Api, BaseUrl, Credentials, HttpConfig, IdempotentRequest, Presence,
    Principal, Problem, Reservation,
};
use parafa_api_mcp::model::Implementation;
use parafa_api_mcp::{DiligenceTools, McpConfig, ToolsError, router};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::asking::{legacy, modern};

const KEY: &str = "Bearer ddk_test_1";
const ORDER: &str = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f";
const ENTITIES: [&str; 7] = [
    "",
    "/participants",
    "/ubo",
    "/real-estate",
    "/seizures",
    "/cases",
    "/dd-report",
];

struct Registers;

struct Attorney;

impl Principal for Attorney {
    fn key_id(&self) -> Uuid {
        Uuid::from_u128(1)
    }

    fn may(&self, _: Access) -> bool {
        true
    }
}

#[async_trait]
impl Api for Registers {
    type Caller = Attorney;
    type Record = Uuid;

    async fn authenticate(&self, credentials: &Credentials) -> Result<Attorney, Problem> {
        match credentials {
            Credentials::Bearer(key) if key.expose() == "ddk_test_1" => Ok(Attorney),
            _ => Err(Problem::unauthorized()),
        }
    }

    async fn presence(&self, _: &Attorney, _: Uuid) -> Result<Presence, Problem> {
        Ok(Presence::Present)
    }

    async fn reserve(
        &self,
        _: &Attorney,
        _: IdempotentRequest,
    ) -> Result<Reservation<Attorney>, Problem> {
        Ok(Reservation::Claimed(Attorney))
    }

    async fn hold(&self, _: &Attorney) -> std::convert::Infallible {
        std::future::pending().await
    }

    async fn release(&self, _: &Attorney) {}
}

/// Answers with the request; for one entity, that there are no data.
async fn echo(request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX)
        .await
        .expect("a body");
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let asked = format!("{} {}", head.method, head.uri);
    if asked.contains("999000088") {
        let problem = json!({"type": "https://dd.example/problems/no-data", "status": 404});
        return (StatusCode::NOT_FOUND, Json(problem)).into_response();
    }
    if asked.contains("999000162") {
        let problem = json!({"type": "https://dd.example/problems/rate-limited", "status": 429});
        let wait = [("retry-after", "40")];
        return (StatusCode::TOO_MANY_REQUESTS, wait, Json(problem)).into_response();
    }
    let told = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    let counted = head.extensions.get::<AlreadyCounted>().is_some();
    Json(json!({
        "asked": asked,
        "key": told("authorization"),
        "requestId": told("x-request-id"),
        "idempotencyKey": told("idempotency-key"),
        "counted": counted,
        "body": body,
    }))
    .into_response()
}

fn description() -> Value {
    let answer = json!({"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Echo"}}}}});
    let get = json!({"get": {"responses": answer}});
    let mut paths = json!({
        "/v1/kyc-packages": {"post": {
            "responses": answer,
            "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}},
        }},
        "/v1/kyc-packages/{orderId}": get,
    });
    for entity in ENTITIES {
        paths[format!("/v1/entities/{{code}}{entity}")] = get.clone();
    }
    json!({"paths": paths, "components": {"schemas": {
        "Echo": {"type": "object", "properties": {"asked": {"type": "string"}}},
        "Problem": {"type": "object", "required": ["status"]},
        "Order": {"type": "object", "properties": {"entityCode": {"type": "string"}}, "additionalProperties": false},
    }}})
}

async fn service() -> Router {
    service_over(Router::new().fallback(echo)).await
}

/// The tools over an API with these answers.
async fn service_over(answers: Router) -> Router {
    let rest = answers.route(
        "/dd/openapi.json",
        axum::routing::get(async || Json(description())),
    );
    let server = Implementation::new("parafa", "0.1.0");
    let tools = DiligenceTools::new(Arc::new(Registers), rest, server).await;
    let base_url = BaseUrl::new(&"https://dd.example".parse().expect("an address"));
    let config = McpConfig {
        http: HttpConfig::new(base_url),
        origins: Vec::new(),
    };
    router(tools.expect("all is described"), config)
}

async fn call(tool: &str, arguments: Value) -> Value {
    call_of(&service().await, tool, arguments).await
}

async fn call_of(service: &Router, tool: &str, arguments: Value) -> Value {
    let call = modern("tools/call", json!({"name": tool, "arguments": arguments}));
    let answer = call.by(KEY).to(service).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"].clone()
}

#[tokio::test]
async fn nine_tools_are_described_whole() {
    let list = legacy("tools/list", &json!({}))
        .to(&service().await)
        .await
        .json();
    let tools = list["result"]["tools"].as_array().expect("tools").clone();
    let names: Vec<_> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "lookup_company",
            "get_participants",
            "get_beneficial_owners",
            "get_real_estate",
            "get_seizures",
            "get_court_cases",
            "get_due_diligence_report",
            "create_kyc_package",
            "get_kyc_package",
        ]
    );
    for tool in &tools {
        let name = &tool["name"];
        for text in ["title", "description"] {
            assert!(
                tool[text].as_str().is_some_and(|text| !text.is_empty()),
                "{name} {text}"
            );
        }
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        let output = &tool["outputSchema"];
        assert_eq!(output["type"], "object", "{name}");
        assert_eq!(output["anyOf"][0]["properties"]["asked"]["type"], "string");
        assert_eq!(output["anyOf"][1]["required"], json!(["status"]));
        let is_paged = tool["inputSchema"]["properties"].get("cursor").is_some();
        let page = &output["anyOf"][0]["properties"]["page"];
        assert_eq!(page.is_object(), is_paged, "{name}");
        let reads = name != "create_kyc_package";
        let hints = json!({"readOnlyHint": reads, "destructiveHint": false, "idempotentHint": reads, "openWorldHint": true});
        assert_eq!(tool["annotations"], hints, "{name}");
    }
    let takes = |name: &str, argument: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name);
        tool.expect("a tool")["inputSchema"]["properties"]
            .get(argument)
            .is_some()
    };
    let asking = |argument| {
        names
            .iter()
            .filter(move |name| takes(name, argument))
            .copied()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        asking("purpose"),
        ["get_beneficial_owners", "get_due_diligence_report"]
    );
    assert_eq!(
        asking("interpret"),
        [
            "lookup_company",
            "get_beneficial_owners",
            "get_seizures",
            "get_due_diligence_report"
        ]
    );
    assert_eq!(
        asking("bods"),
        [
            "get_participants",
            "get_beneficial_owners",
            "get_due_diligence_report"
        ]
    );
    assert_eq!(asking("cursor"), &names[..7]);
    assert_eq!(asking("limit"), &names[..7]);
}

#[tokio::test]
async fn a_tool_is_a_call_of_the_api_with_the_same_key() {
    for (tool, arguments, asked) in [
        (
            "lookup_company",
            json!({"entityCode": "999000009"}),
            "GET /v1/entities/999000009".to_owned(),
        ),
        (
            "get_beneficial_owners",
            json!({"entityCode": "999000009", "purpose": "AML_KYC", "interpret": true}),
            "GET /v1/entities/999000009/ubo?purpose=AML_KYC&interpret=1".to_owned(),
        ),
        (
            "get_due_diligence_report",
            json!({"entityCode": "999000009", "purpose": "LEGAL_CLAIM", "interpret": false}),
            "GET /v1/entities/999000009/dd-report?purpose=LEGAL_CLAIM".to_owned(),
        ),
        (
            "get_kyc_package",
            json!({"orderId": ORDER}),
            format!("GET /v1/kyc-packages/{ORDER}"),
        ),
    ] {
        let result = call(tool, arguments).await;
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(result["structuredContent"]["asked"], asked);
        assert_eq!(result["structuredContent"]["key"], KEY);
    }
    let order = json!({"entityCode": "999000009", "subjectRole": "manager"});
    let result = call("create_kyc_package", order.clone()).await;
    assert_eq!(
        result["structuredContent"]["asked"],
        "POST /v1/kyc-packages"
    );
    assert_eq!(result["structuredContent"]["body"], order);
}

#[tokio::test]
async fn a_call_is_counted_once_and_keeps_its_ids() {
    let order = json!({"name": "create_kyc_package", "arguments": {"entityCode": "999000009"}});
    let ask = modern("tools/call", order)
        .by(KEY)
        .with("x-request-id", "abc-123")
        .with("idempotency-key", "order-1");
    let answer = ask.to(&service().await).await;
    let asked = &answer.json()["result"]["structuredContent"];
    assert_eq!(asked["counted"], true);
    assert_eq!(asked["requestId"], "abc-123");
    assert_eq!(asked["idempotencyKey"], "order-1");
    assert_eq!(answer.headers["x-request-id"], "abc-123");
}

#[tokio::test]
async fn a_wait_that_the_api_tells_is_told_in_the_result() {
    let result = call("get_seizures", json!({"entityCode": "999000162"})).await;
    assert_eq!(result["isError"], true);
    assert_eq!(result["structuredContent"]["status"], 429);
    assert_eq!(result["_meta"]["retryAfter"], 40);
    let advice = result["content"][1]["text"].as_str().expect("a text");
    assert!(advice.contains("40 s"), "{advice}");
}

#[tokio::test]
async fn the_problem_of_the_api_is_the_result_of_the_tool() {
    let result = call("get_seizures", json!({"entityCode": "999000088"})).await;
    assert_eq!(result["isError"], true);
    let problem = json!({"type": "https://dd.example/problems/no-data", "status": 404});
    assert_eq!(result["structuredContent"], problem);
}

#[tokio::test]
async fn arguments_that_are_missing_malformed_or_unknown_are_told_all_at_once() {
    let pointers = async |tool, arguments| {
        let result = call(tool, arguments).await;
        assert_eq!(result["isError"], true);
        let problem = &result["structuredContent"];
        assert_eq!(problem["status"], 400, "{problem}");
        let errors = problem["errors"].as_array().expect("faults").iter();
        errors
            .map(|fault| fault["pointer"].as_str().expect("a pointer").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        pointers("get_beneficial_owners", json!({})).await,
        ["/entityCode", "/purpose"]
    );
    let faults = pointers(
        "lookup_company",
        json!({"entityCode": "../keys", "interpret": "yes", "sign": "jades-t", "format": "asice"}),
    );
    assert_eq!(
        faults.await,
        ["/entityCode", "/interpret", "/sign", "/format"]
    );
    assert_eq!(
        pointers(
            "get_participants",
            json!({"entityCode": 999_000_009, "interpret": true})
        )
        .await,
        ["/entityCode", "/interpret"]
    );
}

#[tokio::test]
async fn a_wrong_check_digit_and_an_unknown_purpose_are_told_with_all_the_rest() {
    let arguments = json!({
        "entityCode": "999000000",
        "purpose": "CURIOSITY",
        "interpret": 1,
        "sign": "jades-t",
    });

    let result = call("get_due_diligence_report", arguments).await;

    let problem = &result["structuredContent"];
    assert_eq!(problem["status"], 400, "{problem}");
    assert_eq!(
        problem["errors"],
        json!([
            {
                "pointer": "/entityCode",
                "detail": "is not valid: the check digit of the code is wrong: after 99900000 it must be 9",
            },
            {
                "pointer": "/purpose",
                "detail": "must be one of AML_KYC, BUSINESS_RELATIONSHIP_DD, TRANSACTION_DD, LEGAL_CLAIM, OTHER",
            },
            {"pointer": "/interpret", "detail": "must be true or false"},
            {"pointer": "/sign", "detail": "is not a known member"},
        ])
    );
}

#[tokio::test]
async fn what_is_no_id_is_the_id_of_no_order() {
    let result = call("get_kyc_package", json!({"orderId": "../entities"})).await;
    assert_eq!(result["structuredContent"]["status"], 404);
}

#[tokio::test]
async fn an_api_that_does_not_describe_a_call_has_no_tools() {
    let server = || Implementation::new("parafa", "0.1.0");
    let silent = DiligenceTools::new(Arc::new(Registers), Router::new(), server()).await;
    assert!(matches!(silent.err(), Some(ToolsError::NoDescription)));
    let partial = Router::new().route(
        "/dd/openapi.json",
        axum::routing::get(async || Json(json!({"paths": {}}))),
    );
    let partial = DiligenceTools::new(Arc::new(Registers), partial, server()).await;
    assert!(matches!(
        partial.err(),
        Some(ToolsError::NotDescribed("/v1/entities/{code}"))
    ));
}
