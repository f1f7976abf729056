use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Coded;
use crate::PropertyNumber;

/// Real property that an entity has rights to, as the Real Property Register
/// (Nekilnojamojo turto registras) has it.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RealEstate {
    /// The items, one for each thing and right.
    pub items: Vec<RealEstateItem>,
}

/// A thing, and what right the entity has to it.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RealEstateItem {
    /// Its unique number (unikalus daikto numeris).
    pub unique_number: PropertyNumber,
    /// The number of its entry (registro Nr.).
    pub register_number: Option<String>,
    /// The type of the thing.
    pub object_type: Coded,
    /// Its main use (pagrindinė naudojimo paskirtis).
    #[serde(rename = "use")]
    pub use_purpose: Option<Coded>,
    /// Its address.
    pub address: Option<String>,
    /// The entity's share, as a fraction: `1/2`.
    #[schemars(extend("pattern" = "^[0-9]+/[0-9]+$"))]
    pub share: String,
    /// The right.
    pub right: RealRight,
    /// Start date.
    pub since: Option<Date>,
    /// True if mortgages or other rights of others burden it.
    pub encumbered: Option<bool>,
    /// True if a seizure is marked.
    pub seized: Option<bool>,
}

/// Rights to things.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RealRight {
    /// Nuosavybės teisė.
    Ownership,
    /// Patikėjimo teisė.
    Trust,
    /// Uzufruktas.
    Usufruct,
    /// Servitutas.
    Servitude,
    /// Užstatymo teisė (superficies).
    Superficies,
    /// Ilgalaikė nuoma (emphyteusis).
    LongLease,
    /// Nuoma.
    Lease,
    /// Panauda.
    LoanForUse,
    /// Another one.
    Other,
}
