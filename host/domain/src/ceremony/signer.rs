use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{AttemptId, Language, MethodSet, SignerId, SigningMethod};

/// What a party is for.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignerRole {
    /// Signs.
    #[default]
    Signer,
    /// Is recorded only: never invited, never holds up completion.
    Viewer,
}

/// Where a party stands.
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
    /// Whether the party may still sign, now or later.
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
    /// Language of page and mail; none where nobody has said which the party knows.
    pub language: Option<Language>,
    /// Methods that may be used; ignored for a viewer.
    pub methods: MethodSet,
    /// Whether only the holder of a certain personal code may sign.
    pub identity_locked: bool,
}

/// A party of a ceremony.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Signer {
    /// Its id.
    pub id: SignerId,
    /// Signs or is recorded.
    pub role: SignerRole,
    /// Language of page and mail; none where nobody has said which the party knows.
    pub language: Option<Language>,
    /// Where it stands.
    pub status: SignerStatus,
    /// Methods that may be used; empty for a viewer.
    pub methods: MethodSet,
    /// Whether only the holder of a certain personal code may sign.
    pub identity_locked: bool,
    /// Whether the lock was met by a real signature.
    pub identity_matched: Option<bool>,
    /// When it signed.
    pub signed_at: Option<Timestamp>,
    /// When it declined.
    pub declined_at: Option<Timestamp>,
    /// When a sandbox completion was simulated.
    pub simulated_at: Option<Timestamp>,
    /// The method of the real signature.
    pub actual_method: Option<SigningMethod>,
    /// The newest attempt, running or ended.
    pub attempt: Option<AttemptId>,
    /// When the attempts of the last hour were started.
    pub attempts_started: Vec<Timestamp>,
    /// When the last reminder went out.
    pub reminded_at: Option<Timestamp>,
}

impl Signer {
    /// In which language pages begin.
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
