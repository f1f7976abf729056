use std::collections::BTreeMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Amount, Coded, Label, Money, Party, Quantity, RealRight};
use crate::PropertyNumber;

/// Everything that the Real Property Register (Nekilnojamojo turto registras)
/// has of one thing.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PropertyExtract {
    /// Its unique number (unikalus daikto numeris).
    pub unique_number: PropertyNumber,
    /// The number of its entry (registro Nr.).
    pub register_number: Option<String>,
    /// The cadastral number of a parcel (kadastro numeris).
    pub cadastral_number: Option<String>,
    /// The type of the thing.
    pub object_type: Coded,
    /// Its main use (pagrindinė naudojimo paskirtis).
    #[serde(rename = "use")]
    pub use_purpose: Option<Coded>,
    /// Its status (statusas).
    pub status: Option<Coded>,
    /// Its address.
    pub address: Option<String>,
    /// Municipality (savivaldybė).
    pub municipality: Option<String>,
    /// Area of the thing.
    pub area: Option<Area>,
    /// Year in which construction began.
    pub year_built_from: Option<i16>,
    /// Year in which construction ended.
    pub year_built_to: Option<i16>,
    /// The degree of completion, from 0 to 100 (baigtumas).
    pub completeness_percent: Option<u8>,
    /// Class of energy performance (energinio naudingumo klasė).
    pub energy_class: Option<String>,
    /// Average market value (vidutinė rinkos vertė).
    pub market_value: Option<MarketValue>,
    /// Owners of the thing.
    pub owners: Option<Vec<PropertyOwner>>,
    /// Rights of others (kitos daiktinės teisės).
    pub other_rights: Option<Vec<OtherRight>>,
    /// Mortgages (hipotekos).
    pub mortgages: Option<Vec<Mortgage>>,
    /// Juridiniai faktai.
    pub legal_facts: Option<Vec<LegalFact>>,
    /// Žymos.
    pub notes: Option<Vec<Note>>,
    /// Marks of seizures (arešto žymos).
    pub seizure_marks: Option<Vec<SeizureMark>>,
    /// Specialiosios žemės naudojimo sąlygos.
    pub special_conditions: Option<Vec<SpecialCondition>>,
}

/// The area of a thing.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Area {
    /// A decimal number.
    pub total: Quantity,
    /// Its unit.
    pub unit: AreaUnit,
    /// Its parts, by the register's names: `pagrindinis`, `rūsys`.
    pub components: Option<BTreeMap<String, Quantity>>,
}

/// Units of areas.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AreaUnit {
    /// Square metres.
    M2,
    /// Hectares.
    Ha,
}

/// The value of a thing.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MarketValue {
    /// A decimal number.
    pub amount: Amount,
    /// ISO 4217.
    pub currency: String,
    /// Date of the valuation.
    pub as_of: Option<Date>,
    /// Method of valuation (vertės nustatymo būdas).
    pub method: Option<Label>,
}

/// An owner of a thing.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PropertyOwner {
    /// The owner.
    pub owner: Party,
    /// Ownership or trust.
    pub right: RealRight,
    /// Share as a fraction: `1/2`.
    #[schemars(extend("pattern" = "^[0-9]+/[0-9]+$"))]
    pub share: String,
    /// Its legal basis (įregistravimo pagrindas).
    pub basis: Option<String>,
    /// Start date.
    pub since: Option<Date>,
}

/// A right of somebody who is not the owner.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OtherRight {
    /// The kind of right.
    pub kind: RightKind,
    /// Holder of the right.
    pub beneficiary: Option<Party>,
    /// Its legal basis.
    pub basis: Option<String>,
    /// Start date.
    pub since: Option<Date>,
    /// End date; null where no end is registered.
    pub until: Option<Date>,
}

/// A kind of right by the register's classifier.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RightKind {
    /// Teisės tipas.
    pub type_code: Option<String>,
    /// Teisės potipis.
    pub subtype_code: Option<String>,
    /// Meaning in words.
    pub label: Label,
}

/// A mortgage (hipoteka).
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mortgage {
    /// Its identification code in the register.
    pub id: String,
    /// The kind.
    pub kind: MortgageKind,
    /// The creditor.
    pub creditor: Option<Party>,
    /// The debtor.
    pub debtor: Option<Party>,
    /// The secured obligation.
    pub obligation: Option<Money>,
    /// Due date of the obligation.
    pub term: Option<Date>,
    /// Date of registration.
    pub registered_on: Option<Date>,
}

/// Kinds of mortgages.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MortgageKind {
    /// Paprastoji.
    Simple,
    /// Maksimalioji.
    Maximum,
    /// Jungtinė.
    Joint,
    /// Bendroji.
    Common,
    /// Sąlyginė.
    Conditional,
    /// Svetimo daikto.
    ThirdParty,
    /// Pareikštinė.
    Bearer,
    /// Įmonės.
    Enterprise,
}

/// A registered fact of law (juridinis faktas).
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LegalFact {
    /// The kind.
    pub kind: Label,
    /// Registered text.
    pub text: Option<String>,
    /// Start date.
    pub since: Option<Date>,
    /// End date; null where no end is registered.
    pub until: Option<Date>,
}

/// A note (žyma).
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// The kind.
    pub kind: Label,
    /// Registered text.
    pub text: Option<String>,
    /// Start date.
    pub since: Option<Date>,
}

/// A mark that a thing is seized.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeizureMark {
    /// The act in the Register of Property Seizure Acts.
    pub act_id: String,
}

/// A special condition of the use of land.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SpecialCondition {
    /// Name of the condition.
    pub label: Label,
    /// Area that it covers.
    pub area: Option<Area>,
    /// Start date.
    pub since: Option<Date>,
}
