//! The schemas of answers, at the addresses that the answers name.

use axum::Json;
use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::HeaderValue;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use parafa_api_http::{BaseUrl, Problem};
use parafa_register_data::Query;
use parafa_register_data::data::{
    BeneficialOwners, Cases, CompanyProfile, Participants, PropertyExtract, RealEstate, Seizures,
};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::views::{Answer, ReportAnswer};

/// The kinds of answers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AnswerKind {
    /// Company profiles.
    Profile,
    /// Participants.
    Participants,
    /// Beneficial owners.
    BeneficialOwners,
    /// Real property of an entity.
    RealEstate,
    /// Extracts of objects.
    PropertyExtract,
    /// Seizure acts.
    Seizures,
    /// Court cases.
    Cases,
    /// Reports.
    Report,
}

impl AnswerKind {
    const ALL: [Self; 8] = [
        Self::Profile,
        Self::Participants,
        Self::BeneficialOwners,
        Self::RealEstate,
        Self::PropertyExtract,
        Self::Seizures,
        Self::Cases,
        Self::Report,
    ];

    /// Kind of the answer to a query; `None` if it is not for callers.
    #[must_use]
    pub fn of(query: &Query) -> Option<Self> {
        Some(match query {
            Query::CompanyProfile(_) => Self::Profile,
            Query::Participants(_) => Self::Participants,
            Query::BeneficialOwners(_) => Self::BeneficialOwners,
            Query::RealEstate(_) => Self::RealEstate,
            Query::PropertyExtract(_) => Self::PropertyExtract,
            Query::Seizures(_) => Self::Seizures,
            Query::Cases(_) => Self::Cases,
            Query::RoleHolders { .. } => return None,
        })
    }

    /// Its name in the schema's address.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Profile => "company-profile",
            Self::Participants => "participants",
            Self::BeneficialOwners => "beneficial-owners",
            Self::RealEstate => "real-estate",
            Self::PropertyExtract => "property-extract",
            Self::Seizures => "seizures",
            Self::Cases => "cases",
            Self::Report => "dd-report",
        }
    }

    fn schema(self) -> Schema {
        match self {
            Self::Profile => schema::<Answer<CompanyProfile>>(),
            Self::Participants => schema::<Answer<Participants>>(),
            Self::BeneficialOwners => schema::<Answer<BeneficialOwners>>(),
            Self::RealEstate => schema::<Answer<RealEstate>>(),
            Self::PropertyExtract => schema::<Answer<PropertyExtract>>(),
            Self::Seizures => schema::<Answer<Seizures>>(),
            Self::Cases => schema::<Answer<Cases>>(),
            Self::Report => schema::<ReportAnswer>(),
        }
    }
}

fn schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}

/// URL at which the schema of an answer is published.
#[must_use]
pub fn address(base_url: &BaseUrl, kind: AnswerKind) -> String {
    base_url.join(&format!("/schemas/dd/{}/v1", kind.name()))
}

/// `GET /schemas/dd/{kind}/v1`, public.
pub(crate) fn router() -> Router {
    Router::new().route("/schemas/dd/{kind}/v1", get(published))
}

async fn published(Path(kind): Path<String>) -> Result<Response, Problem> {
    let mut kinds = AnswerKind::ALL.into_iter();
    let kind = kinds.find(|known| known.name() == kind);
    let schema = kind.ok_or_else(Problem::not_found)?.schema();
    let mut response = Json(schema).into_response();
    for (name, value) in [
        (CONTENT_TYPE, "application/schema+json"),
        (CACHE_CONTROL, "public, max-age=3600"),
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ] {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}
