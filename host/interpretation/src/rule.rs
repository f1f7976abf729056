//! Rules as they are applied.

use serde_json::Value;

use crate::{
    Bilingual, Citation, Endpoint,
    condition::Condition,
    pointer::{Pattern, Place},
};

/// One rule, with the decision to serve it, made on loading.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) pointer: Pattern,
    pub(crate) when: Vec<Condition>,
    /// True if the rule concerns only entities that still exist: a duty, a liability, a capacity.
    pub(crate) lapses: bool,
    /// Rules that limit this one: neither is served without the other.
    pub(crate) qualified_by: Vec<String>,
    pub(crate) meaning: Bilingual,
    /// The citations that are served.
    pub(crate) citations: Vec<Citation>,
    pub(crate) served: bool,
}

impl Rule {
    /// The places of `data` to which the rule applies: each one, or their list if there are more
    /// than `repeat_limit`.
    pub(crate) fn places(&self, data: &Value, repeat_limit: usize) -> Vec<Place> {
        let places: Vec<Place> = self
            .pointer
            .places(data)
            .into_iter()
            .map(|(place, _)| place)
            .filter(|place| {
                self.when
                    .iter()
                    .all(|condition| condition.holds(&self.pointer, place, data))
            })
            .collect();
        if places.len() > repeat_limit {
            return vec![self.pointer.whole_list()];
        }
        places
    }
}
