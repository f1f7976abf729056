//! Between the contract's records and the host's values. Strings with a
//! catalogue become enumerations; what is not in it breaks the contract.

use std::str::FromStr;

use parafa_catalogue::{
    DigestAlgorithm, NeedKind, Operation, Preservation, TargetLevel, UnknownName,
};

use super::bindings::{archive, compose, contents, describe, inspect, sign, types};
use super::bounds;
use super::text::{NAME_BYTES, SENTENCE_BYTES, SUBJECT_BYTES, both_ends, is_plain_name, line};
use crate::{
    Answer, ArchiveRequest, Archived, ComposeRequest, ContractBreach, DeriveRequest, Digest, Field,
    Member, Need, Note, Obstacle, Outcome, Parameter, Payload, Refusal, Report, SignRequest,
    SignatureSummary,
};

/// What a plugin says about itself.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct About {
    pub(crate) id: String,
    pub(crate) version: String,
    pub(crate) media_types: Vec<String>,
    pub(crate) extensions: Vec<String>,
    pub(crate) abilities: Vec<Ability>,
}

/// What an operation makes of a document.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Ability {
    pub(crate) operation: Operation,
    pub(crate) preservation: Preservation,
    pub(crate) levels: Vec<String>,
}

/// A step of asking and answering without its output.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Step<O> {
    Done(O),
    Needs(Vec<Need>),
}

/// What archiving came to, and whether there is an output.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ArchiveOutcome {
    pub(crate) archived: Archived,
    pub(crate) changed: bool,
}

impl TryFrom<describe::About> for About {
    type Error = ContractBreach;

    fn try_from(about: describe::About) -> Result<Self, ContractBreach> {
        if !is_plain_name(&about.id) {
            return Err(ContractBreach::unknown("plugin id", &about.id));
        }
        bounds::version(&about.version)?;
        if about.media_types.is_empty() {
            return Err(ContractBreach::Missing("the list of media types"));
        }
        bounds::list("media types", about.media_types.len())?;
        for media_type in &about.media_types {
            bounds::media_type(media_type)?;
        }
        bounds::list("extensions", about.extensions.len())?;
        if let Some(extension) = about
            .extensions
            .iter()
            .find(|extension| !is_plain_name(extension))
        {
            return Err(ContractBreach::unknown("file name extension", extension));
        }
        bounds::list("abilities", about.abilities.len())?;
        let abilities = about.abilities.into_iter().map(Ability::try_from);
        let abilities: Vec<_> = abilities.collect::<Result<_, _>>()?;
        Ok(Self {
            id: about.id,
            version: about.version,
            media_types: about.media_types,
            extensions: about.extensions,
            abilities,
        })
    }
}

impl TryFrom<describe::Ability> for Ability {
    type Error = ContractBreach;

    fn try_from(ability: describe::Ability) -> Result<Self, ContractBreach> {
        bounds::list("levels", ability.levels.len())?;
        for level in &ability.levels {
            bounds::level(level)?;
        }
        Ok(Self {
            operation: known(&ability.operation)?,
            preservation: known(&ability.preservation)?,
            levels: ability.levels,
        })
    }
}

pub(crate) fn refusal(refusal: types::Refusal) -> Result<Refusal, ContractBreach> {
    if !is_plain_name(&refusal.code) {
        return Err(ContractBreach::unknown("refusal code", &refusal.code));
    }
    Ok(Refusal {
        code: refusal.code.into(),
        detail: sentence(&refusal.detail),
        subjects: refusal
            .subjects
            .iter()
            .map(|subject| both_ends(subject, SUBJECT_BYTES).into_owned())
            .collect(),
    })
}

pub(crate) fn report(report: inspect::Report) -> Result<Report, ContractBreach> {
    bounds::media_type(&report.media_type)?;
    Ok(Report {
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
        notes: report
            .notes
            .into_iter()
            .map(|note| Note {
                code: line(&note.code, NAME_BYTES).into_owned().into(),
                detail: sentence(&note.detail),
            })
            .collect(),
        obstacles: report
            .obstacles
            .into_iter()
            .map(obstacle)
            .collect::<Result<_, _>>()?,
        preservation: report
            .preservation
            .iter()
            .map(|kept| Ok((known(&kept.operation)?, known(&kept.kind)?)))
            .collect::<Result<_, ContractBreach>>()?,
    })
}

fn obstacle(obstacle: inspect::Obstacle) -> Result<Obstacle, ContractBreach> {
    Ok(Obstacle {
        operation: known(&obstacle.operation)?,
        refusal: refusal(obstacle.refusal)?,
    })
}

pub(crate) fn member(member: contents::Member) -> Result<Member, ContractBreach> {
    bounds::member(&member)?;
    let digest = digest(member.digest)?;
    if digest.algorithm != DigestAlgorithm::Sha256 {
        let name = digest.algorithm.name();
        return Err(ContractBreach::unknown("digest algorithm of members", name));
    }
    Ok(Member {
        id: member.id,
        name: member.name,
        media_type: member.media_type,
        size: member.size,
        digest,
        role: known(&member.role)?,
    })
}

fn digest(digest: types::Digest) -> Result<Digest, ContractBreach> {
    let algorithm: DigestAlgorithm = known(&digest.algorithm)?;
    if digest.value.len() != algorithm.output_len() {
        return Err(ContractBreach::DigestLength {
            algorithm,
            bytes: digest.value.len(),
        });
    }
    Ok(Digest {
        algorithm,
        value: digest.value,
    })
}

pub(crate) fn payload(payload: types::Payload) -> Result<Payload, ContractBreach> {
    Ok(match payload {
        types::Payload::Bytes(bytes) => Payload::Bytes(bytes),
        types::Payload::Digest(value) => Payload::Digest(digest(value)?),
    })
}

/// What a plugin is asked to sign, covering these members.
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

impl From<&ArchiveRequest> for archive::Request {
    fn from(request: &ArchiveRequest) -> Self {
        Self {
            time: request.time,
            seed: request.seed.to_vec(),
            target_level: TargetLevel::BLt.name().to_owned(),
            params: parameters(&request.params),
        }
    }
}

impl From<&DeriveRequest> for types::Derivation {
    fn from(request: &DeriveRequest) -> Self {
        Self {
            time: request.time,
            seed: request.seed.to_vec(),
            params: parameters(&request.params),
        }
    }
}

impl From<&ComposeRequest> for compose::Request {
    fn from(request: &ComposeRequest) -> Self {
        Self {
            time: request.time,
            seed: request.seed.to_vec(),
            media_type: request.media_type.clone(),
            params: parameters(&request.params),
        }
    }
}

impl From<&Answer> for types::Answer {
    fn from(answer: &Answer) -> Self {
        Self {
            need_id: answer.need.id.clone(),
            outcome: answer.outcome.clone(),
        }
    }
}

impl TryFrom<types::Need> for Need {
    type Error = ContractBreach;

    fn try_from(need: types::Need) -> Result<Self, ContractBreach> {
        let kind: NeedKind = known(&need.kind)?;
        if need.id.is_empty() {
            return Err(ContractBreach::Missing("the id of a need"));
        }
        if need.id.len() > NAME_BYTES {
            return Err(ContractBreach::unknown("need id", &need.id));
        }
        bounds::need(kind, &need)?;
        let digest_algorithm = need.digest_algorithm.as_deref().map(known).transpose()?;
        let payload = payload(need.payload)?;
        let is_hashed = matches!(kind, NeedKind::Signature | NeedKind::Timestamp);
        if is_hashed && digest_algorithm.is_none() {
            return Err(ContractBreach::Missing("the digest algorithm of a need"));
        }
        if let Payload::Digest(digest) = &payload {
            if !is_hashed {
                return Err(ContractBreach::Missing("the certificate of a need"));
            }
            if Some(digest.algorithm) != digest_algorithm {
                let name = digest.algorithm.name();
                return Err(ContractBreach::unknown(
                    "digest algorithm of the need",
                    name,
                ));
            }
        }
        Ok(Self {
            id: need.id,
            kind,
            payload,
            digest_algorithm,
            params: need
                .params
                .into_iter()
                .map(|parameter| Parameter {
                    name: parameter.name,
                    value: parameter.value,
                })
                .collect(),
        })
    }
}

impl TryFrom<sign::Step> for Step<Outcome> {
    type Error = ContractBreach;

    fn try_from(step: sign::Step) -> Result<Self, ContractBreach> {
        let outcome = step.outcome.map(outcome).transpose()?;
        Self::either(step.needs, outcome)
    }
}

fn outcome(outcome: sign::Outcome) -> Result<Outcome, ContractBreach> {
    bounds::media_type(&outcome.media_type)?;
    bounds::level(&outcome.level)?;
    bounds::signature_id(&outcome.signature_id)?;
    Ok(Outcome {
        media_type: outcome.media_type,
        level: outcome.level,
        signature_id: outcome.signature_id,
    })
}

impl TryFrom<archive::Step> for Step<ArchiveOutcome> {
    type Error = ContractBreach;

    fn try_from(step: archive::Step) -> Result<Self, ContractBreach> {
        let outcome = step.outcome.map(ArchiveOutcome::try_from).transpose()?;
        Self::either(step.needs, outcome)
    }
}

impl TryFrom<archive::Outcome> for ArchiveOutcome {
    type Error = ContractBreach;

    fn try_from(outcome: archive::Outcome) -> Result<Self, ContractBreach> {
        bounds::media_type(&outcome.media_type)?;
        bounds::level(&outcome.level)?;
        Ok(Self {
            archived: Archived {
                media_type: outcome.media_type,
                level: outcome.level,
            },
            changed: outcome.changed,
        })
    }
}

impl<O> Step<O> {
    fn either(needs: Vec<types::Need>, outcome: Option<O>) -> Result<Self, ContractBreach> {
        match (outcome, needs.len()) {
            (Some(outcome), 0) => Ok(Self::Done(outcome)),
            (None, 1..) => Ok(Self::Needs(
                needs
                    .into_iter()
                    .map(Need::try_from)
                    .collect::<Result<_, _>>()?,
            )),
            (outcome, needs) => Err(ContractBreach::EmptyOrMixedStep {
                needs,
                outcome: if outcome.is_some() { "an" } else { "no" },
            }),
        }
    }
}

/// What a name of the catalogue stands for.
pub(crate) fn known<T: FromStr<Err = UnknownName>>(name: &str) -> Result<T, ContractBreach> {
    name.parse()
        .map_err(|unknown: UnknownName| ContractBreach::unknown(unknown.what, name))
}

fn sentence(text: &str) -> String {
    line(text, SENTENCE_BYTES).into_owned()
}

fn parameters(params: &[Parameter]) -> Vec<types::Parameter> {
    params
        .iter()
        .map(|parameter| types::Parameter {
            name: parameter.name.clone(),
            value: parameter.value.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about() -> describe::About {
        describe::About {
            id: "toy".to_owned(),
            version: "0.1.0".to_owned(),
            media_types: vec!["application/x-toy".to_owned()],
            extensions: vec!["toy".to_owned()],
            abilities: Vec::new(),
        }
    }

    #[test]
    fn a_description_is_short() {
        assert!(About::try_from(about()).is_ok());

        let long = describe::About {
            version: "1".repeat(70 * 1024),
            ..about()
        };
        assert!(matches!(
            About::try_from(long),
            Err(ContractBreach::TooLong {
                what: "version",
                ..
            })
        ));
        let long = describe::About {
            media_types: vec!["x".repeat(70 * 1024)],
            ..about()
        };
        assert!(matches!(
            About::try_from(long),
            Err(ContractBreach::TooLong {
                what: "media type",
                ..
            })
        ));
        let many = describe::About {
            media_types: (0..17).map(|number| format!("text/x-{number}")).collect(),
            ..about()
        };
        assert!(matches!(
            About::try_from(many),
            Err(ContractBreach::TooMany { entries: 17, .. })
        ));
    }
}
