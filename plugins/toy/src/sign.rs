use parafa_plugin_sdk::core::{
    Answer, Blob, Environment, NeedKind, Outcome, Part, Refusal, SignRequest, Sink, Step,
};

use crate::behaviour::{Behaviour, Rule, Stage};
use crate::document::{DIGEST, Document, Record};
use crate::needs::{answer_to, need};
use crate::{MEDIA_TYPE, OTHER_TYPE};

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

    let stage = if answers.is_empty() {
        Stage::Prepare
    } else {
        Stage::Finish
    };
    document.behaviour.at(stage)?;
    let rule = match document.behaviour {
        Behaviour::Breaks(rule) => Some(rule),
        Behaviour::Ends(..) | Behaviour::Honest => None,
    };
    match rule {
        Some(Rule::AskForever) => {
            return Ok(Step::Needs(vec![need(
                NeedKind::Revocation,
                &format!("revocation-{}", answers.len()),
                b"",
            )]));
        }
        Some(Rule::AskNothing) => return Ok(Step::Needs(Vec::new())),
        Some(Rule::AskTwice) => return Ok(Step::Needs(vec![signature.clone(), signature])),
        Some(Rule::AskTwo) => {
            let second = need(NeedKind::Signature, "second", &signed_bytes);
            return Ok(Step::Needs(vec![signature, second]));
        }
        _ => {}
    }

    let value = match answer_to(answers, "signature")? {
        Some(value) => value,
        None if rule == Some(Rule::NoSignature) => b"nobody signed".to_vec(),
        None => return Ok(Step::Needs(vec![signature])),
    };
    match rule {
        Some(Rule::AskAgain) => return Ok(Step::Needs(vec![signature])),
        Some(Rule::AskOther) => {
            let other = need(NeedKind::Signature, "other", b"something else");
            return Ok(Step::Needs(vec![other]));
        }
        _ => {}
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
        validation: None,
    };
    match rule {
        Some(Rule::OtherToken) => record.timestamp = Some(b"an older token".to_vec()),
        Some(Rule::OtherValue) => record.value.push(0),
        Some(Rule::SwapSignedBytes) => record.signed_bytes.push(0),
        _ => {}
    }
    write(rule, &document, blob, &record, out);
    let level = record.level().to_owned();
    Ok(Step::Done(Outcome {
        media_type: match rule {
            Some(Rule::SignOtherType) => OTHER_TYPE.to_owned(),
            _ => MEDIA_TYPE.to_owned(),
        },
        level,
        signature_id: record.id(),
    }))
}

fn write<B: Blob>(
    rule: Option<Rule>,
    document: &Document,
    blob: &B,
    record: &Record,
    out: &mut impl Sink<B>,
) {
    match rule {
        Some(Rule::FloodCopy) => loop {
            out.copy(blob, 0, document.len);
        },
        Some(Rule::FloodWrite) => loop {
            out.write(&[0; 64 * 1024]);
        },
        Some(Rule::ForgeCopy) => out.write(&blob.read_all()),
        Some(Rule::RewritePrefix) => {
            out.write(b"t");
            out.copy(blob, 1, document.len - 1);
        }
        Some(Rule::TruncateCopy) => {
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
    if matches!(rule, Some(Rule::ShareId | Rule::SignTwice)) {
        out.write(&record.encode());
    }
}
