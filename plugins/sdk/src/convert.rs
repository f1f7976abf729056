use std::borrow::Cow;

use parafa_format_core as core;

use crate::bindings::contents::Member;
use crate::bindings::describe::{Ability, About};
use crate::bindings::inspect::{Field, Obstacle, Preservation, Report, SignatureSummary};
use crate::bindings::sign::{Outcome, Request, Step};
use crate::bindings::verify::{
    Coverage, Evidence, LaterChanges, SignatureEvidence, TimestampEvidence,
};
use crate::bindings::{
    Answer, Derivation, Digest, Made, Need, Note, Parameter, Payload, Refusal, archive, compose,
};

/// An algorithm that is not in the catalogue is refused, not a panic: the host
/// may be newer than the plugin.
pub(crate) fn sign_request(request: Request) -> Result<core::SignRequest, Refusal> {
    let signature_algorithm =
        request
            .signature_algorithm
            .parse()
            .map_err(|error: core::UnknownName| {
                core::Refusal::new(core::refusal::BAD_REQUEST, error.to_string())
            })?;
    Ok(core::SignRequest {
        time: request.time,
        seed: request.seed,
        target_level: request.target_level,
        signer_chain: request.signer_chain,
        signature_algorithm,
        reserve: request.reserve,
        covers: request.covers,
        params: parameters(request.params),
    })
}

impl From<archive::Request> for core::ArchiveRequest {
    fn from(request: archive::Request) -> Self {
        Self {
            time: request.time,
            seed: request.seed,
            target_level: request.target_level,
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
        }
    }
}

impl From<&core::Ability> for Ability {
    fn from(ability: &core::Ability) -> Self {
        Self {
            operation: ability.operation.name().to_owned(),
            preservation: ability.preservation.name().to_owned(),
            levels: ability.levels.iter().map(|&level| level.into()).collect(),
        }
    }
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
                    kind: field.kind,
                })
                .collect(),
            notes: report.notes.into_iter().map(Into::into).collect(),
            obstacles: report
                .obstacles
                .into_iter()
                .map(|obstacle| Obstacle {
                    operation: obstacle.operation.name().to_owned(),
                    refusal: obstacle.refusal.into(),
                })
                .collect(),
            preservation: report
                .preservation
                .into_iter()
                .map(|(operation, kind)| Preservation {
                    operation: operation.name().to_owned(),
                    kind: kind.name().to_owned(),
                })
                .collect(),
        }
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
            role: member.role.name().to_owned(),
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

impl From<Answer> for core::Answer {
    fn from(answer: Answer) -> Self {
        Self {
            need_id: answer.need_id,
            outcome: answer.outcome,
        }
    }
}

impl From<core::Need> for Need {
    fn from(need: core::Need) -> Self {
        Self {
            id: need.id,
            kind: need.kind.name().to_owned(),
            payload: need.payload.into(),
            digest_algorithm: need
                .digest_algorithm
                .map(|algorithm| algorithm.name().to_owned()),
            params: need
                .params
                .into_iter()
                .map(|(name, value)| Parameter { name, value })
                .collect(),
        }
    }
}

impl From<core::Step> for Step {
    fn from(step: core::Step) -> Self {
        match step {
            core::Step::Done(outcome) => Self {
                needs: Vec::new(),
                outcome: Some(Outcome {
                    media_type: outcome.media_type,
                    level: outcome.level,
                    signature_id: outcome.signature_id,
                }),
            },
            core::Step::Needs(needs) => Self {
                needs: needs.into_iter().map(Into::into).collect(),
                outcome: None,
            },
        }
    }
}

impl From<core::ArchiveStep> for archive::Step {
    fn from(step: core::ArchiveStep) -> Self {
        match step {
            core::Step::Done(archived) => Self {
                needs: Vec::new(),
                outcome: Some(archive::Outcome {
                    media_type: archived.media_type,
                    level: archived.level,
                    changed: archived.changed,
                }),
            },
            core::Step::Needs(needs) => Self {
                needs: needs.into_iter().map(Into::into).collect(),
                outcome: None,
            },
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

impl From<core::TimestampEvidence> for TimestampEvidence {
    fn from(evidence: core::TimestampEvidence) -> Self {
        Self {
            kind: evidence.kind.name().to_owned(),
            token: evidence.token,
            time: evidence.time,
            status: evidence.status.name().to_owned(),
        }
    }
}

impl From<core::LaterChanges> for LaterChanges {
    fn from(changes: core::LaterChanges) -> Self {
        Self {
            kind: changes.kind.name().to_owned(),
            unpermitted: changes.unpermitted,
        }
    }
}

impl From<core::Evidence> for Evidence {
    fn from(evidence: core::Evidence) -> Self {
        Self {
            certificates: evidence.certificates,
            revocation: evidence.revocation,
            signatures: evidence.signatures.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<core::SignatureEvidence> for SignatureEvidence {
    fn from(evidence: core::SignatureEvidence) -> Self {
        Self {
            id: evidence.id,
            kind: evidence.kind.name().to_owned(),
            claimed_time: evidence.claimed_time,
            signed: evidence.signed.into(),
            value: evidence.value,
            algorithm: evidence
                .algorithm
                .map_or(core::levels::UNKNOWN, core::SignatureAlgorithm::name)
                .to_owned(),
            signer_certificate: evidence.signer_certificate,
            certificates: evidence.certificates,
            timestamps: evidence.timestamps.into_iter().map(Into::into).collect(),
            revocation: evidence.revocation,
            coverage: Coverage {
                kind: evidence.coverage.kind.name().to_owned(),
                members: evidence.coverage.members,
            },
            integrity: evidence.integrity.name().to_owned(),
            later_changes: evidence.later_changes.into(),
            level: evidence.level,
        }
    }
}

fn parameters(params: Vec<Parameter>) -> Vec<(String, String)> {
    params
        .into_iter()
        .map(|parameter| (parameter.name, parameter.value))
        .collect()
}
