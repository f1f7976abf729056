//! The signer declines: by the page's script, or by its form where none runs.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use parafa_api_http::pages::page_response;
use parafa_api_http::{Problem, ProblemType};

use crate::api::CeremonyApi;
use crate::page::{Sentence, dead_link, declined, not_declined};
use crate::parameters::Parameters;
use crate::routes::{CeremonyRoutes, LinkToken, find_open, is_form, require_json, whole};
use crate::vocabulary::Language;
use crate::{problems, requests};

pub(crate) async fn decline<C: CeremonyApi>(
    State(routes): State<CeremonyRoutes<C>>,
    LinkToken(token): LinkToken,
    parameters: Parameters,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    if is_form(&headers) {
        return Ok(by_form(&*routes.api, &token, &parameters, body).await);
    }
    let link = find_open(&*routes.api, &token).await?;
    let body = whole(body).await;
    if !body.as_ref().is_ok_and(Bytes::is_empty) {
        require_json(&headers)?;
    }
    let reason = requests::decline(&body?, &parameters.0)?;
    Ok(Json(routes.api.decline(link, reason).await?).into_response())
}

/// A form is answered by a page, whatever comes of it: the link leads nowhere
/// any more once its signer has declined.
async fn by_form<C: CeremonyApi>(
    api: &C,
    token: &str,
    parameters: &Parameters,
    body: Body,
) -> Response {
    let mut language = parameters.page_language();
    let outcome = async {
        let link = find_open(api, token).await?;
        language.of_signer(api, &link)?;
        let reason = requests::decline_form(&whole(body).await?)?;
        api.decline(link, reason).await
    };
    match outcome.await {
        Ok(_) => page_response(StatusCode::OK, declined(language.known())),
        Err(problem) => refused(&problem, language.known(), token),
    }
}

/// What the page says that a form was not taken, in the look of all pages.
pub(crate) fn refused(problem: &Problem, language: Option<Language>, token: &str) -> Response {
    let why: Sentence = match problem.kind() {
        ProblemType::FORBIDDEN => |texts| texts.decline_unproven,
        ProblemType::PAYLOAD_TOO_LARGE | ProblemType::VALIDATION_FAILED => {
            |texts| texts.reason_fault
        }
        problems::SIGNING_IN_PROGRESS => |texts| texts.signature_under_way,
        ProblemType::NOT_FOUND | problems::SIGNER_NOT_OPEN => {
            return page_response(problem.status(), dead_link(language));
        }
        _ => |texts| texts.service_fault,
    };
    page_response(problem.status(), not_declined(language, token, why))
}
