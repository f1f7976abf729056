//! Declining: by the page's script, or by its form without scripts.

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use parafa_api_http::pages::page_response;
use parafa_api_http::{MaybeBody, Problem, ProblemType, declares};

use crate::api::CeremonyApi;
use crate::calls::{CeremonyRoutes, LinkToken, Shared, dead_link_page, find_open};
use crate::page::{Sentence, declined, not_declined};
use crate::parameters::PageParameters;
use crate::problems;
use crate::requests::{DeclineReason, decline_form};
use crate::vocabulary::Language;

pub(crate) async fn decline<C: CeremonyApi>(
    State(routes): State<Shared<C>>,
    LinkToken(token): LinkToken,
    parameters: PageParameters,
    request: Request,
) -> Result<Response, Problem> {
    if is_form(request.headers()) {
        return Ok(by_form(&routes, &token, &parameters, request).await);
    }
    let link = find_open(&routes.api, &token).await?;
    let asked = routes.asked::<MaybeBody<DeclineReason>>(request).await?;
    Ok(Json(routes.api.decline(link, asked.0).await?).into_response())
}

/// A form is answered by a page, whatever the outcome: the link is closed once its signer has
/// declined.
async fn by_form<C: CeremonyApi>(
    routes: &CeremonyRoutes<C>,
    token: &str,
    parameters: &PageParameters,
    request: Request,
) -> Response {
    let mut language = parameters.page_language();
    let outcome = async {
        let link = find_open(&routes.api, token).await?;
        language.of_signer(&routes.api, &link)?;
        let form = routes.admission.read_any(request).await?;
        routes.api.decline(link, decline_form(&form.bytes)?).await
    };
    match outcome.await {
        Ok(_) => page_response(StatusCode::OK, declined(language.known())),
        Err(problem) => match problem.kind() {
            ProblemType::NOT_FOUND | problems::SIGNER_NOT_OPEN => {
                dead_link_page(&routes.api, token, problem.status(), language.known()).await
            }
            _ => refused(&problem, language.known(), token),
        },
    }
}

/// Returns true if the browser submits a form itself, as without scripts.
pub(crate) fn is_form(headers: &HeaderMap) -> bool {
    declares(headers, "application/x-www-form-urlencoded")
}

/// Page for a refused form, in the look of all pages.
pub(crate) fn refused(problem: &Problem, language: Option<Language>, token: &str) -> Response {
    let why: Sentence = match problem.kind() {
        ProblemType::FORBIDDEN => |texts| texts.decline_unproven,
        ProblemType::PAYLOAD_TOO_LARGE | ProblemType::VALIDATION_FAILED => {
            |texts| texts.reason_fault
        }
        ProblemType::REQUEST_TIMEOUT => |texts| texts.decline_not_sent,
        problems::SIGNING_IN_PROGRESS => |texts| texts.signature_under_way,
        _ => |texts| texts.service_fault,
    };
    page_response(problem.status(), not_declined(language, token, why))
}
