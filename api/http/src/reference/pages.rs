//! The pages of an API and its description.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::response::Response;
use axum::routing::get;
use http::header::ACCESS_CONTROL_ALLOW_ORIGIN;
use http::{HeaderMap, HeaderValue, StatusCode};

use super::guide;
use super::manual::{About, Manual};
use crate::api::Api;
use crate::encoded::Encoded;
use crate::openapi::{Description, document};
use crate::pages::{PublicPage, page_response};
use crate::problem::{Problem, ProblemFormat, ProblemType, page};
use crate::refusals;
use crate::served::Http;

/// Pages of an API; they need nothing of its implementation.
pub(crate) fn pages<A: Api, F: ProblemFormat>(http: Http<A>, format: Arc<F>) -> Router {
    let folder = http.reference.folder;
    let guided = http.clone();
    let problems = problem_pages(&http);
    let described = Arc::new(Described {
        http,
        format,
        description: OnceLock::new(),
        manual: OnceLock::new(),
    });
    let reference = format!("{folder}/docs/reference");
    Router::new()
        .route(&reference, get(index::<A, F>))
        .route(&format!("{reference}/{{*page}}"), get(below_index::<A, F>))
        .route(&format!("{folder}/openapi.json"), get(json_form::<A, F>))
        .route(&format!("{folder}/openapi.yaml"), get(yaml::<A, F>))
        .with_state(described)
        .route(
            &format!("{folder}/docs/guide"),
            get(guide_page::<A>).with_state(guided),
        )
        .route(
            &format!("{folder}/problems/{{name}}"),
            get(problem_page).with_state(problems),
        )
        .method_not_allowed_fallback(refusals::page_method_not_allowed)
}

/// The pages of problems by their names.
type ProblemPages = Arc<HashMap<&'static str, PublicPage>>;

/// Problems of an API, and of its neighbours whose problem pages it has.
fn problem_pages<A: Api>(http: &Http<A>) -> ProblemPages {
    let folder = http.reference.folder;
    let neighbours = http.config.neighbours.iter();
    let with_pages_here = neighbours.filter(|one| one.problem_folder == folder);
    let of_neighbours = with_pages_here.flat_map(|one| &one.problems);
    let mut pages = HashMap::new();
    for kind in http.reference.problems.iter().chain(of_neighbours) {
        let made = || PublicPage::new(page(*kind));
        pages.entry(kind.name).or_insert_with(made);
    }
    Arc::new(pages)
}

/// The description as a document and as pages, each made on first use.
struct Described<A: Api, F> {
    http: Http<A>,
    format: Arc<F>,
    description: OnceLock<Description>,
    manual: OnceLock<Manual>,
}

impl<A: Api, F: ProblemFormat> Described<A, F> {
    fn description(&self) -> &Description {
        self.description
            .get_or_init(|| Description::new(&self.http, &self.format))
    }

    fn manual(&self) -> &Manual {
        self.manual.get_or_init(|| {
            let document = document(&self.http, &self.format);
            Manual::new(&document, About::of(&self.http.reference))
        })
    }
}

/// `GET /docs/reference`: all calls, or the results of the search `q`.
async fn index<A: Api, F: ProblemFormat>(
    State(described): State<Arc<Described<A, F>>>,
    query: Result<Query<HashMap<String, String>>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let manual = described.manual();
    let sought = query.ok().and_then(|Query(mut query)| query.remove("q"));
    match sought.unwrap_or_default().trim() {
        "" => manual.index.answer(&headers),
        sought => page_response(StatusCode::OK, manual.found(sought)),
    }
}

/// `GET /docs/reference/…`: a call, an event, the list of schemas, or one of them.
async fn below_index<A: Api, F: ProblemFormat>(
    State(described): State<Arc<Described<A, F>>>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    let manual = described.manual();
    let page = path.ok().and_then(|Path(path)| manual.page(&path));
    page.map_or_else(
        || page_response(StatusCode::NOT_FOUND, manual.missing()),
        |page| page.answer(&headers),
    )
}

/// `GET /openapi.json`.
async fn json_form<A: Api, F: ProblemFormat>(
    State(described): State<Arc<Described<A, F>>>,
    headers: HeaderMap,
) -> Response {
    form(&described.description().json, &headers)
}

/// `GET /openapi.yaml`.
async fn yaml<A: Api, F: ProblemFormat>(
    State(described): State<Arc<Described<A, F>>>,
    headers: HeaderMap,
) -> Response {
    form(&described.description().yaml, &headers)
}

/// One form of the description; pages of other origins may read it too.
fn form(form: &Encoded, headers: &HeaderMap) -> Response {
    let mut response = form.answer(headers);
    let anybody = HeaderValue::from_static("*");
    response
        .headers_mut()
        .insert(ACCESS_CONTROL_ALLOW_ORIGIN, anybody);
    response
}

/// `GET /docs/guide`. The installed components may change, so the page is made for each request.
async fn guide_page<A: Api>(State(http): State<Http<A>>, headers: HeaderMap) -> Response {
    let reference = &http.reference;
    let set_up = (reference.set_up)(&http.api);
    let base_url = &http.config.base_url;
    let page = guide::page(&reference.guide, reference.folder, base_url, &set_up);
    PublicPage::new(page).answer(&headers)
}

/// `GET /problems/{name}`: meaning and remedy of the problem.
async fn problem_page(
    State(pages): State<ProblemPages>,
    name: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Path(name) = name.map_err(|_| Problem::not_found())?;
    let page = pages.get(name.as_str()).ok_or_else(|| {
        Problem::new(
            ProblemType::NOT_FOUND,
            format!("No problem is called {name}."),
        )
    })?;
    Ok(page.answer(&headers))
}
