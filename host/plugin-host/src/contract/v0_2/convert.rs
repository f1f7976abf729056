//! Conversions between the records of 0.2 and the host's values.

use parafa_catalogue::TargetLevel;

use super::bindings::{archive, compose, contents, describe, inspect, sign, types, verify};
use crate::contract::convert::{
    self, Ability, About, ArchiveOutcome, Made, Step, conversions, known, note,
};
use crate::{
    Answer, ArchiveRequest, Archived, ComposeRequest, ContractBreach, DeriveRequest, Evidence,
    Field, Member, Need, Obstacle, Outcome, Parameter, Payload, Refusal, Report, SignRequest,
    SignatureSummary,
};

conversions!();

pub(crate) fn about(about: describe::About) -> Result<About, ContractBreach> {
    let abilities = about.abilities.into_iter().map(ability);
    About {
        id: about.id,
        version: about.version,
        media_types: about.media_types,
        extensions: about.extensions,
        abilities: abilities.collect::<Result<_, _>>()?,
    }
    .checked()
}

fn ability(ability: describe::Ability) -> Result<Ability, ContractBreach> {
    Ok(Ability {
        operation: known(&ability.operation)?,
        preservation: known(&ability.preservation)?,
        levels: ability.levels,
    })
}

pub(crate) fn report(report: inspect::Report) -> Result<Report, ContractBreach> {
    let signatures = report.signatures.into_iter();
    let fields = report.fields.into_iter();
    let notes = report.notes.iter();
    let obstacles = report.obstacles.into_iter().map(obstacle);
    let preservation = report.preservation.iter();
    let preservation = preservation.map(|kept| Ok((known(&kept.operation)?, known(&kept.kind)?)));
    convert::report(Report {
        media_type: report.media_type,
        format_version: report.format_version,
        signatures: signatures
            .map(|summary| SignatureSummary {
                id: summary.id,
                signer: summary.signer,
                claimed_time: summary.claimed_time,
            })
            .collect(),
        fields: fields
            .map(|field| Field {
                name: field.name,
                kind: field.kind,
            })
            .collect(),
        notes: notes.map(|told| note(&told.code, &told.detail)).collect(),
        obstacles: obstacles.collect::<Result<_, _>>()?,
        preservation: preservation.collect::<Result<_, ContractBreach>>()?,
    })
}

fn obstacle(obstacle: inspect::Obstacle) -> Result<Obstacle, ContractBreach> {
    Ok(Obstacle {
        operation: known(&obstacle.operation)?,
        refusal: refusal(obstacle.refusal)?,
    })
}

pub(crate) fn member(member: contents::Member) -> Result<Member, ContractBreach> {
    convert::member(Member {
        id: member.id,
        name: member.name,
        media_type: member.media_type,
        size: member.size,
        digest: convert::digest(&member.digest.algorithm, member.digest.value)?,
        role: known(&member.role)?,
    })
}

/// Converts a request for a signature over these members.
pub(crate) fn sign_request(request: &SignRequest, covers: &[String]) -> sign::Request {
    sign::Request {
        time: request.time,
        seed: request.seed.to_vec(),
        target_level: request.target_level.name().to_owned(),
        signer_chain: request.signer_chain.clone(),
        signature_algorithm: request.signature_algorithm.to_string(),
        reserve: request.reserve,
        covers: covers.to_vec(),
        params: parameters(&request.params),
    }
}

/// Converts a request to archive, or refuses it in the plugin's place: plugins of 0.2 know B-LT
/// only.
pub(crate) fn archive_request(request: &ArchiveRequest) -> Result<archive::Request, Refusal> {
    let target_level = request.target_level;
    if target_level != TargetLevel::BLt {
        return Err(convert::no_archive_at(target_level, "0.2"));
    }
    Ok(archive::Request {
        time: request.time,
        seed: request.seed.to_vec(),
        target_level: target_level.name().to_owned(),
        params: parameters(&request.params),
    })
}

pub(crate) fn answers(answers: &[Answer]) -> Vec<types::Answer> {
    let answers = answers.iter().map(|answer| types::Answer {
        need_id: answer.need.id.clone(),
        outcome: answer.outcome.clone(),
    });
    answers.collect()
}

fn need(need: types::Need) -> Result<Need, ContractBreach> {
    let params = need.params.into_iter();
    convert::need(Need {
        id: need.id,
        kind: known(&need.kind)?,
        payload: payload(need.payload)?,
        digest_algorithm: need.digest_algorithm.as_deref().map(known).transpose()?,
        params: params
            .map(|parameter| Parameter {
                name: parameter.name,
                value: parameter.value,
            })
            .collect(),
    })
}

pub(crate) fn sign_step(step: sign::Step) -> Result<Step<Outcome>, ContractBreach> {
    let outcome = step.outcome.map(|outcome| {
        convert::outcome(Outcome {
            media_type: outcome.media_type,
            level: outcome.level,
            signature_id: outcome.signature_id,
        })
    });
    Step::either(needs(step.needs)?, outcome.transpose()?)
}

pub(crate) fn archive_step(step: archive::Step) -> Result<Step<ArchiveOutcome>, ContractBreach> {
    let outcome = step.outcome.map(|outcome| {
        ArchiveOutcome {
            archived: Archived {
                media_type: outcome.media_type,
                level: outcome.level,
            },
            changed: outcome.changed,
        }
        .checked()
    });
    Step::either(needs(step.needs)?, outcome.transpose()?)
}

#[cfg(test)]
mod tests;
