//! The calls of the app that talks to a signer's card.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use http::StatusCode;
use parafa_api_http::pages::page_response;
use parafa_api_http::{Problem, ProblemType, WholeBody};

use crate::api::CeremonyApi;
use crate::calls::{ANY, Asked, Link, OPEN, Shared, method_not_allowed};
use crate::page::{dead_link, pairing};
use crate::parameters::PageParameters;
use crate::requests::{CardSignature, CertificateSubmission, PairingCode};
use crate::{problems, views};

/// Maximum number of invalid codes from one address within [`WINDOW`].
const WRONG_CODES: u32 = 10;
const WINDOW: Duration = Duration::from_secs(60);
/// Number of addresses from which on expired ones are dropped.
const MANY_ADDRESSES: usize = 4096;

pub(crate) fn router<C: CeremonyApi>() -> Router<Shared<C>> {
    let calls_below = |base: &str| {
        Router::new()
            .route(&format!("{base}/certificate"), post(certificate::<C>))
            .route(&format!("{base}/complete"), post(complete::<C>))
            .method_not_allowed_fallback(method_not_allowed::<C, OPEN>)
    };
    Router::new()
        .route("/c/pair", get(pair_page::<C>))
        .route("/c/pairings", post(pair::<C>))
        .method_not_allowed_fallback(async || Problem::of(ProblemType::METHOD_NOT_ALLOWED))
        .layer(Extension(Arc::new(Guesses::default())))
        .merge(calls_below("/c/{token}/card"))
        .merge(calls_below("/c/card").layer(map_response(tell_dead_tokens)))
}

/// Addresses that guessed codes recently.
#[derive(Default)]
struct Guesses(Mutex<HashMap<IpAddr, (Instant, u32)>>);

impl Guesses {
    /// Seconds after which an address may try again; `None` if it may now.
    fn retry_after(&self, address: IpAddr, now: Instant) -> Option<u32> {
        let guesses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, count) = guesses.get(&address)?;
        let left = WINDOW.checked_sub(now.duration_since(*since))?;
        if left.is_zero() {
            return None;
        }
        let seconds = u32::try_from(left.as_secs()).unwrap_or(u32::MAX).max(1);
        (*count >= WRONG_CODES).then_some(seconds)
    }

    fn note(&self, address: IpAddr, now: Instant) {
        let mut guesses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |since: Instant| now.duration_since(since) >= WINDOW;
        if guesses.len() >= MANY_ADDRESSES {
            guesses.retain(|_, (since, _)| !is_over(*since));
        }
        let (since, count) = guesses.entry(address).or_insert((now, 0));
        if is_over(*since) {
            (*since, *count) = (now, 0);
        }
        *count += 1;
    }

    /// The last one was no guess.
    fn take_back(&self, address: IpAddr) {
        let mut guesses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, count)) = guesses.get_mut(&address) {
            *count = count.saturating_sub(1);
        }
    }
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
    Extension(guesses): Extension<Arc<Guesses>>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    request: Request,
) -> Result<Json<views::PairedCard>, Problem> {
    let address = peer.map(|Extension(ConnectInfo(peer))| peer.ip());
    if let Some(address) = address
        && let Some(seconds) = guesses.retry_after(address, Instant::now())
    {
        let told = "Too many invalid pairing codes came from this address.";
        return Err(Problem::new(ProblemType::RATE_LIMITED, told).with_retry_after(seconds));
    }
    let PairingCode(code) = routes.asked::<WholeBody<PairingCode>>(request).await?;
    // Counted before the result is known, so that concurrent guesses are not free.
    if let Some(address) = address {
        guesses.note(address, Instant::now());
    }
    let paired = routes.api.pair(&code).await;
    if let (Ok(_), Some(address)) = (&paired, address) {
        guesses.take_back(address);
    }
    paired.map(Json)
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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn an_address_guesses_a_few_codes_a_minute() {
        let guesses = Guesses::default();
        let (address, now) = (IpAddr::V4(Ipv4Addr::LOCALHOST), Instant::now());
        for _ in 0..WRONG_CODES {
            assert_eq!(guesses.retry_after(address, now), None);
            guesses.note(address, now);
        }

        assert_eq!(guesses.retry_after(address, now), Some(60));
        let other = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        assert_eq!(guesses.retry_after(other, now), None);
        assert_eq!(guesses.retry_after(address, now + WINDOW), None);
        guesses.note(address, now + WINDOW);
        assert_eq!(guesses.retry_after(address, now + WINDOW), None);
    }
}
