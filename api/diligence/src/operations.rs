//! The operations of the API: one table feeds the routes and the OpenAPI
//! document.

use parafa_api_http::deliveries::{self, ABOUT_DELIVERIES, DeliveryPaths};
use parafa_api_http::{AnswerForm, Operation, Path, PathParams, Problem, Tag};
use parafa_register_data::data::{
    BeneficialOwners, Cases, CompanyProfile, Participants, PropertyExtract, RealEstate, Seizures,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::api::{DiligenceApi, Record};
use crate::codes::{EntityPath, PropertyPath};
use crate::kyc::{self, ABOUT_KYC};
use crate::problem::ProblemKind::{
    self, NoData, PaymentRequired, RegisterNotOffered, SignatureUnavailable, UpstreamUnavailable,
};
use crate::requests::{AnswerQuery, Question};
use crate::views::{Answer, ReportAnswer};

/// The media type of JAdES answers (RFC 7515, 9.2.2).
pub const JADES: &str = "application/jose+json";
/// The media type of containers (ETSI EN 319 162-1).
pub const ASICE: &str = "application/vnd.etsi.asic-e+zip";

const FORMS: &[AnswerForm] = &[
    AnswerForm {
        media_type: JADES,
        schema: flattened_jws,
    },
    AnswerForm {
        media_type: ASICE,
        schema: || json!({"type": "string", "format": "binary"}),
    },
];

const PROFILE: Path<EntityPath> = Path::new("/v1/entities/{code}");
const PARTICIPANTS: Path<EntityPath> = Path::new("/v1/entities/{code}/participants");
const BENEFICIAL_OWNERS: Path<EntityPath> = Path::new("/v1/entities/{code}/ubo");
const REAL_ESTATE: Path<EntityPath> = Path::new("/v1/entities/{code}/real-estate");
const PROPERTY: Path<PropertyPath> = Path::new("/v1/real-estate/{uniqueNumber}");
const SEIZURES: Path<EntityPath> = Path::new("/v1/entities/{code}/seizures");
const CASES: Path<EntityPath> = Path::new("/v1/entities/{code}/cases");
const REPORT: Path<EntityPath> = Path::new("/v1/entities/{code}/dd-report");
const DELIVERIES: DeliveryPaths = DeliveryPaths {
    all: Path::new("/v1/kyc-deliveries"),
    one: Path::new("/v1/kyc-deliveries/{deliveryId}"),
    resend: Path::new("/v1/kyc-deliveries/{deliveryId}/resend"),
};

/// The folders of all paths.
pub(crate) const ROOTS: &[&str] = &[
    "/v1/entities",
    "/v1/real-estate",
    "/v1/kyc-packages",
    "/v1/kyc-deliveries",
];

/// Tags of operations.
pub(crate) const TAGS: &[Tag] = &[ENTITIES, PROPERTY_OBJECTS, ABOUT_KYC, ABOUT_DELIVERIES];
const ENTITIES: Tag = Tag {
    name: "Entities",
    description: "Register data on a Lithuanian legal entity.",
};
const PROPERTY_OBJECTS: Tag = Tag {
    name: "Real property",
    description: "Real Property Register data on one object.",
};

/// Possible refusals of every answer.
const REFUSALS: &[ProblemKind] = &[
    PaymentRequired,
    NoData,
    RegisterNotOffered,
    UpstreamUnavailable,
    SignatureUnavailable,
];

/// All operations, in documentation order.
pub(crate) fn all<A: DiligenceApi>() -> Vec<Operation<A>> {
    let mut operations = data();
    operations.extend(kyc::operations());
    operations.extend(deliveries::operations(DELIVERIES));
    operations
}

fn data<A: DiligenceApi>() -> Vec<Operation<A>> {
    vec![
        answers::<A, EntityPath, Answer<CompanyProfile>, true, false>(
            PROFILE,
            "readCompanyProfile",
            ENTITIES,
            "Company profile",
            "Name, legal form and status, registered office, capital, management bodies: the Register of Legal Entities (JAR). The registration for VAT comes from the tax inspectorate, the activities from the State Data Agency; each names its source.",
            |path| path.code().map(Question::Profile),
        ),
        answers::<A, EntityPath, Answer<Participants>, false, false>(
            PARTICIPANTS,
            "readParticipants",
            ENTITIES,
            "Shareholders and members",
            "The shareholders or members and their holdings, also as statements of the Beneficial Ownership Data Standard: the information system of participants (JADIS).",
            |path| path.code().map(Question::Participants),
        ),
        answers::<A, EntityPath, Answer<BeneficialOwners>, true, true>(
            BENEFICIAL_OWNERS,
            "readBeneficialOwners",
            ENTITIES,
            "Beneficial owners",
            "The persons who ultimately own or control the entity, as declared (JANGIS). That an entity has declared nobody, or is exempt, is an answer too.",
            |path| path.code().map(Question::BeneficialOwners),
        ),
        answers::<A, EntityPath, Answer<RealEstate>, false, false>(
            REAL_ESTATE,
            "readRealEstate",
            ENTITIES,
            "Real property held",
            "The real-property objects in which the entity holds rights: the Real Property Register (NTR).",
            |path| path.code().map(Question::RealEstate),
        ),
        answers::<A, PropertyPath, Answer<PropertyExtract>, false, false>(
            PROPERTY,
            "readPropertyExtract",
            PROPERTY_OBJECTS,
            "Property object extract",
            "Everything about one object: owners, other rights, mortgages, legal facts, notes (NTR).",
            |path| path.number().map(Question::PropertyExtract),
        ),
        answers::<A, EntityPath, Answer<Seizures>, true, false>(
            SEIZURES,
            "readSeizures",
            ENTITIES,
            "Property seizure acts",
            "Registered acts by which property of the entity is seized (TAAR).",
            |path| path.code().map(Question::Seizures),
        ),
        answers::<A, EntityPath, Answer<Cases>, false, false>(
            CASES,
            "readCases",
            ENTITIES,
            "Court cases",
            "Cases in which the entity takes part: the information system of courts (LITEKO).",
            |path| path.code().map(Question::Cases),
        ),
        answers::<A, EntityPath, ReportAnswer, true, true>(
            REPORT,
            "readReport",
            ENTITIES,
            "Full due-diligence report",
            "All of these about one entity. If a register does not answer, the whole report fails, free of charge. If one holds nothing, its section has the status no-data, with the answer that it rests on. There is no score.",
            |path| path.code().map(Question::Report),
        ),
    ]
}

fn answers<A, P, V, const INTERPRETED: bool, const PURPOSE: bool>(
    path: Path<P>,
    id: &'static str,
    tag: Tag,
    summary: &'static str,
    description: &'static str,
    question: fn(P) -> Result<Question, Problem>,
) -> Operation<A>
where
    A: DiligenceApi,
    P: PathParams<Record>,
    V: JsonSchema + Serialize,
{
    Operation::<A>::get(path, id)
        .says(tag.name, summary, description)
        .refuses(REFUSALS)
        .without_head()
        .query::<AnswerQuery<INTERPRETED, PURPOSE>>()
        .answers_in::<V, _, _>(FORMS, move |call| async move {
            let question = question(call.path)?;
            let AnswerQuery(options) = call.request;
            call.api
                .answer(&call.caller, question, options, &call.request_id)
                .await
        })
}

/// A flattened JSON Web Signature (RFC 7515, 7.2.2).
fn flattened_jws() -> Value {
    let base64url = |description: &str| {
        json!({
            "type": "string",
            "pattern": "^[A-Za-z0-9_-]+$",
            "description": description,
        })
    };
    json!({
        "type": "object",
        "required": ["payload", "protected", "header", "signature"],
        "additionalProperties": false,
        "properties": {
            "payload": base64url("The JSON answer with `attestation`: what the signature certifies."),
            "protected": base64url("The signed header (ETSI TS 119 182-1, 5.1)."),
            "header": {
                "type": "object",
                "description": "The unsigned header: etsiU with the time-stamp, and at level LT the validation data (ETSI TS 119 182-1, 5.3).",
            },
            "signature": base64url("The signature over the SHA-256 digest of the signing input."),
        },
    })
}
