//! What is to be read about an API: its description, an overview, and what
//! problems mean. All of it is public.

mod guide;
mod overview;
mod viewer;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};
use maud::Markup;
use serde_json::{Map, Value, json};

pub use self::guide::{Guide, Step};
pub(crate) use self::overview::english;
pub(crate) use self::viewer::VIEWER;
use crate::api::Api;
use crate::config::BaseUrl;
use crate::entity_tag::EntityTag;
use crate::openapi::{Description, Form, OwnHeader, Schemas};
use crate::pages::page_response;
use crate::principal::Credentials;
use crate::problem::{Problem, ProblemFormat, ProblemType, page};
use crate::refusals;
use crate::router::Http;

/// What is told of an API as a whole.
pub struct Reference<A> {
    /// What it is called on the overview.
    pub name: &'static str,
    /// The folder of its description and pages: none for the API that others on
    /// the same listener are neighbours of.
    pub folder: &'static str,
    /// The title of its description.
    pub title: &'static str,
    /// The version of the interface.
    pub version: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Some paragraphs, in Markdown.
    pub description: &'static str,
    /// What operations are about, in the order in which they are documented.
    pub tags: &'static [Tag],
    /// How callers authenticate.
    pub security: Security,
    /// Every problem that has a page.
    pub problems: Vec<ProblemType>,
    /// What to do instead of sending a body that is too long: a sentence.
    pub advice_on_long_bodies: &'static str,
    /// Headers of downloads beside the usual ones.
    pub headers: &'static [OwnHeader],
    /// The example of a request or a view of a call, by the call's id and the
    /// name of the schema.
    pub example: fn(&str, &str, &BaseUrl) -> Option<Value>,
    /// What is set up here, for the overview.
    pub set_up: fn(&A) -> Vec<SetUp>,
    /// An occurrence of a problem.
    pub refusal: fn(ProblemType, &BaseUrl) -> Problem,
    /// The way from nothing to a first result.
    pub guide: Option<Guide>,
    /// What the service posts to callers, by the kind of event.
    pub webhooks: fn(&mut Schemas) -> Map<String, Value>,
}

/// What operations are about.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Tag {
    /// One word.
    pub name: &'static str,
    /// One sentence.
    pub description: &'static str,
}

/// Things of one kind that are set up here.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SetUp {
    /// What they are called.
    pub title: &'static str,
    /// Each of them; none at all, if it cannot be done here.
    pub names: Vec<String>,
}

/// How callers authenticate, with a sentence on what they send.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Security {
    /// RFC 6750.
    Bearer(&'static str),
    /// RFC 7617.
    Basic(&'static str),
}

/// Credentials that some operations of an API take in the place of the usual
/// ones.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Credential {
    /// What the description calls them.
    pub name: &'static str,
    /// What they are.
    pub security: Security,
    /// What a caller without them is told: a 401.
    pub refusal: ProblemType,
}

impl Security {
    /// Whether credentials are of this scheme.
    pub(crate) fn is_of(self, credentials: &Credentials) -> bool {
        matches!(
            (self, credentials),
            (Self::Bearer(_), Credentials::Bearer(_)) | (Self::Basic(_), Credentials::Basic { .. })
        )
    }

    /// The scheme (OpenAPI 3.1.1, 4.8.27).
    pub(crate) fn scheme(self) -> Value {
        let (scheme, description) = match self {
            Self::Bearer(description) => ("bearer", description),
            Self::Basic(description) => ("basic", description),
        };
        json!({"type": "http", "scheme": scheme, "description": description})
    }

    /// The scheme's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bearer(_) => "Bearer",
            Self::Basic(_) => "Basic",
        }
    }

    /// The challenge of a refusal (RFC 9110, 11.6.1; RFC 7617, 2).
    pub(crate) fn challenge(self) -> &'static str {
        match self {
            Self::Bearer(_) => "Bearer",
            Self::Basic(_) => r#"Basic realm="parafa""#,
        }
    }
}

/// Another API on the same listener, for the overview.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Neighbour {
    /// What it is called.
    pub title: String,
    /// The folder of its `openapi.json` and `openapi.yaml`, such as `/dd`.
    pub folder: String,
    /// Those of its problems whose types are addresses under `/problems`, where
    /// the API without a folder has their pages.
    pub problems: Vec<ProblemType>,
}

/// The pages of an API, which need nothing of what stands behind it.
pub(crate) fn pages<A: Api, F: ProblemFormat>(http: Http<A>, format: Arc<F>) -> Router {
    let folder = http.reference.folder;
    let overview = http.clone();
    let kinds = kinds_with_a_page(&http);
    let described = Arc::new(Described {
        http,
        format,
        description: OnceLock::new(),
    });
    let described_as = viewer::page(folder, described.http.reference.title);
    let guide = http_guide(&described.http);
    let mut router = Router::new();
    if let Some(guide) = guide {
        router = router.route(
            &format!("{folder}/docs/guide"),
            get(async move || page_response(StatusCode::OK, guide)),
        );
    }
    router
        .route(
            &format!("{folder}/docs/reference"),
            get(async move || viewer::response(described_as)),
        )
        .route(&format!("{folder}/openapi.json"), get(json_form::<A, F>))
        .route(&format!("{folder}/openapi.yaml"), get(yaml::<A, F>))
        .with_state(described)
        .route(
            &format!("{folder}/docs"),
            get(docs_page::<A>).with_state(overview),
        )
        .route(
            &format!("{folder}/problems/{{name}}"),
            get(problem_page).with_state(kinds),
        )
        .method_not_allowed_fallback(refusals::page_method_not_allowed)
}

/// The problems of an API, and those of its neighbours that it has not itself.
fn kinds_with_a_page<A: Api>(http: &Http<A>) -> Arc<[ProblemType]> {
    let of_neighbours = http.config.neighbours.iter().flat_map(|one| &one.problems);
    let own = http.reference.problems.iter();
    own.chain(of_neighbours).copied().collect()
}

fn http_guide<A: Api>(http: &Http<A>) -> Option<Markup> {
    let guide = http.reference.guide.as_ref()?;
    Some(guide::page(guide, &http.config.base_url))
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

/// `GET /docs`: what there is. What is set up may change, so that the page is
/// made whenever it is asked for.
async fn docs_page<A: Api>(State(http): State<Http<A>>) -> Response {
    page_response(StatusCode::OK, overview::page(&http))
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
