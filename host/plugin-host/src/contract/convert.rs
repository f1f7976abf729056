//! The host's values of plugins' answers, and the checks that apply in every version of the
//! contract. A value outside a closed set of the catalogue, or one over its limit, breaks the
//! contract.

use std::str::FromStr;

use parafa_catalogue::{
    DigestAlgorithm, NeedKind, Operation, Preservation, TargetLevel, TimestampKind, UnknownName,
    need_params, refusal as codes,
};

use super::bounds;
use super::text::{NAME_BYTES, SENTENCE_BYTES, SUBJECT_BYTES, both_ends, is_plain_name, line};
use crate::{
    Archived, ContractBreach, Digest, Member, Need, Note, Outcome, Payload, Refusal, Report,
};

/// A plugin's description of itself.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct About {
    pub(crate) id: String,
    pub(crate) version: String,
    pub(crate) media_types: Vec<String>,
    pub(crate) extensions: Vec<String>,
    pub(crate) abilities: Vec<Ability>,
}

/// The description of an operation.
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

/// The result of archiving, and whether there is an output.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ArchiveOutcome {
    pub(crate) archived: Archived,
    pub(crate) changed: bool,
}

/// The plugin's description of the output of `flatten`, `rehearse` or `compose`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Made {
    pub(crate) media_type: String,
    pub(crate) notes: Vec<String>,
}

impl About {
    /// Checks that the description can be used and is short.
    pub(crate) fn checked(self) -> Result<Self, ContractBreach> {
        if !is_plain_name(&self.id) {
            return Err(ContractBreach::unknown("plugin id", &self.id));
        }
        bounds::version(&self.version)?;
        if self.media_types.is_empty() {
            return Err(ContractBreach::Missing("the list of media types"));
        }
        bounds::list("media types", self.media_types.len())?;
        for media_type in &self.media_types {
            bounds::media_type(media_type)?;
        }
        bounds::list("extensions", self.extensions.len())?;
        if let Some(extension) = self
            .extensions
            .iter()
            .find(|extension| !is_plain_name(extension))
        {
            return Err(ContractBreach::unknown("file name extension", extension));
        }
        bounds::list("abilities", self.abilities.len())?;
        for ability in &self.abilities {
            bounds::list("levels", ability.levels.len())?;
            for level in &ability.levels {
                bounds::level(level)?;
            }
        }
        Ok(self)
    }
}

/// Refuses, in the plugin's place, to archive at a level that its contract does not have.
pub(crate) fn no_archive_at(level: TargetLevel, contract: &str) -> Refusal {
    let detail = format!("The contract {contract} has no archive at level {level}.");
    Refusal::new(codes::BAD_REQUEST, detail)
}

pub(crate) fn refusal(
    code: String,
    detail: &str,
    subjects: &[String],
) -> Result<Refusal, ContractBreach> {
    if !is_plain_name(&code) {
        return Err(ContractBreach::unknown("refusal code", &code));
    }
    Ok(Refusal {
        code: code.into(),
        detail: sentence(detail),
        subjects: subjects
            .iter()
            .map(|subject| both_ends(subject, SUBJECT_BYTES).into_owned())
            .collect(),
    })
}

pub(crate) fn note(code: &str, detail: &str) -> Note {
    Note {
        code: line(code, NAME_BYTES).into_owned().into(),
        detail: sentence(detail),
    }
}

pub(crate) fn report(report: Report) -> Result<Report, ContractBreach> {
    bounds::media_type(&report.media_type)?;
    Ok(report)
}

pub(crate) fn member(member: Member) -> Result<Member, ContractBreach> {
    bounds::member(&member)?;
    if member.digest.algorithm != DigestAlgorithm::Sha256 {
        let name = member.digest.algorithm.name();
        return Err(ContractBreach::unknown("digest algorithm of members", name));
    }
    Ok(member)
}

pub(crate) fn digest(algorithm: &str, value: Vec<u8>) -> Result<Digest, ContractBreach> {
    let algorithm: DigestAlgorithm = known(algorithm)?;
    if value.len() != algorithm.output_len() {
        return Err(ContractBreach::DigestLength {
            algorithm,
            bytes: value.len(),
        });
    }
    Ok(Digest { algorithm, value })
}

pub(crate) fn need(need: Need) -> Result<Need, ContractBreach> {
    if need.id.is_empty() {
        return Err(ContractBreach::Missing("the id of a need"));
    }
    if need.id.len() > NAME_BYTES {
        return Err(ContractBreach::unknown("need id", &need.id));
    }
    bounds::need(&need)?;
    let is_hashed = matches!(need.kind, NeedKind::Signature | NeedKind::Timestamp);
    if is_hashed && need.digest_algorithm.is_none() {
        return Err(ContractBreach::Missing("the digest algorithm of a need"));
    }
    if let Payload::Digest(digest) = &need.payload {
        if !is_hashed {
            return Err(ContractBreach::Missing("the certificate of a need"));
        }
        if Some(digest.algorithm) != need.digest_algorithm {
            let name = digest.algorithm.name();
            return Err(ContractBreach::unknown(
                "digest algorithm of the need",
                name,
            ));
        }
    }
    // No authority issues time-marks (BDOC-TM).
    let mut params = need.params.iter();
    let time_mark = TimestampKind::TimeMark.name();
    if params.any(|param| param.name == need_params::KIND && param.value == time_mark) {
        return Err(ContractBreach::unknown(
            "kind of time-stamp to be asked for",
            time_mark,
        ));
    }
    Ok(need)
}

pub(crate) fn outcome(outcome: Outcome) -> Result<Outcome, ContractBreach> {
    bounds::media_type(&outcome.media_type)?;
    bounds::level(&outcome.level)?;
    bounds::signature_id(&outcome.signature_id)?;
    Ok(outcome)
}

impl ArchiveOutcome {
    pub(crate) fn checked(self) -> Result<Self, ContractBreach> {
        bounds::media_type(&self.archived.media_type)?;
        bounds::level(&self.archived.level)?;
        Ok(self)
    }
}

impl<O> Step<O> {
    /// Creates a step of either an outcome or needs.
    pub(crate) fn either(needs: Vec<Need>, outcome: Option<O>) -> Result<Self, ContractBreach> {
        match (outcome, needs.len()) {
            (Some(outcome), 0) => Ok(Self::Done(outcome)),
            (None, 1..) => Ok(Self::Needs(needs)),
            (outcome, needs) => Err(ContractBreach::EmptyOrMixedStep {
                needs,
                outcome: if outcome.is_some() { "an" } else { "no" },
            }),
        }
    }
}

/// Parses a name of the catalogue.
pub(crate) fn known<T: FromStr<Err = UnknownName>>(name: &str) -> Result<T, ContractBreach> {
    name.parse()
        .map_err(|unknown: UnknownName| ContractBreach::unknown(unknown.what, name))
}

pub(crate) fn sentence(text: &str) -> String {
    line(text, SENTENCE_BYTES).into_owned()
}

/// Implements the conversions that are the same in every version of the contract, in its `convert`.
/// The bindings of all versions have the same names but no type in common.
macro_rules! conversions {
    () => {
        pub(crate) fn refusal(refusal: types::Refusal) -> Result<Refusal, ContractBreach> {
            convert::refusal(refusal.code, &refusal.detail, &refusal.subjects)
        }

        pub(super) fn payload(payload: types::Payload) -> Result<Payload, ContractBreach> {
            Ok(match payload {
                types::Payload::Bytes(bytes) => Payload::Bytes(bytes),
                types::Payload::Digest(digest) => {
                    Payload::Digest(convert::digest(&digest.algorithm, digest.value)?)
                }
            })
        }

        pub(crate) fn derivation(request: &DeriveRequest) -> types::Derivation {
            types::Derivation {
                time: request.time,
                seed: request.seed.to_vec(),
                params: parameters(&request.params),
            }
        }

        pub(crate) fn compose_request(request: &ComposeRequest) -> compose::Request {
            compose::Request {
                time: request.time,
                seed: request.seed.to_vec(),
                media_type: request.media_type.clone(),
                params: parameters(&request.params),
            }
        }

        fn needs(needs: Vec<types::Need>) -> Result<Vec<Need>, ContractBreach> {
            needs.into_iter().map(need).collect()
        }

        pub(crate) fn made(made: types::Made) -> Result<Made, ContractBreach> {
            $crate::contract::bounds::media_type(&made.media_type)?;
            Ok(Made {
                media_type: made.media_type,
                notes: made.notes,
            })
        }

        pub(crate) fn evidence(evidence: verify::Evidence) -> Result<Evidence, ContractBreach> {
            let signatures = evidence.signatures.into_iter();
            let signatures = signatures.map(super::evidence::signature);
            $crate::contract::evidence_pool::resolve(
                evidence.certificates,
                evidence.revocation,
                signatures.collect::<Result<_, _>>()?,
            )
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
    };
}

pub(crate) use conversions;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameter;

    fn about() -> About {
        About {
            id: "toy".to_owned(),
            version: "0.1.0".to_owned(),
            media_types: vec!["application/x-toy".to_owned()],
            extensions: vec!["toy".to_owned()],
            abilities: Vec::new(),
        }
    }

    #[test]
    fn a_description_is_short() {
        assert!(about().checked().is_ok());

        let long = About {
            version: "1".repeat(70 * 1024),
            ..about()
        };
        assert!(matches!(
            long.checked(),
            Err(ContractBreach::TooLong {
                what: "version",
                ..
            })
        ));
        let long = About {
            media_types: vec!["x".repeat(70 * 1024)],
            ..about()
        };
        assert!(matches!(
            long.checked(),
            Err(ContractBreach::TooLong {
                what: "media type",
                ..
            })
        ));
        let many = About {
            media_types: (0..17).map(|number| format!("text/x-{number}")).collect(),
            ..about()
        };
        assert!(matches!(
            many.checked(),
            Err(ContractBreach::TooMany { entries: 17, .. })
        ));
    }

    #[test]
    fn nobody_is_asked_for_a_time_mark() {
        let stamp = |kind: TimestampKind| Need {
            id: "one".to_owned(),
            kind: NeedKind::Timestamp,
            payload: Vec::new().into(),
            digest_algorithm: Some(DigestAlgorithm::Sha256),
            params: vec![Parameter {
                name: need_params::KIND.to_owned(),
                value: kind.name().to_owned(),
            }],
        };

        assert!(need(stamp(TimestampKind::Document)).is_ok());
        assert!(need(stamp(TimestampKind::TimeMark)).is_err());
    }
}
