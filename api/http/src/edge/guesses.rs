//! Limit of wrong codes from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use http::StatusCode;

use super::admission::peer;
use crate::problem::{Problem, ProblemType};

/// Maximum number of invalid codes from one address within [`WINDOW`].
const WRONG_CODES: u32 = 10;
const WINDOW: Duration = Duration::from_secs(60);
/// Number of addresses from which on expired ones are dropped.
const MANY_ADDRESSES: usize = 4096;

/// A route that takes a pairing code, and answers 404 to an invalid one. After ten of these within
/// a minute, an address has to wait.
pub fn limit_guesses<S: Clone + Send + Sync + 'static>(route: MethodRouter<S>) -> MethodRouter<S> {
    route.route_layer(from_fn_with_state(Arc::<Guesses>::default(), limited))
}

async fn limited(State(guesses): State<Arc<Guesses>>, request: Request, next: Next) -> Response {
    let Some(address) = peer(request.extensions()) else {
        return next.run(request).await;
    };
    if let Some(seconds) = guesses.retry_after(address, Instant::now()) {
        let told = "Too many invalid pairing codes came from this address.";
        return Problem::new(ProblemType::RATE_LIMITED, told)
            .with_retry_after(seconds)
            .into_response();
    }
    // Counted before the result is known, so that concurrent guesses are not free.
    let mut guess = Guess::new(&guesses, address);
    let response = next.run(request).await;
    guess.is_wrong = response.status() == StatusCode::NOT_FOUND;
    response
}

/// A code, which counts while it is checked and afterwards if it is wrong. A request that breaks off
/// learns nothing, and does not count.
struct Guess<'a> {
    guesses: &'a Guesses,
    address: IpAddr,
    is_wrong: bool,
}

impl<'a> Guess<'a> {
    fn new(guesses: &'a Guesses, address: IpAddr) -> Self {
        guesses.note(address, Instant::now());
        Self {
            guesses,
            address,
            is_wrong: false,
        }
    }
}

impl Drop for Guess<'_> {
    fn drop(&mut self) {
        if !self.is_wrong {
            self.guesses.take_back(self.address);
        }
    }
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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn only_a_wrong_code_counts_in_the_end() {
        let guesses = Guesses::default();
        let (address, now) = (IpAddr::V4(Ipv4Addr::LOCALHOST), Instant::now());
        for is_wrong in [false, true] {
            for _ in 0..WRONG_CODES {
                let mut guess = Guess::new(&guesses, address);
                guess.is_wrong = is_wrong;
            }
            assert_eq!(guesses.retry_after(address, now).is_some(), is_wrong);
        }
    }

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
