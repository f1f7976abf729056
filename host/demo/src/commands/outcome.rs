//! Outcomes of commands.

use serde_json::Value;
use thiserror::Error;
use url::Url;

use crate::control::ControlError;

/// Output of a command.
#[derive(Clone, Debug)]
pub struct Told {
    /// Output for programs.
    pub value: Value,
    /// Output for people.
    pub line: String,
}

/// Reason why a command failed.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The command is not possible, or a service refuses it; a sentence, in the service's own words
    /// if it has some.
    #[error("{0}")]
    Refused(String),
    /// There is no answer.
    #[error("{address} does not answer")]
    NoAnswer {
        /// URL of the call.
        address: Url,
        /// Cause.
        source: reqwest::Error,
    },
    /// The world's clock is not moved.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The HTTP client cannot be set up.
    #[error("the HTTP client cannot be made")]
    Client(#[source] reqwest::Error),
    /// An address is invalid.
    #[error("the address {address} is not one")]
    Address {
        /// The given address.
        address: String,
        /// Cause.
        source: url::ParseError,
    },
    /// An answer or the world lacks something.
    #[error("{0}")]
    Incomplete(String),
}

impl CommandError {
    /// Returns true if the command may succeed with other arguments, or once a service runs.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Refused(_) | Self::NoAnswer { .. } | Self::Control(_)
        )
    }
}
