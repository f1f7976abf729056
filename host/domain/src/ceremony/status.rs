use std::fmt;

use serde::{Deserialize, Serialize};

/// The order in which signers may sign.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SigningOrder {
    /// In any order.
    #[default]
    Parallel,
    /// One after the other, as listed.
    Sequential,
}

/// Status of a ceremony.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CeremonyStatus {
    /// Retracted by the caller.
    Cancelled,
    /// Every signer signed.
    Completed,
    /// A party declined and no other can still sign.
    Declined,
    /// The window closed first.
    Expired,
    /// The ceremony could not be prepared.
    Failed,
    /// At least one signer can still sign.
    Pending,
}

impl CeremonyStatus {
    /// Returns true if the status is final.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        self != Self::Pending
    }
}

impl fmt::Display for CeremonyStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancelled => "cancelled",
            Self::Completed => "completed",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::Failed => "failed",
            Self::Pending => "pending",
        })
    }
}

/// Mode of completion of a ceremony.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompletionMode {
    /// Signed by people with their eID.
    QesCeremony,
    /// Completed by the sandbox, without a signature.
    SandboxSimulation,
}
