//! Between the contract's records and the host's values. Strings with a
//! catalogue become enumerations; what is not in it breaks the contract.

use std::collections::BTreeMap;

use crate::bindings::archive::exports::parafa::format::archiving;
use crate::bindings::compose::exports::parafa::format::composition;
use crate::bindings::describe::exports::parafa::format::description;
use crate::bindings::inspect::exports::parafa::format::inspection;
use crate::bindings::sign::exports::parafa::format::signing;
use crate::bindings::types;
use crate::bounds;
use crate::text::{NAME_BYTES, SENTENCE_BYTES, SUBJECT_BYTES, both_ends, is_plain_name, line};
use crate::{
    Answer, ArchiveRequest, Archived, ComposeRequest, ContractBreach, DeriveRequest, Field, Need,
    NeedKind, Note, Outcome, Parameter, Preservation, Refusal, Report, SignRequest,
    SignatureSummary,
};

const DIGEST_ALGORITHM: &str = "digest-algorithm";

/// What a plugin says about itself.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct About {
    pub(crate) id: String,
    pub(crate) version: String,
    pub(crate) media_types: Vec<String>,
    pub(crate) extensions: Vec<String>,
    pub(crate) preservation: BTreeMap<String, Preservation>,
}

/// The only level to archive to.
const ARCHIVE_LEVEL: &str = "B-LT";

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

impl TryFrom<description::About> for About {
    type Error = ContractBreach;

    fn try_from(about: description::About) -> Result<Self, ContractBreach> {
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
        bounds::list("kinds of preservation", about.preservation.len())?;
        let preservation = about
            .preservation
            .into_iter()
            .map(|kept| match Preservation::parse(&kept.kind) {
                Some(preservation) => Ok((kept.operation, preservation)),
                None => Err(ContractBreach::unknown("kind of preservation", &kept.kind)),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            id: about.id,
            version: about.version,
            media_types: about.media_types,
            extensions: about.extensions,
            preservation,
        })
    }
}

impl TryFrom<types::Refusal> for Refusal {
    type Error = ContractBreach;

    fn try_from(refusal: types::Refusal) -> Result<Self, ContractBreach> {
        if !is_plain_name(&refusal.code) {
            return Err(ContractBreach::unknown("refusal code", &refusal.code));
        }
        Ok(Self {
            code: refusal.code,
            detail: sentence(&refusal.detail),
            subjects: refusal
                .subjects
                .iter()
                .map(|subject| both_ends(subject, SUBJECT_BYTES).into_owned())
                .collect(),
        })
    }
}

impl TryFrom<inspection::Report> for Report {
    type Error = ContractBreach;

    fn try_from(report: inspection::Report) -> Result<Self, ContractBreach> {
        bounds::media_type(&report.media_type)?;
        Ok(Self {
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
                    code: line(&note.code, NAME_BYTES).into_owned(),
                    detail: sentence(&note.detail),
                })
                .collect(),
        })
    }
}

impl From<&SignRequest> for signing::Request {
    fn from(request: &SignRequest) -> Self {
        Self {
            time: request.time,
            seed: request.seed.to_vec(),
            target_level: request.target_level.name().to_owned(),
            signer_chain: request.signer_chain.clone(),
            signature_algorithm: request.signature_algorithm.to_string(),
            reserve: request.reserve,
            params: parameters(&request.params),
        }
    }
}

impl From<&ArchiveRequest> for archiving::Request {
    fn from(request: &ArchiveRequest) -> Self {
        Self {
            time: request.time,
            seed: request.seed.to_vec(),
            target_level: ARCHIVE_LEVEL.to_owned(),
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

impl From<&ComposeRequest> for composition::Request {
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
        let kind = NeedKind::parse(&need.kind)
            .ok_or_else(|| ContractBreach::unknown("kind of need", &need.kind))?;
        if need.id.is_empty() {
            return Err(ContractBreach::Missing("the id of a need"));
        }
        if need.id.len() > NAME_BYTES {
            return Err(ContractBreach::unknown("need id", &need.id));
        }
        bounds::need(kind, &need)?;
        let digest_algorithm = need
            .params
            .iter()
            .find(|parameter| parameter.name == DIGEST_ALGORITHM)
            .map(|parameter| {
                let unknown = |_| ContractBreach::unknown("digest algorithm", &parameter.value);
                parameter.value.parse().map_err(unknown)
            })
            .transpose()?;
        if digest_algorithm.is_none() && matches!(kind, NeedKind::Signature | NeedKind::Timestamp) {
            return Err(ContractBreach::Missing("the digest algorithm of a need"));
        }
        Ok(Self {
            id: need.id,
            kind,
            payload: need.payload,
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

impl TryFrom<signing::Step> for Step<Outcome> {
    type Error = ContractBreach;

    fn try_from(step: signing::Step) -> Result<Self, ContractBreach> {
        let outcome = step.outcome.map(Outcome::try_from).transpose()?;
        Self::either(step.needs, outcome)
    }
}

impl TryFrom<signing::Outcome> for Outcome {
    type Error = ContractBreach;

    fn try_from(outcome: signing::Outcome) -> Result<Self, ContractBreach> {
        bounds::media_type(&outcome.media_type)?;
        bounds::level(&outcome.level)?;
        bounds::signature_id(&outcome.signature_id)?;
        Ok(Self {
            media_type: outcome.media_type,
            level: outcome.level,
            signature_id: outcome.signature_id,
        })
    }
}

impl TryFrom<archiving::Step> for Step<ArchiveOutcome> {
    type Error = ContractBreach;

    fn try_from(step: archiving::Step) -> Result<Self, ContractBreach> {
        let outcome = step.outcome.map(ArchiveOutcome::try_from).transpose()?;
        Self::either(step.needs, outcome)
    }
}

impl TryFrom<archiving::Outcome> for ArchiveOutcome {
    type Error = ContractBreach;

    fn try_from(outcome: archiving::Outcome) -> Result<Self, ContractBreach> {
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

    fn about() -> description::About {
        description::About {
            id: "toy".to_owned(),
            version: "0.1.0".to_owned(),
            media_types: vec!["application/x-toy".to_owned()],
            extensions: vec!["toy".to_owned()],
            preservation: Vec::new(),
        }
    }

    #[test]
    fn a_description_is_short() {
        assert!(About::try_from(about()).is_ok());

        let long = description::About {
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
        let long = description::About {
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
        let many = description::About {
            media_types: (0..17).map(|number| format!("text/x-{number}")).collect(),
            ..about()
        };
        assert!(matches!(
            About::try_from(many),
            Err(ContractBreach::TooMany { entries: 17, .. })
        ));
    }
}
