//! Charges of a workspace, and its calls for register data.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::diligence::exported;
use crate::signing_api::account::text;
use crate::support::demo::Demo;

/// The operator's exports about the workspace, oldest line first.
#[derive(Deserialize, Serialize)]
pub(super) struct Ledger {
    usage: Vec<Value>,
    calls: Vec<Value>,
}

impl Ledger {
    pub(super) fn of(demo: &Demo) -> Self {
        Self {
            usage: exported(demo, "usage", &[]),
            calls: exported(demo, "calls", &[]),
        }
    }

    /// Asserts that nothing of it has changed. Work in progress may have added
    /// to it since.
    pub(super) fn assert_kept_by(&self, demo: &Demo) {
        let now = Self::of(demo);
        for (now, earlier) in [(now.usage, &self.usage), (now.calls, &self.calls)] {
            assert!(!earlier.is_empty(), "nothing was charged or asked");
            assert!(now.starts_with(earlier), "{now:?} after {earlier:?}");
        }
    }

    /// Asserts that each signature of a signing is charged once.
    #[track_caller]
    pub(super) fn assert_charged(&self, signing: &Value) {
        let signers = signing["signers"].as_array().expect("signers");
        let signed = signers.iter().filter(|signer| signer["status"] == "signed");
        let id = text(signing, "signingId");
        let is_charge = |entry: &&Value| entry["item"] == "signature" && entry["ref"] == id;
        let charged = self.usage.iter().filter(is_charge);
        assert_eq!(charged.count(), signed.count(), "{signing}");
    }

    /// Returns the amounts of an item, oldest first.
    pub(super) fn amounts_of(&self, item: &str) -> Vec<&str> {
        let entries = self.usage.iter().filter(|entry| entry["item"] == item);
        entries.map(|entry| text(entry, "amount")).collect()
    }
}
