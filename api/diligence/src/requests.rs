//! Input of calls.

use parafa_api_http::FromQuery;
use parafa_api_http::decode::Object;
use parafa_register_data::{EntityCode, PropertyNumber};

use crate::vocabulary::{AnswerFormat, Purpose, SignatureTier};

/// Question of a caller.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Question {
    /// Name, form, status, management.
    Profile(EntityCode),
    /// Shareholders and members.
    Participants(EntityCode),
    /// Beneficial owners.
    BeneficialOwners(EntityCode),
    /// Real property of the entity.
    RealEstate(EntityCode),
    /// Everything about one real-property object.
    PropertyExtract(PropertyNumber),
    /// Property seizure acts.
    Seizures(EntityCode),
    /// Court cases.
    Cases(EntityCode),
    /// All of the above about an entity.
    Report(EntityCode),
}

/// Options of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AnswerOptions {
    /// True to include the interpretation.
    pub interpret: bool,
    /// Form of the answer.
    pub form: Form,
    /// Purpose; always set if it is required.
    pub purpose: Option<Purpose>,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// Plain JSON.
    Json,
    /// The same JSON in a JAdES signature.
    Signed(SignatureTier),
    /// An ASiC-E container.
    Container,
}

/// Query of an operation: with `interpret` if it is offered, and with the purpose required if the
/// law demands one.
#[derive(Clone, Copy, Debug)]
pub struct AnswerQuery<const INTERPRETED: bool, const PURPOSE: bool>(pub AnswerOptions);

impl<const INTERPRETED: bool, const PURPOSE: bool> FromQuery for AnswerQuery<INTERPRETED, PURPOSE> {
    fn decode(query: &mut Object<'_>) -> Option<Self> {
        let interpret = match INTERPRETED {
            true => query.or("interpret", 0, |node| {
                node.described("1 adds the standardized legal interpretation; live keys get it once a lawyer has reviewed it for the service.")
                    .integer(0..=1)
            }),
            false => Some(0),
        };
        let format = query.or("format", AnswerFormat::Json, |node| {
            node.described("asice packs the answer, the raw register answers and one qualified signature over all of them into an ASiC-E container.")
                .one_of()
        });
        let mut is_signed = false;
        let sign = query.optional("sign", |node| {
            is_signed = true;
            if format == Some(AnswerFormat::Asice) {
                node.fault("must not be given with format=asice, which is signed already");
                return None;
            }
            node.described("Wraps the same JSON, with `attestation`, in a JAdES signature; not with format=asice.")
                .one_of::<SignatureTier>()
        });
        const WHAT_FOR: &str = "The purpose of the call; it is logged.";
        let purpose = match PURPOSE {
            true => query
                .required("purpose", |node| node.described(WHAT_FOR).one_of())
                .map(Some),
            false => Some(query.optional("purpose", |node| node.described(WHAT_FOR).one_of())),
        };
        let form = match (format?, sign) {
            (AnswerFormat::Asice, _) => Form::Container,
            (AnswerFormat::Json, Some(tier)) => Form::Signed(tier),
            (AnswerFormat::Json, None) if is_signed => return None,
            (AnswerFormat::Json, None) => Form::Json,
        };
        Some(Self(AnswerOptions {
            interpret: interpret? == 1,
            form,
            purpose: purpose?,
        }))
    }
}
