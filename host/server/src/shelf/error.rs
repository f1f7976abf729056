use std::io;
use std::path::PathBuf;

use parafa_plugin_host::{AdmissionError, InstallError, PluginDigest};

use super::publisher::InvalidKey;

/// Why a plugin is not installed, disabled or rolled back to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShelfError {
    #[error("{} cannot be read", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} is not a file", .0.display())]
    NoFile(PathBuf),
    #[error("{} was changed", .0.display())]
    Changed(PathBuf),
    #[error("the component {0} was not kept")]
    NotKept(PluginDigest),
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
    #[error(
        "the signature {} is missing: the plugin was installed before signatures were kept, or somebody removed it; install it again with its WASM.sig, or roll back",
        .0.display()
    )]
    SignatureNotKept(PathBuf),
    #[error("the signature {} does not fit: {reason}", path.display())]
    BadSignature { path: PathBuf, reason: &'static str },
    #[error("the publisher {publisher} is not trusted: `parafa plugin trust FILE.pub` makes it so")]
    UntrustedPublisher { publisher: String },
    #[error(
        "the publisher {publisher} is trusted, but not for {id}: `parafa plugin trust FILE.pub --for {id}` makes it so"
    )]
    TrustedForOthers { publisher: String, id: String },
    #[error(
        "the plugin {id} was published by {before}, and this one by {now}: `--replace-publisher` takes it all the same"
    )]
    OtherPublisher {
        id: String,
        before: String,
        now: String,
    },
    #[error(
        "the publisher {0} is trusted for every format: `parafa plugin untrust {0}` first, then trust it for fewer"
    )]
    TrustedForAll(String),
    #[error("{0} is no trusted publisher: one is named by its key's SHA-256 or file")]
    UnknownPublisher(String),
    #[error(transparent)]
    Key(#[from] InvalidKey),
    #[error("{} is not admitted", path.display())]
    NotAdmitted {
        path: PathBuf,
        source: Box<AdmissionError>,
    },
    #[error("{} is a plugin for {is}, not for {id}", path.display())]
    OtherFormat {
        path: PathBuf,
        id: String,
        is: String,
    },
    #[error("the plugin fails {failed} of the checks for its format, such as {named}")]
    FailsSelfTest { failed: usize, named: String },
    #[error(
        "the plugin is not through with the checks for its format within {seconds} seconds: it is too slow, or this server has too much to do at the moment"
    )]
    SlowSelfTest { seconds: u64 },
    #[error(transparent)]
    Conflict(#[from] InstallError),
    #[error("there is no plugin {0}; `parafa plugin list` shows them")]
    UnknownFormat(String),
    #[error(
        "the plugin {id} of the program is broken: {reason}; `parafa plugin install` takes another"
    )]
    Broken { id: String, reason: String },
    #[error("the plugin {0} is disabled already; `parafa plugin rollback` or `install` enable it")]
    DisabledAlready(String),
    #[error("the plugin {0} has no earlier version to go back to")]
    NothingToRollBack(String),
    #[error(
        "no earlier version of the plugin {id} can be gone back to: {}; `parafa plugin install` takes another, `parafa plugin rollback {id} --enable` also one that is disabled",
        passed.join(", ")
    )]
    NoneUsable { id: String, passed: Vec<String> },
    #[error("the plugins cannot be worked with")]
    Fault(#[source] anyhow::Error),
}

impl ShelfError {
    /// Whether it lies with what was asked for.
    pub(crate) fn is_refusal(&self) -> bool {
        !matches!(self, Self::Fault(_))
    }

    /// Whether the demo takes a component in spite of it.
    pub(super) fn is_want_of_trust(&self) -> bool {
        matches!(
            self,
            Self::Unsigned { .. } | Self::UntrustedPublisher { .. } | Self::TrustedForOthers { .. }
        )
    }
}

impl From<anyhow::Error> for ShelfError {
    fn from(error: anyhow::Error) -> Self {
        Self::Fault(error)
    }
}

/// An error with everything that it comes from.
pub(super) fn reasons(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(Some(error), |&error| error.source());
    let sources: Vec<String> = sources.map(ToString::to_string).collect();
    sources.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_error_comes_from_is_said_once() {
        let unreadable = ShelfError::Unreadable {
            path: "my.wasm".into(),
            source: io::Error::other("the disk is gone"),
        };

        assert_eq!(
            reasons(&unreadable),
            "my.wasm cannot be read: the disk is gone"
        );
    }
}
