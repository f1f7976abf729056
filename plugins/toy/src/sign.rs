use parafa_plugin_sdk::core::{
    Answer, Blob, Environment, Need, NeedKind, Outcome, Part, Refusal, SignRequest, Sink, Step,
};

use crate::MEDIA_TYPE;
use crate::behaviour::Behaviour;
use crate::document::{DIGEST, Document, Record};

pub(crate) fn sign<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    blob: &E::Blob,
    request: &SignRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<Step, Refusal> {
    let document = Document::read(blob)?;
    let covered = Part::Range {
        source: blob,
        offset: 0,
        len: document.len,
    };
    let signed_bytes = [environment.digest(DIGEST, &[covered]), request.seed.clone()].concat();
    let signature = need(NeedKind::Signature, "signature", &signed_bytes);

    match document.behaviour {
        Behaviour::AskForever => {
            return Ok(Step::Needs(vec![need(
                NeedKind::Revocation,
                &format!("revocation-{}", answers.len()),
                b"",
            )]));
        }
        Behaviour::AskNothing => return Ok(Step::Needs(Vec::new())),
        Behaviour::AskTwice => return Ok(Step::Needs(vec![signature.clone(), signature])),
        _ => {}
    }

    let value = match answer_to(answers, "signature")? {
        Some(value) => value,
        None if document.behaviour == Behaviour::NoSignature => b"nobody signed".to_vec(),
        None => return Ok(Step::Needs(vec![signature])),
    };
    if document.behaviour == Behaviour::AskAgain {
        return Ok(Step::Needs(vec![signature]));
    }
    let timestamp = match request.target_level.as_str() {
        "B-T" => match answer_to(answers, "timestamp")? {
            Some(token) => Some(token),
            None => {
                return Ok(Step::Needs(vec![need(
                    NeedKind::Timestamp,
                    "timestamp",
                    &value,
                )]));
            }
        },
        _ => None,
    };

    let mut record = Record {
        start: document.len,
        end: document.len,
        signed_bytes,
        value,
        algorithm: Some(request.signature_algorithm),
        certificate: request.signer_chain.first().cloned().unwrap_or_default(),
        timestamp,
    };
    match document.behaviour {
        Behaviour::OtherToken => record.timestamp = Some(b"an older token".to_vec()),
        Behaviour::OtherValue => record.value.push(0),
        Behaviour::SwapSignedBytes => record.signed_bytes.push(0),
        _ => {}
    }
    write(&document, blob, &record, out);
    let level = record.level().to_owned();
    Ok(Step::Done(Outcome {
        media_type: MEDIA_TYPE.to_owned(),
        level,
        signature_id: record.id(),
    }))
}

fn write<B: Blob>(document: &Document, blob: &B, record: &Record, out: &mut impl Sink<B>) {
    match document.behaviour {
        Behaviour::FloodCopy => loop {
            out.copy(blob, 0, document.len);
        },
        Behaviour::FloodWrite => loop {
            out.write(&[0; 64 * 1024]);
        },
        Behaviour::ForgeCopy => out.write(&blob.read_all()),
        Behaviour::TruncateCopy => {
            out.copy(blob, 0, document.len - 1);
            out.write(&blob.read(document.len - 1, 1));
        }
        _ => {
            // Two copies that meet are as good as one.
            let half = document.len / 2;
            out.copy(blob, 0, half);
            out.copy(blob, half, document.len - half);
        }
    }
    out.write(&record.encode());
    if matches!(
        document.behaviour,
        Behaviour::ShareId | Behaviour::SignTwice
    ) {
        out.write(&record.encode());
    }
}

fn need(kind: NeedKind, id: &str, payload: &[u8]) -> Need {
    Need {
        id: id.to_owned(),
        kind,
        payload: payload.to_vec(),
        params: vec![("digest-algorithm".to_owned(), DIGEST.name().to_owned())],
    }
}

fn answer_to(answers: &[Answer], id: &str) -> Result<Option<Vec<u8>>, Refusal> {
    match answers
        .iter()
        .find(|answer| answer.need_id == id)
        .map(|answer| &answer.outcome)
    {
        Some(Ok(bytes)) => Ok(Some(bytes.clone())),
        Some(Err(reason)) => Err(Refusal::new("unanswered", reason.clone())),
        None => Ok(None),
    }
}
