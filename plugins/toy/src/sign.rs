use parafa_plugin_sdk::core::{
    Answer, Blob, Environment, NeedKind, Outcome, Part, Refusal, SignRequest, Sink, Step,
};

use crate::behaviour::{Behaviour, Rule, Stage};
use crate::document::{DIGEST, Document, Record};
use crate::needs::{answer_to, need};
use crate::words::{LONG, MEDIA_TYPE, OTHER_TYPE, long};

/// Longest payload of a need for a signature, in bytes.
const LARGEST_PAYLOAD: usize = 16 * 1024;
/// Longest parameters of one, in bytes.
const LARGEST_PARAMS: usize = 1024;

pub(crate) fn sign<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    blob: &E::Blob,
    request: &SignRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<Step, Refusal> {
    let document = Document::read(blob)?;
    let rule = match document.behaviour {
        Behaviour::Breaks(rule) => Some(rule),
        Behaviour::Ends(..) | Behaviour::Honest => None,
    };
    let covered = Part::Range {
        source: blob,
        offset: 0,
        len: document.len,
    };
    let mut signed_bytes = [environment.digest(DIGEST, &[covered]), request.seed.clone()].concat();
    match rule {
        Some(Rule::LargestNeed) => signed_bytes.resize(LARGEST_PAYLOAD, 0),
        Some(Rule::LongNeed) => lengthen(&mut signed_bytes),
        _ => {}
    }
    let mut signature = need(NeedKind::Signature, "signature", &signed_bytes);

    let stage = if answers.is_empty() {
        Stage::Prepare
    } else {
        Stage::Finish
    };
    document.behaviour.at(stage)?;
    match rule {
        Some(Rule::LargestNeed) => fill(&mut signature.params),
        Some(Rule::LongParams) => signature.params.push(("note".to_owned(), long())),
        Some(Rule::AskForever) => {
            return Ok(Step::Needs(vec![need(
                NeedKind::Revocation,
                &format!("revocation-{}", answers.len()),
                b"",
            )]));
        }
        Some(Rule::PanicOnRsa) if request.signature_algorithm.name().starts_with("RSA") => {
            panic!("nobody said that keys may be RSA's")
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
    Ok(Step::Done(Outcome {
        media_type: match rule {
            Some(Rule::LongSignType) => long(),
            Some(Rule::SignOtherType) => OTHER_TYPE.to_owned(),
            _ => MEDIA_TYPE.to_owned(),
        },
        level: match rule {
            Some(Rule::LongLevel) => long(),
            _ => record.level().to_owned(),
        },
        signature_id: match rule {
            Some(Rule::LongSignatureId) => long(),
            _ => record.id(),
        },
    }))
}

/// Adds what does not get shorter by being deflated (xorshift).
fn lengthen(signed_bytes: &mut Vec<u8>) {
    let mut state = 1_u32;
    signed_bytes.resize_with(LONG, || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    });
}

/// Adds as much as there may be, of what takes most room when it is stored.
fn fill(params: &mut Vec<(String, String)>) {
    let name = "note".to_owned();
    let used = params.iter().map(|(name, value)| name.len() + value.len());
    let left = LARGEST_PARAMS - name.len() - used.sum::<usize>();
    params.push((name, "\u{1}".repeat(left)));
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
