use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{AttemptId, Language, MethodSet, SignerId, SigningMethod};

/// Role of a party.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignerRole {
    /// Signs.
    #[default]
    Signer,
    /// Recorded only: never invited, never delays completion.
    Viewer,
}

/// Status of a party.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignerStatus {
    /// The ceremony ended before this party signed.
    Cancelled,
    /// Declined.
    Declined,
    /// The deadline passed first.
    Expired,
    /// Can sign now.
    Pending,
    /// A viewer.
    Recorded,
    /// Signed.
    Signed,
    /// A sandbox completion without a signature.
    Simulated,
    /// Waits for their turn in a sequential ceremony.
    Waiting,
}

impl SignerStatus {
    /// Returns true if the party may still sign, now or later.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Waiting)
    }
}

impl fmt::Display for SignerStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancelled => "cancelled",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::Pending => "pending",
            Self::Recorded => "recorded",
            Self::Signed => "signed",
            Self::Simulated => "simulated",
            Self::Waiting => "waiting",
        })
    }
}

/// A party to be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NewSigner {
    /// Its id.
    pub id: SignerId,
    /// Signs or is recorded.
    pub role: SignerRole,
    /// Language of page and mail; `None` if the party's language is unknown.
    pub language: Option<Language>,
    /// Methods that may be used; ignored for a viewer.
    pub methods: MethodSet,
    /// True if only the holder of a certain personal code may sign.
    pub identity_locked: bool,
}

/// A party of a ceremony.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Signer {
    /// Its id.
    pub id: SignerId,
    /// Signs or is recorded.
    pub role: SignerRole,
    /// Language of page and mail; `None` if the party's language is unknown.
    pub language: Option<Language>,
    /// Status.
    pub status: SignerStatus,
    /// Methods that may be used; empty for a viewer.
    pub methods: MethodSet,
    /// True if only the holder of a certain personal code may sign.
    pub identity_locked: bool,
    /// True if a real signature matched the lock.
    pub identity_matched: Option<bool>,
    /// Time of signing.
    pub signed_at: Option<Timestamp>,
    /// Time of declining.
    pub declined_at: Option<Timestamp>,
    /// Time of a simulated sandbox completion.
    pub simulated_at: Option<Timestamp>,
    /// The method of the real signature.
    pub actual_method: Option<SigningMethod>,
    /// The newest attempt, running or ended.
    pub attempt: Option<AttemptId>,
    /// Start times of the attempts of the last hour.
    pub attempts_started: Vec<Timestamp>,
    /// Time of the last reminder.
    pub reminded_at: Option<Timestamp>,
}

impl Signer {
    /// Initial language of pages.
    #[must_use]
    pub fn page_language(&self) -> Language {
        self.language.unwrap_or_default()
    }

    pub(super) fn new(new: NewSigner, status: SignerStatus) -> Self {
        let methods = match new.role {
            SignerRole::Signer => new.methods,
            SignerRole::Viewer => MethodSet::default(),
        };
        Self {
            id: new.id,
            role: new.role,
            language: new.language,
            status,
            methods,
            identity_locked: new.identity_locked,
            identity_matched: None,
            signed_at: None,
            declined_at: None,
            simulated_at: None,
            actual_method: None,
            attempt: None,
            attempts_started: Vec::new(),
            reminded_at: None,
        }
    }
}
