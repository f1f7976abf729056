//! The calls of the app that talks to a signer's card.

use axum::extract::State;
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::StatusCode;
use parafa_api_http::pages::page_response;
use parafa_api_http::{Problem, ProblemType, WholeBody, limit_guesses};

use crate::api::CeremonyApi;
use crate::calls::{ANY, Asked, Link, OPEN, Shared, method_not_allowed};
use crate::page::{dead_link, pairing};
use crate::parameters::PageParameters;
use crate::requests::{CardSignature, CertificateSubmission, PairingCode};
use crate::{problems, views};

pub(crate) fn router<C: CeremonyApi>() -> Router<Shared<C>> {
    let calls_below = |base: &str| {
        Router::new()
            .route(&format!("{base}/certificate"), post(certificate::<C>))
            .route(&format!("{base}/complete"), post(complete::<C>))
            .method_not_allowed_fallback(method_not_allowed::<C, OPEN>)
    };
    Router::new()
        .route("/c/pair", get(pair_page::<C>))
        .route("/c/pairings", limit_guesses(post(pair::<C>)))
        .method_not_allowed_fallback(async || Problem::of(ProblemType::METHOD_NOT_ALLOWED))
        .merge(calls_below("/c/{token}/card"))
        .merge(calls_below("/c/card").layer(map_response(tell_dead_tokens)))
}

/// Page shown by a browser at the URL meant for the app.
async fn pair_page<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    parameters: PageParameters,
) -> Response {
    let code = parameters.0.first("code").unwrap_or_default();
    let language = parameters.page_language().known();
    match routes.api.card_app() {
        Some(app) => page_response(StatusCode::OK, pairing(language, code, app)),
        None => page_response(StatusCode::NOT_FOUND, dead_link(language, None)),
    }
}

async fn pair<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    Asked(PairingCode(code)): Asked<C, WholeBody<PairingCode>>,
) -> Result<Json<views::PairedCard>, Problem> {
    routes.api.pair(&code).await.map(Json)
}

async fn certificate<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    Link(link): Link<C, OPEN>,
    asked: Result<Asked<C, WholeBody<CertificateSubmission>>, Problem>,
) -> Result<Json<views::CardRequest>, Problem> {
    let Asked(CertificateSubmission(der)) = asked.map_err(refused)?;
    routes.api.card_certificate(link, der).await.map(Json)
}

async fn complete<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    // A repetition gets the same answer after the signature was made.
    Link(link): Link<C, ANY>,
    asked: Result<Asked<C, WholeBody<CardSignature>>, Problem>,
) -> Result<Json<views::Attempt>, Problem> {
    let Asked(signature) = asked.map_err(refused)?;
    routes.api.card_complete(link, signature).await.map(Json)
}

/// All faults in an app's input have one status.
fn refused(problem: Problem) -> Problem {
    match problem.kind() {
        ProblemType::VALIDATION_FAILED => Problem::new(problems::CARD_REFUSED, problem.detail())
            .with_errors(problem.errors().to_vec()),
        _ => problem,
    }
}

/// An ended attempt no longer exists for an app's token.
async fn tell_dead_tokens(response: Response) -> Response {
    let problem = response.extensions().get::<Problem>();
    match problem.map(Problem::kind) {
        Some(ProblemType::NOT_FOUND) => Problem::new(
            ProblemType::UNAUTHORIZED,
            "The card token is missing, or its attempt is over.",
        )
        .with_header("www-authenticate", "Bearer")
        .into_response(),
        _ => response,
    }
}
