//! What comes of a command.

use serde_json::Value;
use thiserror::Error;
use url::Url;

use crate::control::ControlError;

/// What came of a command.
#[derive(Clone, Debug)]
pub struct Told {
    /// For programs.
    pub value: Value,
    /// For people.
    pub line: String,
}

/// Why a command did not do what it was asked.
#[derive(Debug, Error)]
pub enum CommandError {
    /// It cannot be done as it was asked, or a service refuses it; a sentence,
    /// in the service's own words where it has some.
    #[error("{0}")]
    Refused(String),
    /// Nobody answers.
    #[error("{address} does not answer")]
    NoAnswer {
        /// Where it was asked.
        address: Url,
        /// What went wrong.
        source: reqwest::Error,
    },
    /// The world's clock is not moved.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// There is no HTTP client.
    #[error("the HTTP client cannot be made")]
    Client(#[source] reqwest::Error),
    /// An address is none.
    #[error("the address {address} is not one")]
    Address {
        /// What was given.
        address: String,
        /// What is wrong with it.
        source: url::ParseError,
    },
    /// An answer or the world lacks something.
    #[error("{0}")]
    Incomplete(String),
}

impl CommandError {
    /// Whether it may go well when something else is asked for, or a service
    /// runs.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Refused(_) | Self::NoAnswer { .. } | Self::Control(_)
        )
    }
}
