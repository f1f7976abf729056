use jiff::{Timestamp, civil::Date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Coded, instant};

/// Court cases in which an entity takes part, as the information system of
/// Lithuanian courts (LITEKO) has them.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cases {
    /// The newest first.
    pub cases: Vec<Case>,
}

/// A case before one instance.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Case {
    /// Bylos Nr.: `e2-1234-567/2026`.
    pub case_number: String,
    /// Teisminio proceso Nr., the same in every instance.
    pub proceeding_number: Option<String>,
    /// The kind of procedure.
    pub kind: CaseKind,
    /// The court.
    pub court: Court,
    /// The instance.
    pub instance: Option<CaseInstance>,
    /// The role of the entity in it.
    pub role: CaseRole,
    /// The subject of the case (bylų kategorijos).
    pub categories: Option<Vec<Coded>>,
    /// Date on which the court received the case.
    pub received_on: Option<Date>,
    /// Date on which the case ended there; null while it is open.
    pub closed_on: Option<Date>,
    /// Its status.
    pub stage: CaseStage,
    /// Outcome of the case, in the court's words (bylos rezultatas).
    pub outcome: Option<String>,
    /// Published decisions.
    pub documents: Option<Vec<CaseDocument>>,
    /// The next hearing; null when none is set.
    #[serde(serialize_with = "instant::nullable::serialize")]
    pub next_hearing: Option<Timestamp>,
}

/// Kinds of procedure.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseKind {
    /// Civilinė byla.
    Civil,
    /// Administracinė byla.
    Administrative,
    /// Baudžiamoji byla.
    Criminal,
    /// Administracinio nusižengimo byla.
    AdministrativeOffence,
    /// Dėl bylos teismingumo: which court it belongs before.
    Jurisdiction,
}

/// A court.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Court {
    /// Its name.
    pub name: String,
    /// Its code as a legal entity.
    pub code: Option<String>,
}

/// Instances.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseInstance {
    /// I-a instancija.
    First,
    /// Apeliacinė instancija.
    Appeal,
    /// Kasacinė instancija.
    Cassation,
    /// Vienintelė instancija.
    Sole,
}

/// The role of a party in a case.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseRole {
    /// Code of the role.
    pub code: CaseRoleCode,
    /// Role in the court's words.
    pub label_lt: String,
}

/// Roles in cases.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseRoleCode {
    /// Ieškovas.
    Claimant,
    /// Atsakovas.
    Defendant,
    /// Trečiasis asmuo.
    ThirdParty,
    /// Pareiškėjas.
    Applicant,
    /// Suinteresuotas asmuo.
    InterestedPerson,
    /// Skolininkas.
    Debtor,
    /// Kreditorius.
    Creditor,
    /// Apeliantas.
    Appellant,
    /// Kasatorius.
    Cassator,
    /// Another one; the label has the court's words.
    Other,
}

/// The stage of a case.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseStage {
    /// Waiting for a decision.
    Pending,
    /// Heard, and not closed yet.
    Heard,
    /// Ended before this instance.
    Closed,
}

/// A published decision.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct CaseDocument {
    /// Its date.
    pub date: Date,
    /// Address of the published decision.
    pub url: Option<String>,
}
