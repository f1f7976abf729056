//! Capabilities of plugins.

use std::fmt;

use parafa_catalogue::Operation;

/// A capability of a plugin beside `describe`; each is a world of the contract.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Capability {
    /// Raises signatures to an archival level.
    Archive,
    /// Makes a document of files.
    Compose,
    /// Lists and extracts the files in a document.
    Contents,
    /// Replaces fillable content by read-only content.
    Flatten,
    /// Reports the type of a document and whether it may be signed.
    Inspect,
    /// Makes the sandbox's unsigned artifact.
    Rehearse,
    /// Adds a signature.
    Sign,
    /// Gives evidence about the signatures of a document.
    Verify,
}

impl Capability {
    /// All capabilities.
    pub const ALL: [Self; 8] = [
        Self::Archive,
        Self::Compose,
        Self::Contents,
        Self::Flatten,
        Self::Inspect,
        Self::Rehearse,
        Self::Sign,
        Self::Verify,
    ];

    /// Capabilities whose outputs the host checks by `verify`.
    pub(crate) const PROVED_BY_VERIFY: [Self; 4] =
        [Self::Archive, Self::Flatten, Self::Rehearse, Self::Sign];

    /// Returns the world's name.
    #[must_use]
    pub fn world(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Compose => "compose",
            Self::Contents => "contents",
            Self::Flatten => "flatten",
            Self::Inspect => "inspect",
            Self::Rehearse => "rehearse",
            Self::Sign => "sign",
            Self::Verify => "verify",
        }
    }

    /// Returns the plugin's activity, in words that follow "it can".
    #[must_use]
    pub fn verb_phrase(self) -> &'static str {
        match self {
            Self::Archive => "raise signatures to a long-term level",
            Self::Compose => "make containers of files",
            Self::Contents => "list what a document contains",
            Self::Flatten => "flatten documents",
            Self::Inspect => "inspect documents",
            Self::Rehearse => "make unsigned copies",
            Self::Sign => "sign documents",
            Self::Verify => "verify signatures",
        }
    }

    /// Returns the operation whose abilities a plugin describes, if it is one.
    #[must_use]
    pub fn operation(self) -> Option<Operation> {
        match self {
            Self::Archive => Some(Operation::Archive),
            Self::Flatten => Some(Operation::Flatten),
            Self::Rehearse => Some(Operation::Rehearse),
            Self::Sign => Some(Operation::Sign),
            Self::Compose | Self::Contents | Self::Inspect | Self::Verify => None,
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.world())
    }
}
