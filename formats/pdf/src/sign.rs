//! Appends one PAdES baseline signature (ETSI EN 319 142-1) as an incremental
//! update (ISO 32000-2, 7.5.6).
//!
//! The update is a pure function of the document and the request, so every call
//! makes it anew. The first call asks for a signature over its digest, the
//! second for a time-stamp over the signature, the last one writes it.

mod acro_form;
mod blank_signature;
mod date;
mod empty_field;
mod request;
mod revision;

use parafa_cades::{SignedAttributes, SignedDataBuilder};
use parafa_format_core::{
    Answer, Blob, Environment, Need, NeedKind, Outcome, Part, Refusal, SignRequest, Sink, Step,
    refusal,
};
use parafa_pki::answers::{require_timestamp, require_value, unusable};

use crate::MEDIA_TYPE;
use crate::intake;
use crate::limits::Limits;
use crate::page_content::refuse_bombs;
use crate::structure::{PdfFile, with_structure};

use request::{Signing, TargetLevel};
use revision::Revision;

/// Signs a document with a PAdES baseline signature (ETSI EN 319 142-1, 6).
///
/// Without answers the step needs a `signature`; at level B-T it then needs a
/// `timestamp`. The new signature is an invisible field of its own, or the
/// empty signature field in the parameter `field`. No object of the document is
/// rewritten from a parsed form.
///
/// # Errors
/// The codes of `inspect`; `no-room` when the signature exceeds the reserved
/// bytes; `bad-request` when the request or an answer cannot be used.
pub fn sign<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &SignRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<Step, Refusal> {
    let signing = Signing::parse(request)?;
    let limits = Limits::with_room_for_a_signature();
    let revision = with_structure(document, &limits, |file| {
        let revision = prepare(file, &signing)?;
        refuse_bombs(file, document)?;
        Ok(revision)
    })?;

    let attributes = signed_attributes(environment, document, &signing, &revision)?;
    let hash = signing.algorithm.digest();
    let Some(value) = Answer::find(answers, SIGNATURE)? else {
        require_room(&signing, &cms(&signing, &attributes, &[], None)?)?;
        let payload = attributes.to_be_signed().to_vec();
        return Ok(Need::new(NeedKind::Signature, SIGNATURE, payload, hash).into());
    };
    require_value(
        environment,
        signing.signer_certificate(),
        signing.algorithm,
        attributes.to_be_signed(),
        value,
    )?;

    let timestamp = match signing.target_level {
        TargetLevel::BaselineB => None,
        TargetLevel::BaselineT => {
            let Some(token) = Answer::find(answers, TIMESTAMP)? else {
                require_room(&signing, &cms(&signing, &attributes, value, None)?)?;
                let payload = value.to_vec();
                return Ok(Need::new(NeedKind::Timestamp, TIMESTAMP, payload, hash).into());
            };
            require_timestamp(token, value)?;
            Some(token)
        }
    };
    let cms = cms(&signing, &attributes, value, timestamp)?;
    require_room(&signing, &cms)?;

    out.copy(document, 0, document.len());
    out.write(revision.before_contents());
    out.write(&revision.contents(&cms));
    out.write(revision.after_contents());
    Ok(Step::Done(Outcome {
        media_type: MEDIA_TYPE.to_owned(),
        level: signing.target_level.reached().to_owned(),
        signature_id: revision.field_name().to_owned(),
    }))
}

fn prepare(file: &PdfFile<'_>, signing: &Signing<'_>) -> Result<Revision, Refusal> {
    match signing.field {
        Some(_) => intake::examine_for_its_own_field(file)?,
        None => intake::examine_to_sign(file)?,
    };
    Revision::prepare(file, signing)
}

/// Identifiers of the needs.
const SIGNATURE: &str = "signature";
const TIMESTAMP: &str = "timestamp";

fn signed_attributes<E: Environment>(
    environment: &E,
    document: &E::Blob,
    signing: &Signing<'_>,
    revision: &Revision,
) -> Result<SignedAttributes, Refusal> {
    let algorithm = signing.algorithm.digest();
    let digest = environment.digest(
        algorithm,
        &[
            Part::Range {
                source: document,
                offset: 0,
                len: document.len(),
            },
            Part::Bytes(revision.before_contents()),
            Part::Bytes(revision.after_contents()),
        ],
    );
    SignedAttributes::new(&digest, algorithm, signing.signer_certificate())
        .map_err(|error| unusable(&error))
}

fn cms(
    signing: &Signing<'_>,
    attributes: &SignedAttributes,
    value: &[u8],
    timestamp: Option<&[u8]>,
) -> Result<Vec<u8>, Refusal> {
    let builder =
        SignedDataBuilder::new(attributes, signing.algorithm, signing.signer_chain, value)
            .map_err(|error| unusable(&error))?;
    let builder = match timestamp {
        Some(token) => builder
            .with_timestamp(token)
            .map_err(|error| unusable(&error))?,
        None => builder,
    };
    Ok(builder.to_der())
}

/// Refuses as soon as the signature is known not to fit: a person should not
/// sign in vain.
fn require_room(signing: &Signing<'_>, cms: &[u8]) -> Result<(), Refusal> {
    if cms.len() > signing.reserve {
        return Err(Refusal::new(
            refusal::NO_ROOM,
            format!(
                "The signature needs {} bytes or more, but {} were reserved.",
                cms.len(),
                signing.reserve
            ),
        ));
    }
    Ok(())
}
