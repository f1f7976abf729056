//! The log of register calls, with their callers and purposes.

use jiff::Timestamp;
use parafa_store::plain_table;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::accounts::KeyMode;
use crate::billing::{Amount, UsageItem};

/// A logged call for register data: caller, subject, purpose, and the digests of the
/// registers' answers. The answers themselves are not stored.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CallRow {
    /// The workspace.
    pub tenant: Uuid,
    /// Its id.
    pub id: Uuid,
    /// Time of the call.
    pub at: Timestamp,
    /// The key of the call.
    pub key: Uuid,
    /// Production or the sandbox.
    pub mode: KeyMode,
    /// The requested item.
    pub item: UsageItem,
    /// The code of the entity, or the unique number of the object.
    pub subject: String,
    /// The purpose given by the request.
    pub purpose: Option<String>,
    /// Outcome of the call.
    pub outcome: CallOutcome,
    /// SHA-256 of all the registers' answers, in lower-case hexadecimal and in the
    /// order of arrival, for every outcome of the call.
    pub raw_sha256: Vec<String>,
    /// The charge; zero if not billed.
    pub charged: Amount,
    /// The caller's reference: the id of the request, or of the order that it belongs
    /// to. `None` in rows of earlier programs.
    #[serde(default)]
    pub reference: Option<String>,
    /// Requested form of the answer; `None` where there is only one, and in rows of
    /// earlier programs.
    #[serde(default)]
    pub form: Option<CallForm>,
}

/// Requested form of an answer, on which its price depends.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct CallForm {
    /// Kind of signature.
    pub tier: Tier,
    /// The answer includes the interpretation.
    pub interpreted: bool,
}

/// Kinds of signature on an answer, with their names in the API.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Unsigned.
    Json,
    /// JAdES, level T.
    JadesT,
    /// JAdES, level LT.
    JadesLt,
    /// Packed in a signed container.
    Asice,
}

impl CallRow {
    /// Returns the reference in log and ledger; for rows of earlier programs, their
    /// id.
    #[must_use]
    pub fn reference_or_id(&self) -> String {
        let reference = self.reference.clone();
        reference.unwrap_or_else(|| self.id.to_string())
    }
}

/// Outcome of a call.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// The call was answered.
    Answered,
    /// The register has no data.
    NoData,
    /// No source is configured for the register.
    NotOffered,
    /// A register did not answer.
    UpstreamUnavailable,
    /// The answer could not be signed.
    SignatureUnavailable,
    /// The workspace could not be billed, before or after the registers were asked.
    PaymentRequired,
    /// The caller was gone before there was an answer.
    Abandoned,
    /// The service failed.
    Failed,
}

plain_table!(CallRow: "diligence_calls" by (Uuid, Uuid), |row| (row.tenant, row.id));

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::billing::UsageRow;

    #[test]
    fn rows_of_earlier_programs_are_read_and_have_one_reference_in_log_and_ledger() {
        let id = Uuid::from_u128(7);
        let call: CallRow = serde_json::from_value(json!({
            "tenant": Uuid::nil(), "id": id, "at": "2026-03-11T09:00:00Z",
            "key": Uuid::nil(), "mode": "live", "item": "cases", "subject": "999000009",
            "purpose": null, "outcome": "answered", "raw_sha256": [], "charged": 10,
        }))
        .unwrap();
        let usage: UsageRow = serde_json::from_value(json!({
            "tenant": Uuid::nil(), "id": Uuid::nil(), "at": "2026-03-11T09:00:00Z",
            "item": "cases", "reference": id, "amount": 10,
        }))
        .unwrap();
        assert_eq!(call.reference_or_id(), usage.reference);
        assert_eq!((call.form, usage.form), (None, None));
    }
}
