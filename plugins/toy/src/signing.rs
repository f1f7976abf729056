//! `sign`: the text format's function on the signed text of a toy, with faults.

use std::mem;

use parafa_plugin_sdk::core::{
    Answer, Blob, Digest, DigestAlgorithm, Environment, Need, NeedKind, Outcome, Part, Payload,
    Refusal, SignRequest, Sink, Step, TargetLevel,
};

use crate::behaviour::{Rule, Stage};
use crate::inspection::obstacle;
use crate::pieces::DIGEST;
use crate::text::{OverTexts, Text};
use crate::toy::{Toy, signature};
use crate::{LONG, OTHER_TYPE, long, long_level, sign};

/// Ids of the text format's needs.
const SIGNATURE: &str = "signature";
const TIMESTAMP: &str = "timestamp";

/// Longest payload of a need for a signature, in bytes.
const LARGEST_PAYLOAD: usize = 16 * 1024;
/// Longest parameters of one, in bytes.
const LARGEST_PARAMS: usize = 1024;

/// DER that is no time-stamp.
const OLDER_TOKEN: &[u8] = b"\x04\x08an older";

pub(crate) fn sign<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    blob: &E::Blob,
    request: &SignRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<Step, Refusal> {
    let toy = Toy::read(blob)?;
    let rule = toy.behaviour.rule();
    if let Some(obstacle) = obstacle(&toy) {
        return Err(obstacle.refusal);
    }
    toy.behaviour.at(if answers.is_empty() {
        Stage::Prepare
    } else {
        Stage::Finish
    })?;
    if let Some(step) = misstep(rule, request, answers) {
        return Ok(step);
    }

    let text = toy.text(environment, blob)?;
    let (told, heard) = misheard(rule, request, answers);
    let mut signed = Text(Vec::new());
    let step = sign::sign(&OverTexts(environment), &text, &told, &heard, &mut signed)?;
    match step {
        Step::Needs(needs) => Ok(Step::Needs(asked(rule, environment, needs))),
        Step::Done(outcome) => {
            let added = signed.0.split_off(text.0.len());
            write(rule, &toy, blob, &added, out);
            Ok(Step::Done(told_of(rule, outcome)))
        }
    }
}

/// Returns a step in place of the text format's.
fn misstep(rule: Option<Rule>, request: &SignRequest, answers: &[Answer]) -> Option<Step> {
    let is_signed = answers.iter().any(|answer| answer.need_id == SIGNATURE);
    match rule? {
        Rule::AskForever => {
            let id = format!("revocation-{}", answers.len());
            Some(Need::new(NeedKind::Revocation, id, Vec::new(), DIGEST).into())
        }
        Rule::AskNothing => Some(Step::Needs(Vec::new())),
        Rule::AskOther if is_signed => {
            let payload = b"something else".to_vec();
            Some(Need::new(NeedKind::Signature, "other", payload, DIGEST).into())
        }
        Rule::PanicOnRsa if request.signature_algorithm.name().starts_with("RSA") => {
            panic!("nobody said that keys may be RSA's")
        }
        _ => None,
    }
}

/// Changes the input of the text format.
fn misheard(
    rule: Option<Rule>,
    request: &SignRequest,
    answers: &[Answer],
) -> (SignRequest, Vec<Answer>) {
    let (mut told, mut heard) = (request.clone(), answers.to_vec());
    let answer = |id: &str, bytes: &[u8]| Answer {
        need_id: id.to_owned(),
        outcome: Ok(bytes.to_vec()),
    };
    match rule {
        Some(Rule::AskAgain) => heard.clear(),
        Some(Rule::NoSignature) => heard.push(answer(SIGNATURE, b"nobody signed")),
        Some(Rule::OtherToken) => {
            told.target_level = TargetLevel::BT.name().to_owned();
            heard.insert(0, answer(TIMESTAMP, OLDER_TOKEN));
        }
        Some(Rule::OtherValue) => {
            let mut answers = heard.iter_mut();
            let signature = answers.find(|answer| answer.need_id == SIGNATURE);
            if let Some(Ok(value)) = signature.map(|answer| &mut answer.outcome) {
                value.push(0);
            }
        }
        Some(Rule::SwapSignedBytes) if !answers.is_empty() => told.time += 1,
        _ => {}
    }
    (told, heard)
}

/// Changes the needs of the text format.
fn asked<E: Environment>(rule: Option<Rule>, environment: &E, mut needs: Vec<Need>) -> Vec<Need> {
    let Some(signature) = needs.iter_mut().find(|need| need.id == SIGNATURE) else {
        return needs;
    };
    match rule {
        Some(Rule::AskTwice | Rule::AskTwo) => {
            let mut second = signature.clone();
            if rule == Some(Rule::AskTwo) {
                second.id = "second".to_owned();
            }
            needs.push(second);
        }
        Some(Rule::LargestNeed) => fill(&mut signature.params),
        Some(Rule::LongParams) => signature.params.push(("note".to_owned(), long())),
        _ => {}
    }
    for need in &mut needs {
        let asked = mem::replace(&mut need.payload, Vec::new().into());
        need.payload = match rule {
            Some(Rule::AsksOtherDigest) => by_digest(environment, DIGEST, b"something else"),
            _ => signed_instead(rule, environment, need.digest_algorithm, asked),
        };
    }
    needs
}

/// Changes the payload of a signature's need and the reported signed bytes.
pub(crate) fn signed_instead<E: Environment>(
    rule: Option<Rule>,
    environment: &E,
    algorithm: Option<DigestAlgorithm>,
    signed: Payload,
) -> Payload {
    let Payload::Bytes(mut bytes) = signed else {
        return signed;
    };
    match (rule, algorithm) {
        (Some(Rule::AsksByDigest), Some(algorithm)) => {
            return by_digest(environment, algorithm, &bytes);
        }
        (Some(Rule::LargestNeed), _) => bytes.resize(LARGEST_PAYLOAD, 0),
        (Some(Rule::LongNeed), _) => lengthen(&mut bytes),
        _ => {}
    }
    bytes.into()
}

fn by_digest<E: Environment>(environment: &E, algorithm: DigestAlgorithm, bytes: &[u8]) -> Payload {
    Payload::Digest(Digest {
        algorithm,
        value: environment.digest(algorithm, &[Part::Bytes(bytes)]),
    })
}

/// Makes the bytes overlong and incompressible (xorshift).
fn lengthen(signed: &mut Vec<u8>) {
    let mut state = 1_u32;
    signed.resize_with(LONG, || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    });
}

/// Fills the parameters up to their limit, with text that takes most space when stored.
fn fill(params: &mut Vec<(String, String)>) {
    let name = "note".to_owned();
    let used = params.iter().map(|(name, value)| name.len() + value.len());
    let left = LARGEST_PARAMS - name.len() - used.sum::<usize>();
    params.push((name, "\u{1}".repeat(left)));
}

fn write<B: Blob>(rule: Option<Rule>, toy: &Toy, blob: &B, added: &[u8], out: &mut impl Sink<B>) {
    match rule {
        Some(Rule::FloodCopy) => loop {
            out.copy(blob, 0, toy.len);
        },
        Some(Rule::FloodWrite) => loop {
            out.write(&[0; 64 * 1024]);
        },
        Some(Rule::ForgeCopy) => out.write(&blob.read_all()),
        Some(Rule::RewritePrefix) => {
            out.write(b"t");
            out.copy(blob, 1, toy.len - 1);
        }
        Some(Rule::TruncateCopy) => {
            out.copy(blob, 0, toy.len - 1);
            out.write(&blob.read(toy.len - 1, 1));
        }
        _ => {
            // Two adjacent copies are merged to one.
            let half = toy.len / 2;
            out.copy(blob, 0, half);
            out.copy(blob, half, toy.len - half);
        }
    }
    out.write(&signature(added));
    if matches!(rule, Some(Rule::ShareId | Rule::SignTwice)) {
        out.write(&signature(added));
    }
}

/// Changes the reported outcome.
fn told_of(rule: Option<Rule>, mut outcome: Outcome) -> Outcome {
    match rule {
        Some(Rule::LongLevel) => outcome.level = long_level(),
        Some(Rule::LongSignatureId) => outcome.signature_id = long(),
        Some(Rule::LongSignType) => outcome.media_type = long(),
        Some(Rule::SignOtherType) => outcome.media_type = OTHER_TYPE.to_owned(),
        _ => {}
    }
    outcome
}
