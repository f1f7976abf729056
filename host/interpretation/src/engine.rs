//! Applies rules to data.

use serde_json::Value;

use crate::{Endpoint, Interpretation, InterpretationItem, Library, data_sha256, rule::Rule};

/// The sections of a report that are interpreted as the answers that they
/// repeat.
const SECTIONS: [(&str, Endpoint); 3] = [
    ("profile", Endpoint::Profile),
    ("beneficialOwners", Endpoint::BeneficialOwners),
    ("seizures", Endpoint::Seizures),
];

impl Library {
    /// What `data`, the normalized data of an answer of `endpoint`, mean.
    /// Data of any other shape have no meaning: no item says anything of them.
    #[must_use]
    pub fn interpret(&self, endpoint: Endpoint, data: &Value) -> Interpretation {
        let mut items: Vec<InterpretationItem> = self
            .applied(endpoint, data)
            .into_iter()
            .filter(|(rule, _)| rule.served)
            .map(|(rule, pointer)| InterpretationItem {
                rule_id: rule.id.clone(),
                pointer,
                meaning: rule.meaning.clone(),
                citations: rule.citations.clone(),
            })
            .collect();
        items.sort_by(|a, b| (&a.pointer, &a.rule_id).cmp(&(&b.pointer, &b.rule_id)));
        Interpretation {
            policy_version: self.policy_version.clone(),
            library: self.sha256.clone(),
            data_sha256: data_sha256(data),
            items,
            notice: self.notice.clone(),
        }
    }

    /// Every rule that applies, served or not, and to what.
    pub(crate) fn applied(&self, endpoint: Endpoint, data: &Value) -> Vec<(&Rule, String)> {
        let mut applied = self.applied_to(endpoint, data, "");
        if endpoint == Endpoint::Report {
            for (section, of) in SECTIONS {
                let prefix = format!("/sections/{section}/data");
                if let Some(data) = data.pointer(&prefix) {
                    applied.extend(self.applied_to(of, data, &prefix));
                }
            }
        }
        applied
    }

    fn applied_to(&self, endpoint: Endpoint, data: &Value, prefix: &str) -> Vec<(&Rule, String)> {
        self.rules
            .iter()
            .filter(|rule| rule.endpoints.contains(&endpoint))
            .flat_map(|rule| {
                rule.places(data, self.repeat_limit)
                    .into_iter()
                    .map(move |place| (rule, format!("{prefix}{place}")))
            })
            .collect()
    }
}
