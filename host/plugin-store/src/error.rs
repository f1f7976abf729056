use std::io;
use std::path::PathBuf;

use parafa_platform::PlatformError;
use parafa_plugin_host::{AdmissionError, InstallError, PluginDigest};
use parafa_publisher::InvalidKey;
use parafa_store::StoreError;

/// Errors of installing, disabling and rolling back plugins.
#[derive(Debug, thiserror::Error)]
pub enum PluginStoreError {
    /// A file cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The path is a folder or a device.
    #[error("{} is not a file", .0.display())]
    NoFile(PathBuf),
    /// The component has changed since its installation.
    #[error("{} was changed", .0.display())]
    Changed(PathBuf),
    /// The component of a known version is missing.
    #[error("the component {0} could not be stored")]
    NotKept(PluginDigest),
    /// A file is longer than it may be.
    #[error("{} is longer than {limit} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its greatest length, in bytes.
        limit: u64,
    },
    /// A component has no signature.
    #[error(
        "{} has no signature {}: its publisher makes one with `parafa plugin sign`",
        component.display(), signature.display()
    )]
    Unsigned {
        /// The component.
        component: PathBuf,
        /// The expected path of its signature.
        signature: PathBuf,
    },
    /// The signature of an installed component is missing.
    #[error(
        "the signature {} is missing: the plugin was installed before signatures were kept, or somebody removed it; install it again with its WASM.sig, or roll back",
        .0.display()
    )]
    SignatureNotKept(PathBuf),
    /// A signature does not verify.
    #[error("the signature {} is not valid: {reason}", path.display())]
    BadSignature {
        /// Its file.
        path: PathBuf,
        /// The defect.
        reason: &'static str,
    },
    /// The component's publisher is not trusted.
    #[error("the publisher {publisher} is not trusted: `parafa plugin trust FILE.pub` adds it")]
    UntrustedPublisher {
        /// The key's name.
        publisher: String,
    },
    /// The publisher is trusted for other formats.
    #[error(
        "the publisher {publisher} is trusted, but not for {id}: `parafa plugin trust FILE.pub --for {id}` adds that"
    )]
    TrustedForOthers {
        /// The key's name.
        publisher: String,
        /// The format.
        id: String,
    },
    /// The last version of the format has another publisher.
    #[error(
        "the plugin {id} was published by {before}, and this one by {now}: `--replace-publisher` allows the change"
    )]
    OtherPublisher {
        /// The format.
        id: String,
        /// The publisher of the last version.
        before: String,
        /// The publisher of this version.
        now: String,
    },
    /// The publisher is trusted for all formats, so it cannot be limited to fewer.
    #[error(
        "the publisher {0} is trusted for every format: `parafa plugin untrust {0}` first, then trust it for fewer"
    )]
    TrustedForAll(String),
    /// No trusted publisher has this name.
    #[error("{0} is not a trusted publisher: name the file or the SHA-256 of its key")]
    UnknownPublisher(String),
    /// The file does not contain a key.
    #[error(transparent)]
    Key(#[from] InvalidKey),
    /// The component is not a loadable plugin.
    #[error("{} is not admitted", path.display())]
    NotAdmitted {
        /// Its file.
        path: PathBuf,
        /// The reason.
        source: Box<AdmissionError>,
    },
    /// The component is a plugin of another format than before.
    #[error("{} is a plugin for {is}, not for {id}", path.display())]
    OtherFormat {
        /// Its file.
        path: PathBuf,
        /// The format that it was of.
        id: String,
        /// Its own format.
        is: String,
    },
    /// A plugin fails checks for its format.
    #[error("the plugin fails {failed} of the checks for its format, such as {named}")]
    FailsSelfTest {
        /// The number of failed checks.
        failed: usize,
        /// Some of the failed checks.
        named: String,
    },
    /// A plugin takes too long for the checks of its format.
    #[error(
        "the plugin did not finish the checks for its format within {seconds} seconds: it is too slow, or this server is busy"
    )]
    SlowSelfTest {
        /// The time limit.
        seconds: u64,
    },
    /// Another plugin accepts the same media type or extension.
    #[error(transparent)]
    Conflict(#[from] InstallError),
    /// No plugin of this format exists.
    #[error("there is no plugin {0}; `parafa plugin list` shows them")]
    UnknownFormat(String),
    /// The plugin shipped with the program cannot be loaded.
    #[error(
        "the plugin {id} of the program is broken: {reason}; install another with `parafa plugin install`"
    )]
    Broken {
        /// The format.
        id: String,
        /// The reason.
        reason: String,
    },
    /// The plugin of the format is disabled.
    #[error("the plugin {0} is disabled already; `parafa plugin rollback` or `install` enable it")]
    DisabledAlready(String),
    /// There is no earlier version.
    #[error("the plugin {0} has no earlier version to go back to")]
    NothingToRollBack(String),
    /// None of the earlier versions can be used.
    #[error(
        "no earlier version of the plugin {id} can be activated: {}; install another with `parafa plugin install`, or activate a disabled one with `parafa plugin rollback {id} --enable`",
        passed.join(", ")
    )]
    NoneUsable {
        /// The format.
        id: String,
        /// The versions, with the reason against each.
        passed: Vec<String>,
    },
    /// A fault that the request did not cause.
    #[error("the plugins cannot be used")]
    Fault(#[source] anyhow::Error),
}

impl PluginStoreError {
    /// Returns true if the request is at fault.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        !matches!(self, Self::Fault(_))
    }

    /// Returns true if the demo accepts a component despite this error.
    pub(crate) fn is_missing_trust(&self) -> bool {
        matches!(
            self,
            Self::Unsigned { .. } | Self::UntrustedPublisher { .. } | Self::TrustedForOthers { .. }
        )
    }
}

impl From<StoreError> for PluginStoreError {
    fn from(error: StoreError) -> Self {
        Self::Fault(error.into())
    }
}

impl From<PlatformError> for PluginStoreError {
    fn from(error: PlatformError) -> Self {
        Self::Fault(error.into())
    }
}

impl From<anyhow::Error> for PluginStoreError {
    fn from(error: anyhow::Error) -> Self {
        Self::Fault(error)
    }
}

#[cfg(test)]
mod tests {
    use parafa_platform::reasons;

    use super::*;

    #[test]
    fn what_an_error_comes_from_is_said_once() {
        let unreadable = PluginStoreError::Unreadable {
            path: "my.wasm".into(),
            source: io::Error::other("the disk is gone"),
        };

        assert_eq!(
            reasons(&unreadable),
            "my.wasm cannot be read: the disk is gone"
        );
    }
}
