//! Makes the signature.

use parafa_plugin_sdk::cms::{SignedAttributes, SignedDataBuilder};
use parafa_plugin_sdk::core::{
    Answer, Environment, Need, NeedKind, Outcome, Refusal, SignRequest, Sink, Step, TargetLevel,
    refusal,
};

use crate::content::{content, digest};
use crate::{LEVEL_B, LEVEL_T, MEDIA_TYPE, signature};

const SIGNATURE: &str = "signature";
const TIMESTAMP: &str = "timestamp";

/// Asks for the signature value, then for a time-stamp over it at level B-T, and writes the
/// document once both are answered.
pub(crate) fn sign<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &SignRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<Step, Refusal> {
    if signature::read(document)?.is_some() {
        return Err(signature::already_signed());
    }
    let file = content(environment)?.filter(|file| request.covers == [file.name.as_str()]);
    let file = file.ok_or_else(|| unusable("the file to sign is not beside the document"))?;
    let level: TargetLevel = request.target_level.parse().map_err(unusable)?;
    let signer = request.signer_chain.first();
    let signer = signer.ok_or_else(|| unusable("the signer's certificate is missing"))?;
    let algorithm = request.signature_algorithm;
    let hash = algorithm.digest();

    let digest = digest(environment, hash, &file);
    let attributes = SignedAttributes::with_signing_time(&digest, hash, signer, request.time)
        .map_err(unusable)?;
    let Some(value) = Answer::find(answers, SIGNATURE)? else {
        let payload = attributes.to_be_signed().to_vec();
        return Ok(Need::new(NeedKind::Signature, SIGNATURE, payload, hash).into());
    };
    let mut cms = SignedDataBuilder::new(&attributes, algorithm, &request.signer_chain, value)
        .map_err(unusable)?;
    let mut reached = LEVEL_B;
    if level == TargetLevel::BT {
        let Some(token) = Answer::find(answers, TIMESTAMP)? else {
            let payload = value.to_vec();
            return Ok(Need::new(NeedKind::Timestamp, TIMESTAMP, payload, hash).into());
        };
        cms = cms.with_timestamp(token).map_err(unusable)?;
        reached = LEVEL_T;
    }

    out.write(&cms.to_der());
    Ok(Step::Done(Outcome {
        media_type: MEDIA_TYPE.to_owned(),
        level: reached.to_owned(),
        signature_id: signature::ID.to_owned(),
    }))
}

fn unusable(why: impl std::fmt::Display) -> Refusal {
    let detail = format!("The request cannot be used: {why}.");
    Refusal::new(refusal::BAD_REQUEST, detail)
}
