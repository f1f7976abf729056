use jiff::{Timestamp, civil::Date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Coded, Money, Party, instant};

/// Acts of property seizure (turto arešto aktai) in which an entity is named.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Seizures {
    /// Acts of seizure, in the order of their registration.
    pub acts: Vec<SeizureAct>,
}

/// An act of seizure.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeizureAct {
    /// Its identification code in the register.
    pub act_id: String,
    /// Time of registration.
    #[serde(serialize_with = "instant::serialize")]
    pub registered_at: Timestamp,
    /// Date of removal from the register; null while it is registered.
    pub deregistered_on: Option<Date>,
    /// Its status in the register.
    pub status: Coded,
    /// Date of adoption.
    pub act_date: Option<Date>,
    /// The authority's number of it.
    pub act_number: Option<String>,
    /// Authority that adopted the act.
    pub authority: Authority,
    /// Its legal basis.
    pub basis: Option<SeizureBasis>,
    /// The role of the requested entity in it.
    pub role: SeizureRole,
    /// The debtors (skolininkai).
    pub debtors: Option<Vec<Party>>,
    /// The creditors (kreditoriai, išieškotojai).
    pub creditors: Option<Vec<Party>>,
    /// The owners and co-owners of the property.
    pub owners: Option<Vec<Party>>,
    /// The seized property.
    pub property: Option<Vec<SeizedProperty>>,
    /// Restricted parts of ownership.
    pub restricted_rights: Option<Vec<RestrictedRight>>,
    /// Maximum amount of the seizure (arešto mastas).
    pub extent: Option<Money>,
    /// The end of the term; null if the act has none.
    pub term: Option<Date>,
    /// Administrator or keeper of the property.
    pub administrator: Option<Party>,
}

/// The authority that seized.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Authority {
    /// The kind.
    pub kind: AuthorityKind,
    /// Its name.
    pub name: String,
    /// Its code as a legal entity.
    pub code: Option<String>,
}

/// Kinds of authorities.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthorityKind {
    /// Teismas.
    Court,
    /// Antstolis.
    Bailiff,
    /// Prokuroras.
    Prosecutor,
    /// Valstybinė mokesčių inspekcija.
    TaxInspectorate,
    /// Ikiteisminio tyrimo pareigūnas.
    PreTrialOfficer,
    /// Another institution or official.
    Other,
}

/// The law that a seizure rests on.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeizureBasis {
    /// The legal act.
    pub act: String,
    /// Its article.
    pub article: Option<String>,
}

/// The role of an entity in an act of seizure.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SeizureRole {
    /// Skolininkas.
    Debtor,
    /// Turto savininkas.
    Owner,
    /// Kreditorius.
    Creditor,
}

/// A seized thing, right or sum.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeizedProperty {
    /// Turto tipas.
    #[serde(rename = "type")]
    pub property_type: Coded,
    /// Turto potipis.
    pub subtype: Option<Coded>,
    /// Its identifier.
    pub identifier: Option<SeizedIdentifier>,
    /// Description in the words of the act.
    pub description: Option<String>,
}

/// The identifier of a seized thing.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "scheme", content = "value")]
pub enum SeizedIdentifier {
    /// Its unique number in the Real Property Register.
    #[serde(rename = "NTR")]
    Ntr(String),
    /// Plate or identification number of a vehicle.
    #[serde(rename = "vehicle")]
    Vehicle(String),
    /// Another one.
    #[serde(rename = "other")]
    Other(String),
}

/// Parts of ownership.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RestrictedRight {
    /// Valdymas.
    Possession,
    /// Naudojimas.
    Use,
    /// Disponavimas.
    Disposal,
}
