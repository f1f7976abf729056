//! Adds a signature.

use parafa_plugin_sdk::cms::{SignedAttributes, SignedDataBuilder};
use parafa_plugin_sdk::core::{
    Answer, Blob, Environment, Need, NeedKind, Outcome, Part, Refusal, SignRequest, Sink, Step,
    TargetLevel, refusal,
};

use crate::document::{Document, block};
use crate::{LEVEL_B, LEVEL_T, MEDIA_TYPE};

const SIGNATURE: &str = "signature";
const TIMESTAMP: &str = "timestamp";

/// Returns its needs, and is called again with the answers so far, each time from the beginning.
/// Nothing is kept between two calls, and the same request and answers give the same bytes. The
/// output is written only once all needs are answered.
pub(crate) fn sign<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &SignRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<Step, Refusal> {
    let read = Document::read(document)?;
    let level: TargetLevel = request.target_level.parse().map_err(unusable)?;
    let algorithm = request.signature_algorithm;
    let hash = algorithm.digest();
    let Some(signer) = request.signer_chain.first() else {
        return Err(unusable("the signer's certificate is missing"));
    };

    // The signature covers exactly the bytes before it: the document, which stays with the host,
    // and the text added before the value.
    let head = read.head(request.time);
    let covered = [
        Part::Range {
            source: document,
            offset: 0,
            len: document.len(),
        },
        Part::Bytes(head.as_bytes()),
    ];
    let digest = environment.digest(hash, &covered);
    let attributes = SignedAttributes::new(&digest, hash, signer).map_err(unusable)?;

    // The signed bytes of CMS are the attributes as a SET OF (RFC 5652, 5.4),
    // not hashed: the host hashes them, and shows them to the signer's device.
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

    out.copy(document, 0, document.len());
    out.write(head.as_bytes());
    out.write(block(&cms.to_der()).as_bytes());
    Ok(Step::Done(Outcome {
        media_type: MEDIA_TYPE.to_owned(),
        level: reached.to_owned(),
        signature_id: read.next_id(),
    }))
}

fn unusable(why: impl std::fmt::Display) -> Refusal {
    let detail = format!("The request cannot be used: {why}.");
    Refusal::new(refusal::BAD_REQUEST, detail)
}
