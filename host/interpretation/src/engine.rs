//! Applies rules to data.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    Endpoint, Interpretation, InterpretationItem, Library,
    condition::Condition,
    data_sha256,
    pointer::{Pattern, Place},
    rule::Rule,
};

/// The sections of a report that are interpreted as the answers that they
/// repeat.
const SECTIONS: [(&str, Endpoint); 3] = [
    ("profile", Endpoint::Profile),
    ("beneficialOwners", Endpoint::BeneficialOwners),
    ("seizures", Endpoint::Seizures),
];

impl Library {
    /// Interprets `data`, the normalized data of an answer of `endpoint`. Data of any other shape
    /// yield no items. The service itself states who reviewed the library.
    #[must_use]
    pub fn interpret(&self, endpoint: Endpoint, data: &Value) -> Interpretation {
        let applied = self.applied(endpoint, data);
        let said = said(&applied);
        let mut items: Vec<InterpretationItem> = applied
            .into_iter()
            .filter(|(rule, _)| said.contains(&*rule.id))
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
            reviewed_by: None,
            items,
            notice: self.notice.clone(),
        }
    }

    /// Every rule that applies, served or not, with its pointer.
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
        if self.may_have_ended(endpoint, data) {
            applied.retain(|(rule, _)| !rule.lapses);
        }
        applied
    }

    /// Returns true unless a profile shows that its entity still exists.
    fn may_have_ended(&self, endpoint: Endpoint, data: &Value) -> bool {
        let profile = match endpoint {
            Endpoint::Profile => Some(data),
            Endpoint::Report => data.pointer("/sections/profile/data"),
            Endpoint::BeneficialOwners | Endpoint::Seizures => None,
        };
        let (root, here) = (Pattern::default(), Place::default());
        profile.is_some_and(|profile| {
            let holds = |condition: &Condition| condition.holds(&root, &here, profile);
            self.ended.iter().any(holds) || !self.lasts.iter().all(holds)
        })
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

/// Ids of the rules to serve among those that apply: served ones, but a rule and its qualifier only
/// together.
fn said<'l>(applied: &[(&'l Rule, String)]) -> BTreeSet<&'l str> {
    let rules = || applied.iter().map(|(rule, _)| *rule);
    let served = rules().filter(|rule| rule.served);
    let mut said: BTreeSet<&str> = served.map(|rule| &*rule.id).collect();
    let applies = |id: &str| rules().any(|rule| rule.id == id);
    let pairs: Vec<[&str; 2]> = rules()
        .flat_map(|rule| rule.qualified_by.iter().map(|by| [&*rule.id, &**by]))
        .filter(|[_, by]| applies(by))
        .collect();
    let is_half =
        |said: &BTreeSet<&str>, pair: &[&str; 2]| said.contains(pair[0]) != said.contains(pair[1]);
    while let Some(pair) = pairs.iter().find(|pair| is_half(&said, pair)) {
        said.retain(|id| !pair.contains(id));
    }
    said
}
