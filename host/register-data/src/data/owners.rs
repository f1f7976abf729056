use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BirthMonth, Percent, Statement, Withheld, bods};

/// Beneficial owners (naudos gavėjai) as an entity has declared them.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BeneficialOwners {
    /// Date of the last declaration.
    pub declared_on: Option<Date>,
    /// The status of the declaration.
    pub status: DeclarationStatus,
    /// The beneficial owners; null unless they are declared.
    pub owners: Option<Vec<BeneficialOwner>>,
    /// The data as statements of the Beneficial Ownership Data Standard 0.4.
    pub bods: Option<Vec<Statement>>,
}

/// The status of a declaration of beneficial owners.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeclarationStatus {
    /// Declared.
    Declared,
    /// No list was filed.
    NotDeclared,
    /// The state or a municipality is the only participant: nothing has to be
    /// declared.
    ExemptState,
    /// The entity declared that they cannot be determined.
    CannotBeDetermined,
}

/// A person who ultimately owns or controls an entity.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BeneficialOwner {
    /// Names the person within this answer.
    pub id: String,
    /// Given names and surname.
    pub name: String,
    /// Withheld.
    pub personal_code: Withheld,
    /// Year and month of birth.
    pub birth_date: Option<BirthMonth>,
    /// ISO 3166-1 alpha-2.
    pub nationality: Option<Vec<String>>,
    /// ISO 3166-1 alpha-2.
    pub residence_country: Option<String>,
    /// State that issued the person's identity document.
    pub identity_document_country: Option<String>,
    /// The forms of ownership or control.
    pub controls: Option<Vec<Control>>,
}

/// One way in which somebody owns or controls an entity.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Control {
    /// Form of ownership or control, by the code list of BODS 0.4.
    pub nature: bods::InterestType,
    /// Direct, or through other entities.
    pub direct_or_indirect: bods::Directness,
    /// The share from 0 to 100, if it is known exactly.
    pub share_exact: Option<Percent>,
    /// The minimum.
    pub share_min: Option<Percent>,
    /// The maximum.
    pub share_max: Option<Percent>,
    /// The intermediate entities, from the requested entity upwards.
    pub via: Option<Vec<Intermediary>>,
    /// The declaration in words.
    pub details: Option<String>,
    /// Start date.
    pub since: Option<Date>,
}

/// An entity through which somebody owns or controls another.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Intermediary {
    /// Its code; null for some entities of other states.
    pub code: Option<String>,
    /// Its name.
    pub name: String,
}
