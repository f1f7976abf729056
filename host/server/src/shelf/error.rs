use std::io;
use std::path::PathBuf;

use parafa_plugin_host::{AdmissionError, InstallError};

use super::publisher::InvalidKey;
use super::state::NothingToRollBack;

/// Why a plugin is not installed, disabled or rolled back to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShelfError {
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} is longer than {limit} bytes", path.display())]
    TooLong { path: PathBuf, limit: u64 },
    #[error(
        "{} has no signature {}: its publisher makes one with `parafa plugin sign`",
        component.display(), signature.display()
    )]
    Unsigned {
        component: PathBuf,
        signature: PathBuf,
    },
    #[error("the signature {} does not fit: {reason}", path.display())]
    BadSignature { path: PathBuf, reason: &'static str },
    #[error("the publisher {publisher} is not trusted: `parafa plugin trust FILE.pub` makes it so")]
    UntrustedPublisher { publisher: String },
    #[error(transparent)]
    Key(#[from] InvalidKey),
    #[error("{} is not admitted: {}", path.display(), reasons(source))]
    NotAdmitted {
        path: PathBuf,
        source: Box<AdmissionError>,
    },
    #[error("the plugin fails {failed} of the checks for its format, such as {named}")]
    FailsSelfTest { failed: usize, named: String },
    #[error(transparent)]
    Conflict(#[from] InstallError),
    #[error("there is no plugin {0}; `parafa plugin list` shows them")]
    UnknownFormat(String),
    #[error("the plugin {0} is disabled already; `parafa plugin rollback` or `install` enable it")]
    DisabledAlready(String),
    #[error(transparent)]
    NothingToRollBack(#[from] NothingToRollBack),
    #[error("the plugins cannot be worked with")]
    Fault(#[source] anyhow::Error),
}

impl ShelfError {
    /// Whether it lies with what was asked for.
    pub(crate) fn is_refusal(&self) -> bool {
        !matches!(self, Self::Fault(_))
    }
}

impl From<anyhow::Error> for ShelfError {
    fn from(error: anyhow::Error) -> Self {
        Self::Fault(error)
    }
}

/// An error with everything that it comes from.
fn reasons(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(Some(error), |&error| error.source());
    let sources: Vec<String> = sources.map(ToString::to_string).collect();
    sources.join(": ")
}
