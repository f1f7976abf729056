//! Conversions between the records of the contract and the values of formats.

use std::borrow::Cow;

use parafa_format_core as core;

use crate::bindings::contents::{Member, MemberRole};
use crate::bindings::describe::{Ability, About};
use crate::bindings::inspect::{Field, FieldKind, Kept, Obstacle, Report, SignatureSummary};
use crate::bindings::sign::{Outcome, Request, Step, TargetLevel};
use crate::bindings::types::{
    Baseline, Check, Level, NoAnswer, Operation, Preservation, Question, RevocationQuestion,
    SignatureQuestion, TimestampKind, TimestampQuestion,
};
use crate::bindings::{
    Answer, Derivation, Digest, Made, Need, Note, Parameter, Payload, Refusal, archive, compose,
};

/// Converts a request. An algorithm outside the catalogue is refused without a panic: the host may
/// be newer than the plugin.
pub(crate) fn sign_request(request: Request) -> Result<core::SignRequest, Refusal> {
    let signature_algorithm =
        request
            .signature_algorithm
            .parse()
            .map_err(|error: core::UnknownName| {
                core::Refusal::new(core::refusal::BAD_REQUEST, error.to_string())
            })?;
    let target = match request.target {
        TargetLevel::BB => core::TargetLevel::BB,
        TargetLevel::BT => core::TargetLevel::BT,
    };
    Ok(core::SignRequest {
        time: request.time,
        seed: request.seed,
        target_level: target.name().to_owned(),
        signer_chain: request.signer_chain,
        signature_algorithm,
        reserve: request.reserve,
        covers: request.covers,
        params: parameters(request.params),
    })
}

impl From<archive::Request> for core::ArchiveRequest {
    fn from(request: archive::Request) -> Self {
        let target = match request.target {
            archive::TargetLevel::BLt => core::TargetLevel::BLt,
            archive::TargetLevel::BLta => core::TargetLevel::BLta,
        };
        Self {
            time: request.time,
            seed: request.seed,
            target_level: target.name().to_owned(),
            params: parameters(request.params),
        }
    }
}

impl From<Derivation> for core::DeriveRequest {
    fn from(request: Derivation) -> Self {
        Self {
            time: request.time,
            seed: request.seed,
            params: parameters(request.params),
        }
    }
}

impl From<compose::Request> for core::ComposeRequest {
    fn from(request: compose::Request) -> Self {
        Self {
            time: request.time,
            seed: request.seed,
            media_type: request.media_type,
            params: parameters(request.params),
        }
    }
}

impl From<core::About> for About {
    fn from(about: core::About) -> Self {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Self {
            id: about.id.to_owned(),
            version: about.version.to_owned(),
            media_types: owned(about.media_types),
            extensions: owned(about.extensions),
            abilities: about.abilities.iter().map(Into::into).collect(),
            properties: Vec::new(),
        }
    }
}

impl From<&core::Ability> for Ability {
    fn from(ability: &core::Ability) -> Self {
        Self {
            operation: ability.operation.into(),
            preservation: ability.preservation.into(),
            levels: ability.levels.iter().map(|name| level(name)).collect(),
        }
    }
}

impl From<core::Operation> for Operation {
    fn from(operation: core::Operation) -> Self {
        match operation {
            core::Operation::Archive => Self::Archive,
            core::Operation::Flatten => Self::Flatten,
            core::Operation::Rehearse => Self::Rehearse,
            core::Operation::Sign => Self::Sign,
        }
    }
}

impl From<core::Preservation> for Preservation {
    fn from(preservation: core::Preservation) -> Self {
        match preservation {
            core::Preservation::Rewrite => Self::Rewrite,
            core::Preservation::ToCentralDirectory => Self::ToCentralDirectory,
            core::Preservation::Whole => Self::Whole,
        }
    }
}

/// Splits a name such as `PAdES-B-T` into profile and baseline level; `None` for other profiles.
pub(crate) fn level_of(name: &str) -> Option<Level> {
    let (profile, baseline) = core::BaselineLevel::split(name)?;
    Some(Level {
        profile: profile.to_owned(),
        baseline: match baseline {
            core::BaselineLevel::B => Baseline::B,
            core::BaselineLevel::T => Baseline::T,
            core::BaselineLevel::Lt => Baseline::Lt,
            core::BaselineLevel::Lta => Baseline::Lta,
        },
    })
}

/// Like `level_of`, for a level that an operation reaches.
fn level(name: &str) -> Level {
    level_of(name).unwrap_or_else(|| panic!("the level {name:?} has no baseline level at its end"))
}

impl From<core::Refusal> for Refusal {
    fn from(refusal: core::Refusal) -> Self {
        Self {
            code: refusal.code.into_owned(),
            detail: refusal.detail,
            subjects: refusal.subjects,
        }
    }
}

impl From<core::Note> for Note {
    fn from(note: core::Note) -> Self {
        Self {
            code: note.code.into_owned(),
            detail: note.detail,
        }
    }
}

impl From<core::Report> for Report {
    fn from(report: core::Report) -> Self {
        let room = report.room_for_signatures();
        let is_room = |note: &core::Note| note.code == core::note::ROOM;
        Self {
            media_type: report.media_type,
            format_version: report.format_version,
            signatures: report
                .signatures
                .into_iter()
                .map(|summary| SignatureSummary {
                    id: summary.id,
                    signer: summary.signer,
                    claimed_time: summary.claimed_time,
                })
                .collect(),
            fields: report
                .fields
                .into_iter()
                .map(|field| Field {
                    name: field.name,
                    kind: field_kind(&field.kind),
                })
                .collect(),
            notes: report
                .notes
                .into_iter()
                .filter(|note| !is_room(note))
                .map(Into::into)
                .collect(),
            obstacles: report
                .obstacles
                .into_iter()
                .map(|obstacle| Obstacle {
                    operation: obstacle.operation.into(),
                    refusal: obstacle.refusal.into(),
                })
                .collect(),
            preservation: report
                .preservation
                .into_iter()
                .map(|(operation, preservation)| Kept {
                    operation: operation.into(),
                    preservation: preservation.into(),
                })
                .collect(),
            room: room.map(|room| u32::try_from(room).unwrap_or(u32::MAX)),
        }
    }
}

fn field_kind(kind: &str) -> FieldKind {
    match kind {
        "text" => FieldKind::Text,
        "choice" => FieldKind::Choice,
        "button" => FieldKind::Button,
        "signature" => FieldKind::Signature,
        _ => FieldKind::Unknown,
    }
}

impl From<core::Member> for Member {
    fn from(member: core::Member) -> Self {
        Self {
            id: member.id,
            name: member.name,
            media_type: member.media_type,
            size: member.size,
            digest: member.digest.into(),
            role: match member.role {
                core::MemberRole::Main => MemberRole::Main,
                core::MemberRole::Attachment => MemberRole::Attachment,
                core::MemberRole::Metadata => MemberRole::Metadata,
            },
            properties: Vec::new(),
        }
    }
}

impl From<core::Digest> for Digest {
    fn from(digest: core::Digest) -> Self {
        Self {
            algorithm: digest.algorithm.name().to_owned(),
            value: digest.value,
        }
    }
}

impl From<core::Payload> for Payload {
    fn from(payload: core::Payload) -> Self {
        match payload {
            core::Payload::Bytes(bytes) => Self::Bytes(bytes),
            core::Payload::Digest(digest) => Self::Digest(digest.into()),
        }
    }
}

impl From<core::Verdict> for Check {
    fn from(verdict: core::Verdict) -> Self {
        match verdict {
            core::Verdict::Holds => Self::Holds,
            core::Verdict::Broken(code) => Self::Broken(code.into_owned()),
            core::Verdict::Unknown(code) => Self::Unknown(code.into_owned()),
        }
    }
}

impl From<core::TimestampKind> for TimestampKind {
    fn from(kind: core::TimestampKind) -> Self {
        match kind {
            core::TimestampKind::Signature => Self::Signature,
            core::TimestampKind::Content => Self::Content,
            core::TimestampKind::Archive => Self::Archive,
            core::TimestampKind::Document => Self::Document,
            core::TimestampKind::TimeMark => Self::TimeMark,
        }
    }
}

impl From<Answer> for core::Answer {
    fn from(answer: Answer) -> Self {
        Self {
            need_id: answer.need_id,
            outcome: answer.outcome.map_err(|why| match why {
                NoAnswer::Anchor => core::reason::ANCHOR.to_owned(),
                NoAnswer::Untrusted => core::reason::UNTRUSTED.to_owned(),
                NoAnswer::Unavailable => core::reason::UNAVAILABLE.to_owned(),
                NoAnswer::Other(why) => why,
            }),
        }
    }
}

/// Converts a need; a time-stamp without a kind is of the `usual` one.
fn need(need: core::Need, usual: core::TimestampKind) -> Need {
    let digest_algorithm = || {
        let algorithm = need.digest_algorithm.map(core::DigestAlgorithm::name);
        algorithm.unwrap_or_default().to_owned()
    };
    let certificate = |payload: core::Payload| match payload {
        core::Payload::Bytes(certificate) => certificate,
        core::Payload::Digest(_) => panic!("a certificate is asked about by its digest"),
    };
    Need {
        question: match need.kind {
            core::NeedKind::Signature => Question::Signature(SignatureQuestion {
                digest_algorithm: digest_algorithm(),
                payload: need.payload.into(),
                params: need
                    .params
                    .into_iter()
                    .map(|(name, value)| Parameter { name, value })
                    .collect(),
            }),
            core::NeedKind::Timestamp => Question::Timestamp(TimestampQuestion {
                kind: need.stamps.unwrap_or(usual).into(),
                digest_algorithm: digest_algorithm(),
                payload: need.payload.into(),
            }),
            core::NeedKind::Certificate => Question::Certificate(certificate(need.payload)),
            core::NeedKind::Revocation => Question::Revocation(RevocationQuestion {
                certificate: certificate(need.payload),
                issuer: need.issuer,
                time: need.time,
            }),
        },
        id: need.id,
    }
}

fn needs(needs: Vec<core::Need>, usual: core::TimestampKind) -> Vec<Need> {
    let needs = needs.into_iter().map(|asked| need(asked, usual));
    needs.collect()
}

impl From<core::Step> for Step {
    fn from(step: core::Step) -> Self {
        match step {
            core::Step::Done(outcome) => Self::Done(Outcome {
                media_type: outcome.media_type,
                level: level(&outcome.level),
                signature_id: outcome.signature_id,
            }),
            core::Step::Needs(asked) => Self::Needs(needs(asked, core::TimestampKind::Signature)),
        }
    }
}

impl From<core::ArchiveStep> for archive::Step {
    fn from(step: core::ArchiveStep) -> Self {
        match step {
            core::Step::Done(archived) => Self::Done(archive::Outcome {
                media_type: archived.media_type,
                level: level(&archived.level),
                changed: archived.changed,
            }),
            core::Step::Needs(asked) => Self::Needs(needs(asked, core::TimestampKind::Archive)),
        }
    }
}

impl From<core::Made> for Made {
    fn from(made: core::Made) -> Self {
        Self {
            media_type: made.media_type,
            notes: made.notes.into_iter().map(Cow::into_owned).collect(),
        }
    }
}

fn parameters(params: Vec<Parameter>) -> Vec<(String, String)> {
    params
        .into_iter()
        .map(|parameter| (parameter.name, parameter.value))
        .collect()
}
