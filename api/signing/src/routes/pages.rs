//! What is to be read about the API: its description, an overview, and what
//! problems mean. All of it is public.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
};
use http::{HeaderMap, HeaderValue};

use super::refusals;
use super::validator::Validator;
use crate::config::{BaseUrl, HttpConfig};
use crate::docs::{self, Style};
use crate::openapi::{Description, Form};
use crate::problem::{Problem, ProblemKind, page};

const PROBLEM_PAGE_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// The pages, which need nothing of the API.
pub(super) fn pages(config: &HttpConfig) -> Router {
    let described = Arc::new(Described {
        base_url: config.base_url.clone(),
        description: OnceLock::new(),
    });
    let overview = Page {
        policy: Style::get().content_security_policy(),
        html: docs::page(config),
    };
    Router::new()
        .route("/openapi.json", get(json))
        .route("/openapi.yaml", get(yaml))
        .with_state(described)
        .route("/docs", get(docs_page).with_state(Arc::new(overview)))
        .route("/problems/{name}", get(problem_page))
        .method_not_allowed_fallback(refusals::page_method_not_allowed)
}

struct Page {
    policy: String,
    html: String,
}

/// The description, made when it is asked for first.
struct Described {
    base_url: BaseUrl,
    description: OnceLock<Description>,
}

impl Described {
    fn get(&self) -> &Description {
        self.description
            .get_or_init(|| Description::new(&self.base_url))
    }
}

/// `GET /openapi.json`.
async fn json(State(described): State<Arc<Described>>, headers: HeaderMap) -> Response {
    form(&described.get().json, &headers)
}

/// `GET /openapi.yaml`.
async fn yaml(State(described): State<Arc<Described>>, headers: HeaderMap) -> Response {
    form(&described.get().yaml, &headers)
}

/// One form of the description; pages of other origins may read it too.
fn form(form: &Form, headers: &HeaderMap) -> Response {
    let fields = [
        (CONTENT_TYPE, form.media_type),
        (CACHE_CONTROL, "public, no-cache"),
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ];
    let response = (fields, form.text.clone()).into_response();
    Validator::known_to(headers).answer((Validator::of(&form.sha256), response))
}

/// `GET /docs`: what there is.
async fn docs_page(State(page): State<Arc<Page>>) -> Response {
    html(&page.policy, page.html.clone())
}

/// `GET /problems/{name}`: what the problem means and what to do about it.
async fn problem_page(name: Result<Path<String>, PathRejection>) -> Result<Response, Problem> {
    let kind = name
        .ok()
        .and_then(|Path(name)| ProblemKind::named(&name))
        .ok_or_else(Problem::not_found)?;
    Ok(html(PROBLEM_PAGE_POLICY, page(kind)))
}

fn html(policy: &str, html: String) -> Response {
    let policy = HeaderValue::try_from(policy).expect("policies of constants and base64 are ASCII");
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (
            CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=3600"),
        ),
        (CONTENT_SECURITY_POLICY, policy),
    ];
    (headers, html).into_response()
}
