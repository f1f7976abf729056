//! Views for callers.

use jiff::Timestamp;
use parafa_api_http::views::timestamp;
use parafa_interpretation::{Bilingual, Interpretation};
pub use parafa_register_data::Source;
use parafa_register_data::data::{
    BeneficialOwners, Cases, CompanyProfile, Participants, RealEstate, Seizures,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::vocabulary::Purpose;

/// The answer of a register.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{D}Answer")]
pub struct Answer<D> {
    /// The address of the complete schema of this answer.
    pub schema: String,
    /// Whom the answer is about.
    #[serde(flatten)]
    pub subject: Subject,
    /// Time of the query to the register.
    #[serde(serialize_with = "timestamp::serialize")]
    pub retrieved_at: Timestamp,
    /// The source of the data; parts from another register have their own source.
    pub source: Source,
    /// The purpose of the call, where it has to be stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
    /// Present, and true, for test keys: the data are synthetic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<bool>,
    /// The data, in the same form for every register.
    pub data: D,
    /// The meaning of the data under Lithuanian law, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interpretation: Option<Interpretation>,
    /// Statement of what the signature certifies and what it does not; present in signed answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attestation: Option<Bilingual>,
}

/// Whom or what an answer is about.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// The code of the legal entity; null in answers about an object.
    pub entity_code: Option<String>,
    /// The unique number of the requested real-property object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_number: Option<String>,
}

/// The answers of all registers about an entity.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportAnswer {
    /// The address of the complete schema of this answer.
    pub schema: String,
    /// The code of the legal entity.
    pub entity_code: String,
    /// Time at which the report was compiled.
    #[serde(serialize_with = "timestamp::serialize")]
    pub retrieved_at: Timestamp,
    /// The purpose of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
    /// Present, and true, for test keys: the data are synthetic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<bool>,
    /// The data.
    pub data: Report,
    /// The meaning of the data under Lithuanian law, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interpretation: Option<Interpretation>,
    /// Statement of what the signature certifies and what it does not; present in signed answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attestation: Option<Bilingual>,
}

/// The data of a report.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Report {
    /// The sections, one for each register. There is no score and no rating.
    pub sections: Sections,
}

/// The sections of a report.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sections {
    /// Name, form, status, management.
    pub profile: Section<CompanyProfile>,
    /// Shareholders and members.
    pub participants: Section<Participants>,
    /// Beneficial owners.
    pub beneficial_owners: Section<BeneficialOwners>,
    /// Real property that the entity holds.
    pub real_estate: Section<RealEstate>,
    /// Property seizure acts.
    pub seizures: Section<Seizures>,
    /// Court cases.
    pub cases: Section<Cases>,
}

/// The answer of one register.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
#[schemars(rename = "{D}Section")]
pub enum Section<D> {
    /// The register holds data.
    #[serde(rename_all = "camelCase")]
    Ok {
        /// Time of the query to the register.
        #[serde(serialize_with = "timestamp::serialize")]
        retrieved_at: Timestamp,
        /// The source of the data.
        source: Source,
        /// The data.
        data: D,
    },
    /// The register answered, and holds nothing.
    #[serde(rename_all = "camelCase")]
    NoData {
        /// Time of the query to the register.
        #[serde(serialize_with = "timestamp::serialize")]
        retrieved_at: Timestamp,
        /// The source of that answer.
        source: Source,
    },
}
