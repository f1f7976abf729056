//! The calls of the app that talks to a signer's card.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use http::header::AUTHORIZATION;
use http::{HeaderMap, StatusCode};
use parafa_api_http::pages::page_response;
use parafa_api_http::{Problem, ProblemType};

use crate::api::CeremonyApi;
use crate::page::pairing;
use crate::parameters::Parameters;
use crate::requests::CardSignature;
use crate::routes::{CeremonyRoutes, LinkToken, find_open, require_json, whole};
use crate::{problems, requests, views};

/// Codes that lead nowhere, from one address within [`WINDOW`].
const WRONG_CODES: u32 = 10;
const WINDOW: Duration = Duration::from_secs(60);
/// From how many addresses on those that may guess again are forgotten.
const MANY_ADDRESSES: usize = 4096;

pub(crate) const CERTIFICATE: &str = "/c/{token}/card/certificate";
pub(crate) const COMPLETE: &str = "/c/{token}/card/complete";

pub(crate) fn router<C: CeremonyApi>() -> Router<CeremonyRoutes<C>> {
    Router::new()
        .route("/c/pair", get(pair_page))
        .route("/c/pairings", post(pair::<C>))
        .route("/c/card/certificate", post(paired_certificate::<C>))
        .route("/c/card/complete", post(paired_complete::<C>))
        .route(CERTIFICATE, post(certificate::<C>))
        .route(COMPLETE, post(complete::<C>))
        .layer(Extension(Arc::new(Guesses::default())))
}

/// Who has guessed codes of late.
#[derive(Default)]
struct Guesses(Mutex<HashMap<IpAddr, (Instant, u32)>>);

impl Guesses {
    /// Seconds after which an address may try again; none if it may now.
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

/// What a browser shows of the address that the app is to open.
async fn pair_page(parameters: Parameters) -> Response {
    let code = parameters.0.first("code").unwrap_or_default();
    let page = pairing(parameters.page_language().known(), code);
    page_response(StatusCode::OK, page)
}

async fn pair<C: CeremonyApi>(
    State(routes): State<CeremonyRoutes<C>>,
    Extension(guesses): Extension<Arc<Guesses>>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    parameters: Parameters,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<views::PairedCard>, Problem> {
    let address = peer.map(|Extension(ConnectInfo(peer))| peer.ip());
    if let Some(address) = address
        && let Some(seconds) = guesses.retry_after(address, Instant::now())
    {
        let told = "Too many codes from this address lead nowhere.";
        return Err(Problem::new(ProblemType::RATE_LIMITED, told).with_retry_after(seconds));
    }
    require_json(&headers)?;
    let code = requests::pairing(&whole(body).await?, &parameters.0)?;
    // Noted before it is known, so that many at the same time are not free.
    if let Some(address) = address {
        guesses.note(address, Instant::now());
    }
    let paired = routes.api.pair(&code).await;
    if let (Ok(_), Some(address)) = (&paired, address) {
        guesses.take_back(address);
    }
    paired.map(Json)
}

async fn paired_certificate<C: CeremonyApi>(
    State(routes): State<CeremonyRoutes<C>>,
    parameters: Parameters,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<views::CardRequest>, Problem> {
    let link = paired(&*routes.api, &headers).await?;
    let taken = take_certificate(&*routes.api, link, &parameters, &headers, body).await;
    taken.map_err(of_token)
}

async fn paired_complete<C: CeremonyApi>(
    State(routes): State<CeremonyRoutes<C>>,
    parameters: Parameters,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<views::Attempt>, Problem> {
    let link = paired(&*routes.api, &headers).await?;
    let taken = take_signature(&*routes.api, link, &parameters, &headers, body).await;
    taken.map_err(of_token)
}

async fn certificate<C: CeremonyApi>(
    State(routes): State<CeremonyRoutes<C>>,
    LinkToken(token): LinkToken,
    parameters: Parameters,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<views::CardRequest>, Problem> {
    let link = find_open(&*routes.api, &token).await?;
    take_certificate(&*routes.api, link, &parameters, &headers, body).await
}

async fn complete<C: CeremonyApi>(
    State(routes): State<CeremonyRoutes<C>>,
    LinkToken(token): LinkToken,
    parameters: Parameters,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<views::Attempt>, Problem> {
    // What it ended with may be sent again when the signature is there.
    let link = routes.api.find(&token).await?;
    take_signature(&*routes.api, link, &parameters, &headers, body).await
}

/// Where the token of an app leads.
async fn paired<C: CeremonyApi>(api: &C, headers: &HeaderMap) -> Result<C::Link, Problem> {
    let value = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let token = value.and_then(|value| value.split_once(' '));
    let token = token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let (_, token) = token.ok_or_else(unauthorized)?;
    api.find_paired(token.trim()).await.map_err(of_token)
}

fn unauthorized() -> Problem {
    Problem::new(
        ProblemType::UNAUTHORIZED,
        "The card token is missing, or its attempt is over.",
    )
    .with_header("www-authenticate", "Bearer")
}

/// What has ended is not there for its token any more.
fn of_token(problem: Problem) -> Problem {
    match problem.kind() {
        kind if kind == ProblemType::NOT_FOUND => unauthorized(),
        _ => problem,
    }
}

async fn take_certificate<C: CeremonyApi>(
    api: &C,
    link: C::Link,
    parameters: &Parameters,
    headers: &HeaderMap,
    body: Body,
) -> Result<Json<views::CardRequest>, Problem> {
    let body = json(headers, body).await?;
    let der =
        requests::card_certificate(&body, &parameters.0).map_err(|problem| refused(&problem))?;
    api.card_certificate(link, der).await.map(Json)
}

async fn take_signature<C: CeremonyApi>(
    api: &C,
    link: C::Link,
    parameters: &Parameters,
    headers: &HeaderMap,
    body: Body,
) -> Result<Json<views::Attempt>, Problem> {
    let body = json(headers, body).await?;
    let signature: CardSignature =
        requests::card_complete(&body, &parameters.0).map_err(|problem| refused(&problem))?;
    api.card_complete(link, signature).await.map(Json)
}

async fn json(headers: &HeaderMap, body: Body) -> Result<Bytes, Problem> {
    require_json(headers)?;
    whole(body).await
}

/// Whatever is wrong with what an app sends has one status.
fn refused(problem: &Problem) -> Problem {
    let (detail, errors) = (problem.detail(), problem.errors());
    Problem::new(problems::CARD_REFUSED, detail).with_errors(errors.to_vec())
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
