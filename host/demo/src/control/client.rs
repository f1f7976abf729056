use std::time::Duration;

use reqwest::RequestBuilder;
use thiserror::Error;
use url::Url;
use uuid::Uuid;

use super::clock::{Advance, ClockState};
use crate::clock::WorldClock;

/// Time limit of one poll of the clock, in milliseconds.
const WAIT_MS: u64 = 30_000;
/// Longest call, a wait included.
const TIMEOUT: Duration = Duration::from_secs(45);
/// Pause after a failed poll. A restarted world answers before its host does, and by then its clock
/// must be followed. A move does not wait for hosts that the world does not know.
const AFTER_FAILURE: Duration = Duration::from_millis(50);

/// Client of the control of a world in another process.
#[derive(Clone, Debug)]
pub struct Control {
    http: reqwest::Client,
    /// URL of the clock.
    clock: Url,
}

/// Reason why a world was not controlled.
#[derive(Debug, Error)]
pub enum ControlError {
    /// The control's address is invalid.
    #[error("the address {address} of the demo world's control is not one")]
    Address {
        /// The given address.
        address: String,
        /// Cause.
        source: url::ParseError,
    },
    /// The HTTP client cannot be set up.
    #[error("the HTTP client cannot be made")]
    Client(#[source] reqwest::Error),
    /// There is no answer there, or an unexpected one.
    #[error("the demo world at {address} does not answer as one")]
    NoAnswer {
        /// URL of the call.
        address: Url,
        /// Cause.
        source: reqwest::Error,
    },
}

impl Control {
    /// The control at this address, the `control` of the world's
    /// [`Addresses`](crate::Addresses).
    ///
    /// # Errors
    /// [`ControlError::Address`] and [`ControlError::Client`].
    pub fn new(address: &str) -> Result<Self, ControlError> {
        let clock = Url::parse(&format!("{}/clock", address.trim_end_matches('/')));
        let clock = clock.map_err(|source| ControlError::Address {
            address: address.to_owned(),
            source,
        })?;
        let http = reqwest::Client::builder()
            .no_proxy()
            .timeout(TIMEOUT)
            .build()
            .map_err(ControlError::Client)?;
        Ok(Self { http, clock })
    }

    /// State of the world's clock.
    ///
    /// # Errors
    /// [`ControlError::NoAnswer`].
    pub async fn clock(&self) -> Result<ClockState, ControlError> {
        self.call(self.http.get(self.clock.clone())).await
    }

    /// Moves the clock on by whole seconds. Every host that follows it has
    /// moved when this returns.
    ///
    /// # Errors
    /// [`ControlError::NoAnswer`].
    pub async fn advance(&self, seconds: u32) -> Result<ClockState, ControlError> {
        let body = Advance {
            advance_seconds: seconds,
        };
        self.call(self.http.post(self.clock.clone()).json(&body))
            .await
    }

    /// Sets the clock back to the operating system's.
    ///
    /// # Errors
    /// [`ControlError::NoAnswer`].
    pub async fn reset(&self) -> Result<ClockState, ControlError> {
        self.call(self.http.delete(self.clock.clone())).await
    }

    /// Moves `clock` with the world's clock. While the world cannot be reached, `clock` keeps its
    /// offset.
    pub async fn follow(&self, clock: &WorldClock) {
        let follower = Uuid::new_v4();
        let mut is_reached = true;
        loop {
            let mut look = self.clock.clone();
            look.query_pairs_mut()
                .append_pair("follower", &follower.to_string())
                .append_pair("knownOffsetSeconds", &clock.offset().as_secs().to_string())
                .append_pair("waitMs", &WAIT_MS.to_string());
            match self.call(self.http.get(look)).await {
                Ok(state) => {
                    is_reached = true;
                    clock.set_offset(state.offset());
                }
                Err(error) => {
                    if std::mem::take(&mut is_reached) {
                        let error: &dyn std::error::Error = &error;
                        tracing::warn!(error, "the world's clock is not followed for now");
                    }
                    tokio::time::sleep(AFTER_FAILURE).await;
                }
            }
        }
    }

    async fn call(&self, request: RequestBuilder) -> Result<ClockState, ControlError> {
        let answer = async { request.send().await?.error_for_status()?.json().await };
        answer.await.map_err(|source| ControlError::NoAnswer {
            address: self.clock.clone(),
            // Its address would repeat ours.
            source: source.without_url(),
        })
    }
}
