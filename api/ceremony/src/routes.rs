//! The pages and calls, over HTTP.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use http::header::{
    CONTENT_LENGTH, CONTENT_TYPE, ETAG, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use parafa_api_http::pages::page_response;
use parafa_api_http::{
    Admission, Disposition, HttpConfig, NoInput, Parameters, Problem, ProblemType, WholeBody,
    file_headers,
};
use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};

use crate::api::{CeremonyApi, ShownDocument};
use crate::calls::{
    ANY, Asked, CeremonyRoutes, KnownState, Link, LinkToken, LiveLink, OPEN, Shared,
    method_not_allowed, refusal, wants_html,
};
use crate::colour::style_sheet;
use crate::page::CeremonyPage;
use crate::parameters::{PageParameters, StateQuery};
use crate::requests::StartAttempt;
use crate::vocabulary::Language;
use crate::{PDF, PICTURES, assets, card, decline, views};

/// Longest body of a ceremony call, in bytes.
const MAX_BODY_BYTES: usize = 64 * 1024;

const NOSNIFF: (HeaderName, &str) = (X_CONTENT_TYPE_OPTIONS, "nosniff");

/// Side of a module of the QR code, in pixels: Smart-ID requires 6 to 10.
const MODULE: u32 = 6;

/// Time limit of a call, longer than the long poll of a state.
const MAX_CALL: Duration = Duration::from_secs(60);

/// Detail of a 404 for programs, behind a link.
const DEAD_LINK: &str = "The link is unknown, has ended or was used already, has no such part, or it is not this signer's turn yet.";

/// The page, its assets and the calls; they want an edge around them. `origin`
/// is that of the service's public address (RFC 6454, 6.2).
pub fn router<C: CeremonyApi>(api: C, config: &HttpConfig, origin: &str) -> Router {
    let routes = Arc::new(CeremonyRoutes {
        api,
        admission: Admission::new(config, MAX_BODY_BYTES),
        origin: origin.to_owned(),
    });
    let of_all_links = Router::new()
        .route("/c/{token}", get(page::<C>))
        .route("/c/{token}/face.css", get(face::<C>))
        .route("/c/{token}/logo.png", get(logo::<C>))
        .route("/c/{token}/document", get(document::<C>))
        .route("/c/{token}/members", get(members::<C>))
        .route("/c/{token}/members/{id}", get(member::<C>))
        .route("/c/{token}/state", get(state::<C>))
        .route("/c/{token}/callback", get(callback::<C>))
        .method_not_allowed_fallback(method_not_allowed::<C, ANY>);
    let of_open_links = Router::new()
        .route("/c/{token}/attempts", post(start_attempt::<C>))
        .route("/c/{token}/attempts/current", delete(give_up::<C>))
        .route("/c/{token}/attempts/current/qr.svg", get(code_to_scan::<C>))
        .route("/c/{token}/decline", post(decline::decline::<C>))
        .method_not_allowed_fallback(method_not_allowed::<C, OPEN>);
    of_all_links
        .merge(of_open_links)
        .merge(card::router())
        .layer(middleware::from_fn(end_slow_calls))
        .layer(middleware::map_response(tell_dead_links))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&routes),
            refuse_foreign_origin::<C>,
        ))
        .merge(assets::routes())
        .with_state(routes)
}

/// A call that waits for a free plugin must not keep a slot of a download forever.
async fn end_slow_calls(request: Request, next: Next) -> Response {
    let answer = tokio::time::timeout(MAX_CALL, next.run(request)).await;
    answer.unwrap_or_else(|_| Problem::unavailable("The service is busy.").into_response())
}

async fn page<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    LinkToken(token): LinkToken,
    parameters: PageParameters,
    headers: HeaderMap,
) -> Response {
    let mut language = parameters.page_language();
    let page = async {
        let link = routes.api.find(&token).await?;
        language.of_signer(&routes.api, &link)?;
        if !wants_html(&headers) {
            parameters.language()?;
        }
        let is_open = routes.api.is_open(&link);
        Ok((routes.api.page(link).await?, is_open))
    };
    match page.await {
        Ok((content, is_open)) => {
            let page = CeremonyPage {
                token: &token,
                language: language.chosen(),
                content: &content,
                card_app: routes.api.card_app(),
                is_open,
            };
            page_response(StatusCode::OK, page.render())
        }
        Err(problem) => refusal(&routes.api, &token, problem, &headers, language.known()).await,
    }
}

/// Variables of the common style sheet with the workspace's values. Inline styles are forbidden in
/// pages, so this is a file.
async fn face<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    Link(link): Link<C, ANY>,
    Asked(()): Asked<C, NoInput>,
) -> Result<Response, Problem> {
    let accent = routes.api.face(link).await?.accent;
    let sheet = style_sheet(accent.ok_or_else(Problem::not_found)?);
    Ok(([(CONTENT_TYPE, "text/css; charset=utf-8"), NOSNIFF], sheet).into_response())
}

async fn logo<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    Link(link): Link<C, ANY>,
    Asked(()): Asked<C, NoInput>,
) -> Result<Response, Problem> {
    let png = routes.api.logo(link).await?;
    Ok(([(CONTENT_TYPE, "image/png"), NOSNIFF], png).into_response())
}

async fn document<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    Link(link): Link<C, ANY>,
    method: Method,
    Asked(()): Asked<C, NoInput>,
) -> Result<Response, Problem> {
    shown(routes.api.document(link).await?, &method).await
}

async fn members<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    Link(link): Link<C, ANY>,
    Asked(()): Asked<C, NoInput>,
) -> Result<Json<views::Members>, Problem> {
    let members = routes.api.members(link).await?;
    Ok(Json(views::Members { members }))
}

async fn member<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    Link(link): Link<C, ANY>,
    Path((_, id)): Path<(String, String)>,
    method: Method,
    Asked(()): Asked<C, NoInput>,
) -> Result<Response, Problem> {
    shown(routes.api.member(link, &id).await?, &method).await
}

/// A document, or a member of it, for the page to draw and a browser to save. PDFs and images keep
/// their types, so that the page can show them; others are sent as `application/octet-stream`. By
/// itself a browser shows only PDFs.
async fn shown(document: ShownDocument, method: &Method) -> Result<Response, Problem> {
    let mut kept = [PDF].into_iter().chain(PICTURES);
    let media_type = kept
        .find(|kept| *kept == document.media_type)
        .unwrap_or("application/octet-stream");
    let disposition = match media_type {
        PDF => Disposition::Inline,
        _ => Disposition::Attachment,
    };
    let content = match *method {
        Method::HEAD => Body::empty(),
        _ => document.content.await?,
    };
    Ok((
        [
            (CONTENT_TYPE, HeaderValue::from_static(media_type)),
            (CONTENT_LENGTH, document.bytes.into()),
        ],
        file_headers(disposition, &document.file_name),
        content,
    )
        .into_response())
}

async fn state<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    LinkToken(token): LinkToken,
    _: LiveLink,
    KnownState(known): KnownState,
    Asked(asked): Asked<C, Parameters<StateQuery>>,
) -> Result<Response, Problem> {
    let awaited = routes.api.await_state(&token, asked.wait, known.as_deref());
    let (state, tag) = awaited.await?;
    Ok(tagged(StatusCode::OK, (state.told_in(asked.language), tag)))
}

async fn start_attempt<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    LinkToken(token): LinkToken,
    Link(link): Link<C, OPEN>,
    KnownState(known): KnownState,
    Asked(start): Asked<C, WholeBody<StartAttempt>>,
) -> Result<Response, Problem> {
    let language = start.language;
    routes.api.start_attempt(link, start).await?;
    let awaited = routes
        .api
        .await_state(&token, Duration::ZERO, known.as_deref());
    let (state, tag) = awaited.await?;
    Ok(tagged(StatusCode::CREATED, (state.told_in(language), tag)))
}

async fn give_up<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    Link(link): Link<C, OPEN>,
    Asked(()): Asked<C, NoInput>,
) -> Result<StatusCode, Problem> {
    routes.api.give_up(link).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The current QR code; it changes every second. Query parameters are ignored: they only make the
/// URL different, so that browsers fetch it again.
async fn code_to_scan<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    Link(link): Link<C, OPEN>,
) -> Result<Response, Problem> {
    let state = routes.api.state(link).await?;
    let link = state.attempt.and_then(|attempt| {
        let link = attempt.device_link.map(|link| link.qr);
        link.or(attempt.pairing.map(|pairing| pairing.uri))
    });
    let link = link.ok_or_else(|| {
        let told = "No attempt that shows a code is under way on this link.";
        Problem::new(ProblemType::NOT_FOUND, told)
    })?;
    let code = QrCode::with_error_correction_level(&link, EcLevel::L);
    let code = code.map_err(|error| {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "a link fits no code"
        );
        Problem::unavailable("The code to scan cannot be drawn at the moment.")
    })?;
    let svg = code
        .render::<svg::Color<'_>>()
        .module_dimensions(MODULE, MODULE)
        .build();
    Ok((
        [(CONTENT_TYPE, HeaderValue::from_static("image/svg+xml"))],
        svg,
    )
        .into_response())
}

/// Callback of the app; the page shows the result, in the language of the page that opened the app.
/// Links that are already signed accept it too, for the return that the signature waited for.
/// Phones repeat it, and the signer must see the page, not a dead link.
async fn callback<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    LinkToken(token): LinkToken,
    parameters: PageParameters,
    headers: HeaderMap,
) -> Response {
    let parameter = |name| parameters.0.first(name).unwrap_or_default();
    let (value, digest) = (parameter("value"), parameter("sessionSecretDigest"));
    let mut language = parameters.page_language();
    let returned = async {
        let link = routes.api.find(&token).await?;
        language.of_signer(&routes.api, &link)?;
        routes.api.return_from_app(link, value, digest).await
    };
    match returned.await {
        Ok(()) => {
            let no_referrer = (REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
            (
                [no_referrer],
                Redirect::to(&returned_to(&token, language.asked)),
            )
                .into_response()
        }
        Err(problem) => refusal(&routes.api, &token, problem, &headers, language.known()).await,
    }
}

/// The page to which the signer comes back. It has not seen the attempt that its fragment refers
/// to.
fn returned_to(token: &str, language: Option<Language>) -> String {
    match language {
        Some(language) => format!("/c/{token}?lang={}#returned", language.as_str()),
        None => format!("/c/{token}#returned"),
    }
}

/// The state with its entity tag, which the reader sends back in `If-None-Match` to wait for the
/// next one.
fn tagged(status: StatusCode, (state, tag): (views::State, String)) -> Response {
    let tag = HeaderValue::try_from(format!("\"{tag}\"")).expect("hex digits are ASCII");
    (status, [(ETAG, tag)], Json(state)).into_response()
}

/// Browsers send the origin of a call; only this server's own pages may make it.
async fn refuse_foreign_origin<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    parameters: PageParameters,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let is_own = |origin: &HeaderValue| origin == routes.origin.as_str();
    if headers.get(ORIGIN).is_none_or(is_own) || is_own_form(headers) {
        return next.run(request).await;
    }
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
    let told = format!(
        "The call comes from a page of {}, and only those of {} may make it.",
        origin.unwrap_or("another origin"),
        routes.origin
    );
    let problem = Problem::new(ProblemType::FORBIDDEN, told);
    let path = request.uri().path();
    let token = path
        .strip_prefix("/c/")
        .and_then(|rest| rest.strip_suffix("/decline"));
    match token {
        // A browser that sends no origin of a form also gets a page.
        Some(token) if decline::is_form(headers) && wants_html(headers) => {
            decline::refused(&problem, parameters.page_language().known(), token)
        }
        _ => problem.into_response(),
    }
}

/// A page without referrer posts its forms with the origin `null` (Fetch, 3.2, "append a request
/// `Origin` header"). That it is a page of this server is in a header that no script can set (Fetch
/// Metadata, 2.3).
fn is_own_form(headers: &HeaderMap) -> bool {
    let is = |name: &HeaderName, value: &[u8]| {
        headers
            .get(name)
            .is_some_and(|given| given.as_bytes() == value)
    };
    is(&ORIGIN, b"null")
        && is(&HeaderName::from_static("sec-fetch-site"), b"same-origin")
        && decline::is_form(headers)
}

/// A 404 behind a link concerns the link itself; its token is not repeated.
async fn tell_dead_links(mut response: Response) -> Response {
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        let told = match problem.kind() == ProblemType::NOT_FOUND {
            true => problem.told_instead(|| DEAD_LINK.to_owned()),
            false => problem,
        };
        response.extensions_mut().insert(told);
    }
    response
}
