//! Conditions of rules.

use serde::Deserialize;
use serde_json::Value;

use crate::{
    RuleFault,
    pointer::{Pattern, Place},
};

/// One condition of a rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Condition {
    /// There is a value.
    Exists { at: Pattern },
    /// The value is this one.
    Eq { at: Pattern, value: Scalar },
    /// The value is one of these.
    In { at: Pattern, values: Vec<Scalar> },
    /// There is no value, or it is not one of these. Used by versions before 2026.11.1;
    /// [`Self::Outside`] replaced it.
    NotIn { at: Pattern, values: Vec<Scalar> },
    /// There is a value, and it is not one of these.
    Outside { at: Pattern, values: Vec<Scalar> },
    /// A list that has this value.
    Contains { at: Pattern, value: Scalar },
    /// A list that has elements.
    NotEmpty { at: Pattern },
}

/// Value to compare with.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Scalar {
    Text(String),
    Truth(bool),
}

impl Condition {
    /// Returns true if the condition holds for a place to which the rule's `pointer` leads.
    pub(crate) fn holds(&self, pointer: &Pattern, place: &Place, data: &Value) -> bool {
        let values = |at: &Pattern| at.values_beside(pointer, place, data);
        match self {
            Self::Exists { at } => !values(at).is_empty(),
            Self::Eq { at, value } => values(at).iter().any(|there| value.is(there)),
            Self::In { at, values: of } => values(at).iter().any(|there| one_of(of, there)),
            Self::NotIn { at, values: of } => !values(at).iter().any(|there| one_of(of, there)),
            Self::Outside { at, values: of } => {
                let values = values(at);
                !values.is_empty() && !values.iter().any(|there| one_of(of, there))
            }
            Self::Contains { at, value } => values(at)
                .iter()
                .filter_map(|there| there.as_array())
                .flatten()
                .any(|element| value.is(element)),
            Self::NotEmpty { at } => values(at)
                .iter()
                .filter_map(|there| there.as_array())
                .any(|elements| !elements.is_empty()),
        }
    }

    pub(crate) fn check(&self) -> Result<(), RuleFault> {
        match self {
            Self::In { values, .. } | Self::NotIn { values, .. } | Self::Outside { values, .. }
                if values.is_empty() =>
            {
                Err(RuleFault::NoValue)
            }
            _ => Ok(()),
        }
    }
}

fn one_of(scalars: &[Scalar], value: &Value) -> bool {
    scalars.iter().any(|scalar| scalar.is(value))
}

impl Scalar {
    fn is(&self, value: &Value) -> bool {
        match self {
            Self::Text(text) => value.as_str() == Some(text),
            Self::Truth(truth) => value.as_bool() == Some(*truth),
        }
    }
}
