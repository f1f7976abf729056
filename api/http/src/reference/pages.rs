//! The pages of an API and its description.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};

use super::{guide, viewer};
use crate::api::Api;
use crate::entity_tag::EntityTag;
use crate::openapi::{Description, Form};
use crate::pages::page_response;
use crate::problem::{Problem, ProblemFormat, ProblemType, page};
use crate::refusals;
use crate::served::Http;

/// The pages of an API, which need nothing of what stands behind it.
pub(crate) fn pages<A: Api, F: ProblemFormat>(http: Http<A>, format: Arc<F>) -> Router {
    let folder = http.reference.folder;
    let guided = http.clone();
    let kinds = kinds_with_a_page(&http);
    let described = Arc::new(Described {
        http,
        format,
        description: OnceLock::new(),
    });
    let described_as = viewer::page(folder, described.http.reference.title);
    Router::new()
        .route(
            &format!("{folder}/docs/reference"),
            get(async move || viewer::response(described_as)),
        )
        .route(&format!("{folder}/openapi.json"), get(json_form::<A, F>))
        .route(&format!("{folder}/openapi.yaml"), get(yaml::<A, F>))
        .with_state(described)
        .route(
            &format!("{folder}/docs/guide"),
            get(guide_page::<A>).with_state(guided),
        )
        .route(
            &format!("{folder}/problems/{{name}}"),
            get(problem_page).with_state(kinds),
        )
        .method_not_allowed_fallback(refusals::page_method_not_allowed)
}

/// The problems of an API, and those of its neighbours whose pages it has.
fn kinds_with_a_page<A: Api>(http: &Http<A>) -> Arc<[ProblemType]> {
    let folder = http.reference.folder;
    let neighbours = http.config.neighbours.iter();
    let with_pages_here = neighbours.filter(|one| one.problem_folder == folder);
    let of_neighbours = with_pages_here.flat_map(|one| &one.problems);
    let own = http.reference.problems.iter();
    own.chain(of_neighbours).copied().collect()
}

/// The description, made when it is asked for first.
struct Described<A: Api, F> {
    http: Http<A>,
    format: Arc<F>,
    description: OnceLock<Description>,
}

impl<A: Api, F: ProblemFormat> Described<A, F> {
    fn get(&self) -> &Description {
        self.description
            .get_or_init(|| Description::new(&self.http, &self.format))
    }
}

/// `GET /openapi.json`.
async fn json_form<A: Api, F: ProblemFormat>(
    State(described): State<Arc<Described<A, F>>>,
    headers: HeaderMap,
) -> Response {
    form(&described.get().json, &headers)
}

/// `GET /openapi.yaml`.
async fn yaml<A: Api, F: ProblemFormat>(
    State(described): State<Arc<Described<A, F>>>,
    headers: HeaderMap,
) -> Response {
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
    EntityTag::known_to(headers).answer((EntityTag::of(&form.sha256), response))
}

/// `GET /docs/guide`. What is set up may change, so that the page is made
/// whenever it is asked for.
async fn guide_page<A: Api>(State(http): State<Http<A>>) -> Response {
    let reference = &http.reference;
    let set_up = (reference.set_up)(&http.api);
    let base_url = &http.config.base_url;
    let page = guide::page(&reference.guide, reference.folder, base_url, &set_up);
    page_response(StatusCode::OK, page)
}

/// `GET /problems/{name}`: what the problem means and what to do about it.
async fn problem_page(
    State(kinds): State<Arc<[ProblemType]>>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let Path(name) = name.map_err(|_| Problem::not_found())?;
    let kind = kinds.iter().find(|kind| kind.name == name);
    let kind = kind.ok_or_else(|| {
        Problem::new(
            ProblemType::NOT_FOUND,
            format!("No problem is called {name}."),
        )
    })?;
    Ok(page_response(StatusCode::OK, page(*kind)))
}
