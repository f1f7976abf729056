//! Kinds of answers that are interpreted.

use serde::Deserialize;

/// Kind of answer that is interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Endpoint {
    /// The company profile.
    #[serde(rename = "profile")]
    Profile,
    /// The beneficial owners.
    #[serde(rename = "ubo")]
    BeneficialOwners,
    /// The property seizure acts.
    #[serde(rename = "seizures")]
    Seizures,
    /// The composite report: rules for the other answers apply to its sections.
    #[serde(rename = "dd-report")]
    Report,
}
