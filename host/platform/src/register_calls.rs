//! The log of what registers were asked, for whom and what for.

use jiff::Timestamp;
use parafa_store::plain_table;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::accounts::KeyMode;
use crate::billing::{Amount, UsageItem};

/// A call for register data, as it is accounted for: who asked what, what for, and the
/// digests of what registers answered. What they answered is not kept.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CallRow {
    /// The workspace.
    pub tenant: Uuid,
    /// Its id.
    pub id: Uuid,
    /// When.
    pub at: Timestamp,
    /// The key that it was made with.
    pub key: Uuid,
    /// Whether production or the sandbox was meant.
    pub mode: KeyMode,
    /// What was asked.
    pub item: UsageItem,
    /// The code of the entity, or the unique number of the object.
    pub subject: String,
    /// What for, as the request names it.
    pub purpose: Option<String>,
    /// What became of it.
    pub outcome: CallOutcome,
    /// SHA-256 of the registers' answers, in lower-case hexadecimal digits and in
    /// the order in which they came: of all that there were, whatever became of
    /// the call.
    pub raw_sha256: Vec<String>,
    /// What was charged; nothing for what is not billed.
    pub charged: Amount,
    /// What the caller knows the call by: the request's id, or that of the order
    /// that it belongs to. Rows of earlier programs have none.
    #[serde(default)]
    pub reference: Option<String>,
    /// In which form an answer was asked for; none where there is but one, and in
    /// rows of earlier programs.
    #[serde(default)]
    pub form: Option<CallForm>,
}

/// The form in which an answer is asked for, which its price depends on.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct CallForm {
    /// How it is signed.
    pub tier: Tier,
    /// Whether with the interpretation.
    pub interpreted: bool,
}

/// How an answer is signed, by the names of the interface.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Not at all.
    Json,
    /// JAdES, level T.
    JadesT,
    /// JAdES, level LT.
    JadesLt,
    /// Packed in a signed container.
    Asice,
}

impl CallRow {
    /// What log and ledger name it by: of rows of earlier programs, their id.
    #[must_use]
    pub fn reference_or_id(&self) -> String {
        let reference = self.reference.clone();
        reference.unwrap_or_else(|| self.id.to_string())
    }
}

/// What became of a call.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// It was answered.
    Answered,
    /// The register holds nothing.
    NoData,
    /// No source is set up for the register.
    NotOffered,
    /// A register did not answer.
    UpstreamUnavailable,
    /// The answer could not be signed.
    SignatureUnavailable,
    /// The workspace could not be billed, before registers were asked or after.
    PaymentRequired,
    /// Its caller was gone before there was an answer.
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
