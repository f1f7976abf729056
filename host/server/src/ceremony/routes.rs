use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, MatchedPath, Path, Query, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use http::header::{
    ACCEPT, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt, Collected, LengthLimitError, Limited};
use parafa_api_signing::{Disposition, Fault, Problem, ProblemKind, content_disposition};
use parafa_domain::{Language, SigningMethod};
use parafa_platform::accounts::KeyMode;
use parafa_signing::WorkflowError;
use parafa_signing::ceremony::{Access, Ceremony, CeremonyState};
use parafa_signing::changes::Fingerprint;
use parafa_signing::downloads::Asker;
use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};

use super::calls;
use super::page::{CeremonyPage, dead_link, trouble};
use super::parameters::Parameters;
use super::state::StateView;
use super::texts::local_time;
use crate::app::App;

const STYLE: &str = include_str!("assets/ceremony.css");
const ICON: &str = include_str!("assets/icon.svg");
const SCRIPT: &str = include_str!("assets/ceremony.js");

const ATTEMPTS: &str = "/c/{token}/attempts";
const CURRENT_ATTEMPT: &str = "/c/{token}/attempts/current";
const CODE_TO_SCAN: &str = "/c/{token}/attempts/current/qr.svg";
const DECLINE: &str = "/c/{token}/decline";
/// What is there only while the signer can still sign.
const OF_OPEN_LINKS: [&str; 4] = [ATTEMPTS, CURRENT_ATTEMPT, CODE_TO_SCAN, DECLINE];

/// Longest body of a ceremony call, in bytes.
const MAX_BODY_BYTES: usize = 64 * 1024;
/// Longest time from the head of a request to the head of its answer.
const MAX_CALL: Duration = Duration::from_secs(60);

/// Nothing but this server's own script, style and document; nobody may frame
/// the page.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     frame-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/// A document may be framed by the page alone and runs nothing.
const DOCUMENT_POLICY: &str = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; \
     frame-ancestors 'self'";

/// The page, its assets and the calls.
pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/c/{token}", get(page))
        .route("/c/{token}/document", get(document))
        .route("/c/{token}/state", get(state))
        .route(ATTEMPTS, post(start_attempt))
        .route(CURRENT_ATTEMPT, delete(give_up))
        .route(CODE_TO_SCAN, get(code_to_scan))
        .route("/c/{token}/callback", get(callback))
        .route(DECLINE, post(decline))
        .method_not_allowed_fallback(method_not_allowed)
        .layer(middleware::from_fn(end_slow_calls))
        .layer(middleware::from_fn_with_state(
            app.clone(),
            refuse_foreign_origin,
        ))
        .route(
            "/assets/ceremony.css",
            get(|| asset("text/css; charset=utf-8", STYLE)),
        )
        .route("/assets/icon.svg", get(|| asset("image/svg+xml", ICON)))
        .route(
            "/assets/ceremony.js",
            get(|| asset("text/javascript; charset=utf-8", SCRIPT)),
        )
        .method_not_allowed_fallback(asset_method_not_allowed)
        .with_state(app)
}

/// What stands in the address as a token; what is no text leads nowhere.
struct LinkToken(String);

impl<S: Send + Sync> FromRequestParts<S> for LinkToken {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(token)) => Ok(Self(token)),
            Err(_) => Err(Problem::not_found()),
        }
    }
}

async fn page(
    State(app): State<Arc<App>>,
    LinkToken(token): LinkToken,
    parameters: Parameters,
    headers: HeaderMap,
) -> Response {
    let asked = parameters.language_among_others();
    let page = async {
        let ceremony = app.ceremonies.ceremony(&token).await?;
        if !wants_html(&headers) {
            parameters.language()?;
        }
        Ok(opened_page(&app, ceremony, &token, asked).await?)
    };
    match page.await {
        Ok(html) => page_response(StatusCode::OK, html),
        Err(problem) => refusal(problem, &headers, asked.unwrap_or_default()),
    }
}

/// A page for a person, a problem document for a program.
fn refusal(problem: Problem, headers: &HeaderMap, language: Language) -> Response {
    if !wants_html(headers) {
        return problem.into_response();
    }
    let page = match problem.kind() {
        ProblemKind::NotFound => dead_link(language),
        _ => trouble(language),
    };
    page_response(problem.status(), page.into_string())
}

async fn opened_page(
    app: &Arc<App>,
    ceremony: Ceremony,
    token: &str,
    asked: Option<Language>,
) -> Result<String, WorkflowError> {
    let state = app.ceremonies.ceremony_state(ceremony).await?;
    let newest = state
        .opened
        .row
        .newest()
        .ok_or(WorkflowError::Inconsistent("a signing has no document"))?;
    let set_up = app.attempts.methods_set_up();
    let methods: Vec<SigningMethod> = state
        .party
        .methods
        .iter()
        .filter(|method| set_up.contains(method))
        .collect();
    let language = asked.unwrap_or(state.party.language);
    let advice = app.ceremonies.advice(&state.opened.row).await;
    let page = CeremonyPage {
        token,
        language,
        tenant: &state.tenant,
        title: &state.opened.private.title,
        document_name: &state.opened.private.document_name,
        document_sha256: &newest.sha256,
        expires: &local_time(state.opened.row.signing.expires_at, language),
        methods: &methods,
        sandbox: state.opened.row.mode == KeyMode::Test,
        advice: &advice,
    };
    Ok(page.render().into_string())
}

async fn document(
    State(app): State<Arc<App>>,
    LinkToken(token): LinkToken,
    method: Method,
    parameters: Parameters,
) -> Result<Response, Problem> {
    let ceremony = app.ceremonies.ceremony(&token).await?;
    parameters.refuse_all()?;
    let download = app.ceremonies.ceremony_document(&ceremony).await?;
    let is_pdf = download.version.media_type == "application/pdf";
    let disposition = if is_pdf {
        Disposition::Inline
    } else {
        Disposition::Attachment
    };
    let disposition = content_disposition(disposition, &download.name);
    let media_type = if is_pdf {
        "application/pdf"
    } else {
        "application/octet-stream"
    };
    let length = download.version.bytes;
    let content = if method == Method::HEAD {
        Body::empty()
    } else {
        let asker = Asker::Link(ceremony.signer);
        Body::from_stream(app.downloads.send(download, asker).await?)
    };
    Ok((
        [
            (CONTENT_TYPE, HeaderValue::from_static(media_type)),
            (CONTENT_LENGTH, length.into()),
            (CONTENT_DISPOSITION, disposition),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (
                CONTENT_SECURITY_POLICY,
                HeaderValue::from_static(DOCUMENT_POLICY),
            ),
            (
                HeaderName::from_static("x-frame-options"),
                HeaderValue::from_static("SAMEORIGIN"),
            ),
        ],
        content,
    )
        .into_response())
}

async fn state(
    State(app): State<Arc<App>>,
    LinkToken(token): LinkToken,
    parameters: Parameters,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    app.ceremonies.ceremony(&token).await?;
    let wait = parameters.wait()?;
    let known = known_state(&headers);
    let state = app
        .ceremonies
        .await_ceremony_state(&token, wait, known)
        .await?;
    tagged(StatusCode::OK, state)
}

async fn start_attempt(
    State(app): State<Arc<App>>,
    LinkToken(token): LinkToken,
    parameters: Parameters,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let ceremony = find_open(&app, &token).await?;
    require_json(&headers)?;
    let body = whole(body).await?;
    let start = parameters.along_with(calls::start_attempt(&body))?;
    app.ceremonies.start_attempt(ceremony, start).await?;
    let known = known_state(&headers);
    let state = app
        .ceremonies
        .await_ceremony_state(&token, Duration::ZERO, known);
    tagged(StatusCode::CREATED, state.await?)
}

async fn give_up(
    State(app): State<Arc<App>>,
    LinkToken(token): LinkToken,
    parameters: Parameters,
) -> Result<StatusCode, Problem> {
    let ceremony = find_open(&app, &token).await?;
    parameters.refuse_all()?;
    app.ceremonies.give_up_attempt(&ceremony).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The code to show now; it changes every second. Whatever parameters it is asked
/// for with only make the address another one, so that browsers ask anew.
async fn code_to_scan(
    State(app): State<Arc<App>>,
    LinkToken(token): LinkToken,
) -> Result<Response, Problem> {
    let ceremony = find_open(&app, &token).await?;
    let state = app.ceremonies.ceremony_state(ceremony).await?;
    let link = state.device_link.ok_or_else(Problem::not_found)?;
    let code = QrCode::with_error_correction_level(&link.qr, EcLevel::L);
    let code = code.map_err(|_| WorkflowError::Inconsistent("a link is too long"))?;
    let svg = code
        .render::<svg::Color<'_>>()
        .module_dimensions(6, 6)
        .build();
    Ok((
        [(CONTENT_TYPE, HeaderValue::from_static("image/svg+xml"))],
        svg,
    )
        .into_response())
}

/// Where the app brings the signer back to; the page says what came of it. Also
/// a link that has been signed on leads there, for the return that its signature
/// waited for: phones repeat it, and the signer is to see the page, not that the
/// link is dead.
async fn callback(
    State(app): State<Arc<App>>,
    LinkToken(token): LinkToken,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let parameter = |name| query.get(name).map(String::as_str).unwrap_or_default();
    let (value, digest) = (parameter("value"), parameter("sessionSecretDigest"));
    let returned = match app.ceremonies.ceremony(&token).await {
        Ok(ceremony) => {
            app.ceremonies
                .return_from_app(&ceremony, value, digest)
                .await
        }
        Err(error) => Err(error),
    };
    match returned {
        Ok(()) => {
            let no_referrer = (REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
            ([no_referrer], Redirect::to(&format!("/c/{token}"))).into_response()
        }
        Err(error) => refusal(Problem::from(error), &headers, Language::default()),
    }
}

async fn decline(
    State(app): State<Arc<App>>,
    LinkToken(token): LinkToken,
    parameters: Parameters,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<StateView>, Problem> {
    let ceremony = find_open(&app, &token).await?;
    let body = whole(body).await;
    if !body.as_ref().is_ok_and(Bytes::is_empty) {
        require_json(&headers)?;
    }
    let reason = parameters.along_with(calls::decline(&body?))?;
    let row = app.ceremonies.decline(&ceremony, reason).await?;
    let declined = Ceremony { row, ..ceremony };
    view(app.ceremonies.ceremony_state(declined).await?)
}

/// The state whose tag the reader sent back. A proxy that compresses answers
/// makes their tags weak ones.
fn known_state(headers: &HeaderMap) -> Option<Fingerprint> {
    let tag = headers.get(IF_NONE_MATCH)?.to_str().ok()?;
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    tag.trim_matches('"').parse().ok()
}

/// The state with its tag, which a reader sends back in `If-None-Match` to be
/// told of the next one.
fn tagged(status: StatusCode, state: CeremonyState) -> Result<Response, Problem> {
    let tag =
        HeaderValue::try_from(format!("\"{}\"", state.fingerprint)).expect("hex digits are ASCII");
    Ok((status, [(ETAG, tag)], view(state)?).into_response())
}

/// A link on which more than reading is allowed; others are not there for the
/// calls that change something.
async fn find_open(app: &App, token: &str) -> Result<Ceremony, Problem> {
    let ceremony = app.ceremonies.ceremony(token).await?;
    if ceremony.access == Access::Sign {
        Ok(ceremony)
    } else {
        Err(Problem::not_found())
    }
}

fn view(state: CeremonyState) -> Result<Json<StateView>, Problem> {
    let view = StateView::new(state);
    let view = view.ok_or(WorkflowError::Inconsistent("a signing has no document"))?;
    Ok(Json(view))
}

/// A browser says where a call comes from; only this server's own pages may
/// make it.
async fn refuse_foreign_origin(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Response {
    let own = app.links.base_url().origin().ascii_serialization();
    match request.headers().get(ORIGIN) {
        Some(origin) if origin.as_bytes() != own.as_bytes() => Problem::new(
            ProblemKind::Forbidden,
            "The call comes from a page of another origin.",
        )
        .into_response(),
        _ => next.run(request).await,
    }
}

/// A body that comes a byte a second holds nobody up.
async fn end_slow_calls(request: Request, next: Next) -> Response {
    match tokio::time::timeout(MAX_CALL, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let detail = format!("did not arrive within {} seconds", MAX_CALL.as_secs());
            Problem::validation(vec![Fault::new("", detail)]).into_response()
        }
    }
}

fn require_json(headers: &HeaderMap) -> Result<(), Problem> {
    let media_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        Ok(())
    } else {
        Err(Problem::of(ProblemKind::UnsupportedMediaType))
    }
}

/// Reads a body, which is done once it is known that the call is one to somebody
/// who is there.
async fn whole(body: Body) -> Result<Bytes, Problem> {
    let read = Limited::new(body, MAX_BODY_BYTES).collect().await;
    read.map(Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            let detail = format!("The body is longer than {MAX_BODY_BYTES} bytes.");
            Problem::new(ProblemKind::PayloadTooLarge, detail)
        } else {
            Problem::validation(vec![Fault::new("", "ended before it was complete")])
        }
    })
}

/// A call with a method that it has not. That the link leads nowhere, or not
/// there any more, comes first; the router adds `Allow`.
async fn method_not_allowed(
    State(app): State<Arc<App>>,
    LinkToken(token): LinkToken,
    path: MatchedPath,
    headers: HeaderMap,
) -> Response {
    let is_of_open_links = OF_OPEN_LINKS.contains(&path.as_str());
    let found = if is_of_open_links {
        find_open(&app, &token).await
    } else {
        app.ceremonies.ceremony(&token).await.map_err(Problem::from)
    };
    match found {
        Ok(_) => Problem::of(ProblemKind::MethodNotAllowed).into_response(),
        Err(problem) => refusal(problem, &headers, Language::default()),
    }
}

async fn asset_method_not_allowed() -> Problem {
    Problem::of(ProblemKind::MethodNotAllowed)
}

fn wants_html(headers: &HeaderMap) -> bool {
    headers
        .get(ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"))
}

fn page_response(status: StatusCode, html: String) -> Response {
    (
        status,
        [
            (
                CONTENT_TYPE,
                HeaderValue::from_static("text/html; charset=utf-8"),
            ),
            (
                CONTENT_SECURITY_POLICY,
                HeaderValue::from_static(PAGE_POLICY),
            ),
            (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        ],
        html,
    )
        .into_response()
}

async fn asset(media_type: &'static str, text: &'static str) -> impl IntoResponse {
    (
        [
            (CONTENT_TYPE, HeaderValue::from_static(media_type)),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        ],
        text,
    )
}
