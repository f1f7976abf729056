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
use serde::Deserialize;

use super::manual::{About, Manual};
use super::{guide, overview};
use crate::api::Api;
use crate::encoded::Encoded;
use crate::openapi::{Description, document};
use crate::pages::{ChangingPage, PublicPage, page_response};
use crate::problem::{Problem, ProblemFormat, ProblemType, page};
use crate::refusals;
use crate::served::Http;

/// The pages of an API, which need nothing of what stands behind it.
pub(crate) fn pages<A: Api, F: ProblemFormat>(http: Http<A>, format: Arc<F>) -> Router {
    let folder = http.reference.folder;
    let overview = Arc::new(Overview {
        http: http.clone(),
        page: ChangingPage::default(),
    });
    let problems = problem_pages(&http);
    let guide = http_guide(&http);
    let described = Arc::new(Described {
        http,
        format,
        description: OnceLock::new(),
        manual: OnceLock::new(),
    });
    let mut router = Router::new();
    if let Some(guide) = guide {
        router = router.route(&format!("{folder}/docs/guide"), guide.route());
    }
    let reference = format!("{folder}/docs/reference");
    router
        .route(&reference, get(index::<A, F>))
        .route(&format!("{reference}/{{*page}}"), get(below_index::<A, F>))
        .route(&format!("{folder}/openapi.json"), get(json_form::<A, F>))
        .route(&format!("{folder}/openapi.yaml"), get(yaml::<A, F>))
        .with_state(described)
        .route(
            &format!("{folder}/docs"),
            get(docs_page::<A>).with_state(overview),
        )
        .route(
            &format!("{folder}/problems/{{name}}"),
            get(problem_page).with_state(problems),
        )
        .method_not_allowed_fallback(refusals::page_method_not_allowed)
}

/// The pages of problems by their names.
type ProblemPages = Arc<HashMap<&'static str, PublicPage>>;

/// The problems of an API, and those of its neighbours that it has not itself.
fn problem_pages<A: Api>(http: &Http<A>) -> ProblemPages {
    let of_neighbours = http.config.neighbours.iter().flat_map(|one| &one.problems);
    let mut pages = HashMap::new();
    for kind in http.reference.problems.iter().chain(of_neighbours) {
        let made = || PublicPage::new(page(*kind));
        pages.entry(kind.name).or_insert_with(made);
    }
    Arc::new(pages)
}

fn http_guide<A: Api>(http: &Http<A>) -> Option<PublicPage> {
    let guide = http.reference.guide.as_ref()?;
    Some(PublicPage::new(guide::page(guide, &http.config.base_url)))
}

/// The description as a document and as pages, each made when it is asked for
/// first.
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

/// What is looked for.
#[derive(Deserialize)]
struct Sought {
    #[serde(default)]
    q: String,
}

/// `GET /docs/reference`: all calls, or what is looked for.
async fn index<A: Api, F: ProblemFormat>(
    State(described): State<Arc<Described<A, F>>>,
    sought: Result<Query<Sought>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let manual = described.manual();
    match sought {
        Ok(Query(Sought { q })) if !q.trim().is_empty() => {
            page_response(StatusCode::OK, manual.found(q.trim()))
        }
        _ => manual.index.answer(&headers),
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

/// What the overview is made of.
struct Overview<A: Api> {
    http: Http<A>,
    page: ChangingPage,
}

/// `GET /docs`: what there is. What is set up may change, so that the page is
/// made whenever it is asked for.
async fn docs_page<A: Api>(
    State(overview): State<Arc<Overview<A>>>,
    headers: HeaderMap,
) -> Response {
    let page = overview::page(&overview.http);
    overview.page.answer(page, &headers)
}

/// `GET /problems/{name}`: what the problem means and what to do about it.
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
