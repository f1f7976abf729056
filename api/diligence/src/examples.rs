//! Examples of answers, made from the published synthetic set.

use std::str::FromStr;

use jiff::Timestamp;
use parafa_api_http::BaseUrl;
use parafa_register_data::synthetic;
use parafa_register_data::{
    EntityCode, PartSource, PropertyNumber, Query, Register, RegisterData, SourceMode,
};
use serde::Serialize;
use serde_json::Value;

use crate::codes::{ENTITY, PROPERTY};
use crate::views::{Answer, Report, ReportAnswer, Section, Sections, Source, Subject};
use crate::vocabulary::Purpose;
use crate::{AnswerKind, kyc, schemas};

const RETRIEVED_AT: Timestamp = Timestamp::constant(1_795_264_800, 0);

/// The example of an answer's schema, or of a request's, in a call.
pub(crate) fn of(call: &str, schema: &str, base_url: &BaseUrl) -> Option<Value> {
    let entity = EntityCode::from_str(ENTITY).ok()?;
    let query = match schema {
        "CompanyProfileAnswer" => Query::CompanyProfile(entity),
        "ParticipantsAnswer" => Query::Participants(entity),
        "BeneficialOwnersAnswer" => Query::BeneficialOwners(entity),
        "RealEstateAnswer" => Query::RealEstate(entity),
        "PropertyExtractAnswer" => Query::PropertyExtract(PropertyNumber::from_str(PROPERTY).ok()?),
        "SeizuresAnswer" => Query::Seizures(entity),
        "CasesAnswer" => Query::Cases(entity),
        "ReportAnswer" => return report(&entity, base_url),
        _ => return kyc::example(call, schema, base_url),
    };
    let is_about_property = matches!(query, Query::PropertyExtract(_));
    let subject = Some(query.subject().to_owned());
    let purpose = matches!(query, Query::BeneficialOwners(_)).then_some(Purpose::AmlKyc);
    serde_json::to_value(Answer {
        schema: schemas::address(base_url, AnswerKind::of(&query)?),
        subject: match is_about_property {
            true => Subject {
                unique_number: subject,
                ..Subject::default()
            },
            false => Subject {
                entity_code: subject,
                ..Subject::default()
            },
        },
        retrieved_at: RETRIEVED_AT,
        source: source(&query),
        purpose,
        sandbox: Some(true),
        data: data(&query)?,
        interpretation: None,
        attestation: None,
    })
    .ok()
}

fn report(entity: &EntityCode, base_url: &BaseUrl) -> Option<Value> {
    macro_rules! section {
        ($variant:ident) => {{
            let query = Query::$variant(entity.clone());
            match data(&query)? {
                RegisterData::$variant(data) => Section::Ok {
                    retrieved_at: RETRIEVED_AT,
                    source: source(&query),
                    data: *data,
                },
                _ => return None,
            }
        }};
    }
    value(&ReportAnswer {
        schema: schemas::address(base_url, AnswerKind::Report),
        entity_code: entity.to_string(),
        retrieved_at: RETRIEVED_AT,
        purpose: Some(Purpose::BusinessRelationship),
        sandbox: Some(true),
        data: Report {
            sections: Sections {
                profile: section!(CompanyProfile),
                participants: section!(Participants),
                beneficial_owners: section!(BeneficialOwners),
                real_estate: section!(RealEstate),
                seizures: Section::NoData {
                    retrieved_at: RETRIEVED_AT,
                    source: source(&Query::Seizures(entity.clone())),
                },
                cases: section!(Cases),
            },
        },
        interpretation: None,
        attestation: None,
    })
}

fn data(query: &Query) -> Option<RegisterData> {
    let synthetic::Answer::Data(mut data) = synthetic::answer(query) else {
        return None;
    };
    if let RegisterData::CompanyProfile(profile) = &mut data {
        profile.attribute(|register| PartSource {
            source: source_as(register, query),
            retrieved_at: RETRIEVED_AT,
        });
    }
    Some(data)
}

fn source(query: &Query) -> Source {
    source_as(query.register(), query)
}

fn source_as(register: Register, query: &Query) -> Source {
    let (asked, kind) = (query.register().slug(), query.kind());
    Source::new(
        register,
        SourceMode::Synthetic,
        format!("synthetic/{asked}/{kind}/{}", query.subject()),
        [0x5a; 32],
    )
}

fn value(view: &impl Serialize) -> Option<Value> {
    serde_json::to_value(view).ok()
}
