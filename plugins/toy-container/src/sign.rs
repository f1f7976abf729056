use parafa_plugin_sdk::core::{
    Answer, Digest, Environment, Need, NeedKind, Obstacle, Operation, Outcome, Part, Payload,
    Refusal, SignRequest, Sink, Step, TargetLevel, refusal,
};

use crate::behaviour::{Behaviour, Rule};
use crate::document::{Document, Signature, to_be_signed};
use crate::pieces::{self, whole};
use crate::words::{LEVEL_B, LEVEL_T, MEDIA_TYPE};

const SIGNATURE: &str = "signature";
const TIMESTAMP: &str = "timestamp";

pub(crate) fn sign<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    blob: &E::Blob,
    request: &SignRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<Step, Refusal> {
    let document = Document::read(blob)?;
    if let Some(obstacle) = obstacle(&document) {
        return Err(obstacle.refusal);
    }
    let digests = document.digests(environment, blob)?;
    let covered = document.files.iter().zip(&digests);
    let left_out = usize::from(document.breaks(Rule::CoversTooLittle));
    let covered = covered
        .filter(|(file, _)| request.covers.contains(&file.name))
        .take(request.covers.len().saturating_sub(left_out));
    let signed = to_be_signed(covered, &request.seed);
    let algorithm = request.signature_algorithm.digest();
    let Some(value) = answer_to(answers, SIGNATURE)? else {
        let digest_of = |bytes: &[u8]| {
            Payload::Digest(Digest {
                algorithm,
                value: environment.digest(algorithm, &[Part::Bytes(bytes)]),
            })
        };
        let payload = match document.behaviour {
            Behaviour::AsksByDigest => digest_of(&signed),
            Behaviour::Breaks(Rule::AsksOtherDigest) => digest_of(b"something else"),
            _ => signed.into(),
        };
        return Ok(Step::Needs(vec![Need {
            id: SIGNATURE.to_owned(),
            kind: NeedKind::Signature,
            payload,
            digest_algorithm: Some(algorithm),
            params: Vec::new(),
        }]));
    };
    let mut timestamps = Vec::new();
    if request.target_level == TargetLevel::BT.name() {
        let Some(token) = answer_to(answers, TIMESTAMP)? else {
            return Ok(Step::Needs(vec![Need {
                id: TIMESTAMP.to_owned(),
                kind: NeedKind::Timestamp,
                payload: value.into(),
                digest_algorithm: Some(pieces::DIGEST),
                params: Vec::new(),
            }]));
        };
        timestamps.push(token);
    }
    let signature = Signature {
        id: format!("signature-{}", document.signatures.len() + 1),
        signed,
        value,
        algorithm: Some(request.signature_algorithm),
        certificate: request.signer_chain.first().cloned().unwrap_or_default(),
        timestamps,
        revocation: None,
        offset: document.len,
        end: document.len,
    };
    whole(blob).write(blob, out)?;
    out.write(&signature.encode());
    Ok(Step::Done(Outcome {
        media_type: MEDIA_TYPE.to_owned(),
        level: if signature.timestamps.is_empty() {
            LEVEL_B
        } else {
            LEVEL_T
        }
        .to_owned(),
        signature_id: signature.id,
    }))
}

/// The answer to a need, if there is one already; refuses for the reason why
/// there never will be.
pub(crate) fn answer_to(answers: &[Answer], id: &str) -> Result<Option<Vec<u8>>, Refusal> {
    match answers.iter().find(|answer| answer.need_id == id) {
        None => Ok(None),
        Some(answer) => answer.outcome.clone().map(Some).map_err(|reason| {
            Refusal::new(refusal::BAD_REQUEST, format!("There is no {id}: {reason}."))
        }),
    }
}

/// Why nobody may sign the document.
pub(crate) fn obstacle(document: &Document) -> Option<Obstacle> {
    let refusal = Refusal::new(
        refusal::CONTAINER_FINALIZED,
        "Nothing may be added to the container.",
    );
    (document.behaviour == Behaviour::Finalized).then_some(Obstacle {
        operation: Operation::Sign,
        refusal,
    })
}
