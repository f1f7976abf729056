use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BirthMonth, Coded, Identifier, Label, ShareClass, Withheld};
use crate::{EntityCode, PartSource, Register};

/// A legal entity as the Register of Legal Entities (Juridinių asmenų registras)
/// has it, with what the tax inspectorate and the State Data Agency add.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompanyProfile {
    /// Its code (juridinio asmens kodas).
    pub code: EntityCode,
    /// Its name (pavadinimas).
    pub name: String,
    /// Names in other languages, or abbreviated.
    pub alternate_names: Option<Vec<String>>,
    /// Its legal form (teisinė forma).
    pub legal_form: LegalForm,
    /// Its legal status (teisinis statusas).
    pub legal_status: LegalStatus,
    /// Date of registration.
    pub registered_on: Option<Date>,
    /// Date of removal from the register; null while it exists.
    pub deregistered_on: Option<Date>,
    /// Reason for the removal (išregistravimo priežastis).
    pub deregistration_reason: Option<Label>,
    /// Its registered office (buveinė).
    pub registered_office: Option<RegisteredOffice>,
    /// Legal Entity Identifier (ISO 17442).
    pub lei: Option<String>,
    /// European unique identifier.
    pub euid: Option<String>,
    /// Its registration for VAT (PVM); null when it has none or none is known.
    pub vat: Option<VatRegistration>,
    /// Its economic activities by the national classification (EVRK).
    pub activities: Option<Vec<Activity>>,
    /// Its registered capital (įstatinis kapitalas).
    pub share_capital: Option<ShareCapital>,
    /// The shares into which the capital is divided.
    pub shares: Option<Shares>,
    /// Its bodies (valdymo organai), and who acts in their place.
    pub management_bodies: Option<Vec<ManagementBody>>,
    /// Representation of the entity.
    pub representation: Option<Representation>,
    /// Branches and representative offices (filialai ir atstovybės).
    pub branches: Option<Vec<Branch>>,
    /// Registered restrictions of its activity (veiklos apribojimai).
    pub restrictions: Option<Vec<Restriction>>,
    /// Filings of annual accounts.
    pub financial_statements: Option<FinancialStatements>,
    /// Its identifiers: `LT-RC`, `LT-PVM`, `XI-LEI`.
    pub identifiers: Vec<Identifier>,
}

impl CompanyProfile {
    /// Sets the sources of the parts that come from another register than the profile.
    pub fn attribute(&mut self, source_of: impl Fn(Register) -> PartSource) {
        if let Some(vat) = &mut self.vat {
            vat.source = Some(source_of(Register::Vmi));
        }
        for activity in self.activities.iter_mut().flatten() {
            activity.source = Some(source_of(Register::Vda));
        }
    }
}

/// A legal form.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LegalForm {
    /// Its code in the register; null where that is not known.
    pub jar_code: Option<String>,
    /// Its code by ISO 20275.
    pub elf: Option<String>,
    /// Meaning in words.
    pub label: Label,
}

/// A legal status.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LegalStatus {
    /// Its code in the register; null where that is not known.
    pub jar_code: Option<String>,
    /// The normalized meaning of the status.
    pub normalized: NormalizedStatus,
    /// Meaning in words.
    pub label: Label,
    /// Start date.
    pub since: Option<Date>,
}

/// The normalized meaning of a status in the register.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NormalizedStatus {
    /// No special status is registered (teisinis statusas neįregistruotas).
    Registered,
    /// Reorganizuojamas.
    UnderReorganisation,
    /// Dalyvaujantis reorganizavime.
    ParticipatingInReorganisation,
    /// Pertvarkomas: its legal form is changed.
    UnderConversion,
    /// Restruktūrizuojamas.
    UnderRestructuring,
    /// Bankrutuojantis.
    Bankruptcy,
    /// Bankrutavęs, by the law that held before.
    BankruptLegacy,
    /// Likviduojamas.
    InLiquidation,
    /// Dalyvaujantis atskyrime.
    ParticipatingInSpinOff,
    /// Inicijuojamas likvidavimas.
    LiquidationInitiated,
    /// Išregistruotas.
    Deregistered,
    /// Likviduotas.
    Liquidated,
    /// Nepersiregistravęs.
    NotReregistered,
    /// A European company is being formed.
    SeFormation,
    /// A European cooperative society is being formed.
    SceFormation,
    /// The seat is being moved to another state.
    SeatTransfer,
    /// Being merged across a border.
    CrossBorderMerger,
    /// Taking part in a merger across a border.
    ParticipatingInCrossBorderMerger,
    /// Being converted across a border.
    CrossBorderConversion,
    /// Being divided across a border.
    CrossBorderDivision,
    /// Likviduojamas dėl bankroto.
    LiquidationBankruptcy,
    /// Another one; the label has the register's words.
    Other,
}

/// A registered office.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegisteredOffice {
    /// The whole address, as the register writes it.
    pub full: Option<String>,
    /// Always `LT`.
    pub country: String,
    /// The municipality (savivaldybė).
    pub municipality: Option<String>,
    /// Code of the address object in the Address Register (AOB kodas).
    pub aob_code: Option<String>,
    /// Start date.
    pub since: Option<Date>,
}

/// A registration for value-added tax.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VatRegistration {
    /// VAT number with its prefix: `LT999000011`.
    pub number: String,
    /// Date of registration.
    pub registered_on: Option<Date>,
    /// Date of deregistration; null while registered.
    pub deregistered_on: Option<Date>,
    /// The source: the tax inspectorate (VMI).
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub source: Option<PartSource>,
}

/// An economic activity.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// `EVRK2` or `EVRK2.1`.
    pub scheme: String,
    /// Its class.
    pub code: String,
    /// Meaning in words.
    pub label: Label,
    /// True for the main activity.
    pub main: bool,
    /// The source: the State Data Agency (VDA).
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub source: Option<PartSource>,
}

/// Registered capital.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShareCapital {
    /// A decimal number.
    pub amount: super::Amount,
    /// ISO 4217.
    pub currency: String,
    /// The date since which it is this amount.
    pub since: Option<Date>,
}

/// The shares of a company.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shares {
    /// Total number.
    pub total: Option<u64>,
    /// The classes of shares.
    pub classes: Option<Vec<ShareClass>>,
}

/// A body of an entity, or who acts in its place.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ManagementBody {
    /// The kind.
    pub kind: BodyKind,
    /// The date since which this is current.
    pub since: Option<Date>,
    /// The current members.
    pub members: Option<Vec<BodyMember>>,
}

/// Kinds of bodies.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyKind {
    /// The single-person body (vadovas).
    Manager,
    /// The board (valdyba).
    Board,
    /// The supervisory board (stebėtojų taryba).
    SupervisoryBoard,
    /// A council (taryba).
    Council,
    /// Another body.
    Other,
    /// A liquidator (likvidatorius).
    Liquidator,
    /// An insolvency administrator (nemokumo administratorius).
    InsolvencyAdministrator,
}

/// A member of a body.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BodyMember {
    /// Given names and surname, or name of the entity.
    pub name: String,
    /// A person or an entity.
    pub person_type: PersonType,
    /// Withheld.
    pub personal_code: Withheld,
    /// Year and month of birth, of a person.
    pub birth_date: Option<BirthMonth>,
    /// The office (pareigos).
    pub position: Option<Coded>,
    /// Start date.
    pub since: Option<Date>,
    /// The end of the term of office, if there is one.
    pub until: Option<Date>,
    /// Country of the residence or seat, ISO 3166-1 alpha-2.
    pub country: Option<String>,
}

/// A person or an entity.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonType {
    /// Fizinis asmuo.
    Natural,
    /// Juridinis asmuo.
    Legal,
}

/// Representation of an entity.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Representation {
    /// The kind of rule.
    pub rule: RepresentationRule,
    /// The rule as it is registered.
    pub text: Option<String>,
}

/// Kinds of rules of representation.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RepresentationRule {
    /// The manager alone.
    Single,
    /// Several together (kiekybinis atstovavimas).
    Quantitative,
    /// Another rule.
    Other,
}

/// A branch or representative office.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    /// Its own code in the register.
    pub code: Option<String>,
    /// Its name.
    pub name: String,
    /// Branch (filialas) or representative office (atstovybė).
    pub kind: Coded,
    /// Its address.
    pub address: Option<String>,
    /// Date of registration.
    pub registered_on: Option<Date>,
}

/// A registered restriction.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Restriction {
    /// Registered text of the restriction.
    pub text: String,
    /// Start date.
    pub since: Option<Date>,
    /// End date; null where no end is registered.
    pub until: Option<Date>,
}

/// Filings of annual accounts (finansinės atskaitomybės dokumentai).
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FinancialStatements {
    /// The last financial year with accounts in the register.
    pub last_filed_for: Option<i16>,
    /// True if due accounts are missing; null if unknown.
    pub late: Option<bool>,
}
