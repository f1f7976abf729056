//! Conversions between the records of 1.0 and the host's values, which keep the stored forms.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parafa_catalogue::{
    BaselineLevel, MemberRole, NeedKind, Operation, Preservation, TargetLevel, TimestampKind,
    Verdict, need_params, note as notes, reason,
};

use super::bindings::{archive, compose, contents, describe, inspect, sign, types, verify};
use crate::contract::convert::{
    self, Ability, About, ArchiveOutcome, Made, Step, conversions, known, note,
};
use crate::contract::text::{NAME_BYTES, line};
use crate::{
    Answer, ArchiveRequest, Archived, ComposeRequest, ContractBreach, DeriveRequest, Evidence,
    Field, Member, Need, Obstacle, Outcome, Parameter, Payload, Refusal, Report, SignRequest,
    SignatureSummary,
};

conversions!();

pub(crate) fn about(about: describe::About) -> Result<About, ContractBreach> {
    About {
        id: about.id,
        version: about.version,
        media_types: about.media_types,
        extensions: about.extensions,
        abilities: about.abilities.iter().map(ability).collect(),
    }
    .checked()
}

fn ability(ability: &describe::Ability) -> Ability {
    Ability {
        operation: operation(ability.operation),
        preservation: preservation(ability.preservation),
        levels: ability.levels.iter().map(level).collect(),
    }
}

fn operation(operation: types::Operation) -> Operation {
    match operation {
        types::Operation::Sign => Operation::Sign,
        types::Operation::Archive => Operation::Archive,
        types::Operation::Flatten => Operation::Flatten,
        types::Operation::Rehearse => Operation::Rehearse,
    }
}

fn preservation(preservation: types::Preservation) -> Preservation {
    match preservation {
        types::Preservation::Rewrite => Preservation::Rewrite,
        types::Preservation::ToCentralDirectory => Preservation::ToCentralDirectory,
        types::Preservation::Whole => Preservation::Whole,
    }
}

pub(super) fn level(level: &types::Level) -> String {
    let baseline = match level.baseline {
        types::Baseline::B => BaselineLevel::B,
        types::Baseline::T => BaselineLevel::T,
        types::Baseline::Lt => BaselineLevel::Lt,
        types::Baseline::Lta => BaselineLevel::Lta,
    };
    baseline.in_profile(&level.profile)
}

/// Converts a verdict. Its code is displayed and compared, so it is cut to one line; its outcome
/// stays as it is.
pub(super) fn verdict(check: types::Check) -> Verdict {
    let short = |code: String| line(&code, NAME_BYTES).into_owned().into();
    match check {
        types::Check::Holds => Verdict::Holds,
        types::Check::Broken(code) => Verdict::Broken(short(code)),
        types::Check::Unknown(code) => Verdict::Unknown(short(code)),
    }
}

pub(super) fn timestamp_kind(kind: types::TimestampKind) -> TimestampKind {
    match kind {
        types::TimestampKind::Signature => TimestampKind::Signature,
        types::TimestampKind::Content => TimestampKind::Content,
        types::TimestampKind::Archive => TimestampKind::Archive,
        types::TimestampKind::Document => TimestampKind::Document,
        types::TimestampKind::TimeMark => TimestampKind::TimeMark,
    }
}

pub(crate) fn report(report: inspect::Report) -> Result<Report, ContractBreach> {
    let signatures = report.signatures.into_iter();
    let fields = report.fields.into_iter();
    let told = report.notes.iter();
    let told = told.map(|told| note(&told.code, &told.detail));
    let room = report.room.map(|room| note(notes::ROOM, &room.to_string()));
    let obstacles = report.obstacles.into_iter().map(obstacle);
    let kept = report.preservation.iter();
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
                kind: field_kind(field.kind).to_owned(),
            })
            .collect(),
        notes: told.chain(room).collect(),
        obstacles: obstacles.collect::<Result<_, _>>()?,
        preservation: kept
            .map(|kept| (operation(kept.operation), preservation(kept.preservation)))
            .collect(),
    })
}

fn field_kind(kind: inspect::FieldKind) -> &'static str {
    match kind {
        inspect::FieldKind::Text => "text",
        inspect::FieldKind::Choice => "choice",
        inspect::FieldKind::Button => "button",
        inspect::FieldKind::Signature => "signature",
        inspect::FieldKind::Unknown => "unknown",
    }
}

fn obstacle(obstacle: inspect::Obstacle) -> Result<Obstacle, ContractBreach> {
    Ok(Obstacle {
        operation: operation(obstacle.operation),
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
        role: match member.role {
            contents::MemberRole::Main => MemberRole::Main,
            contents::MemberRole::Attachment => MemberRole::Attachment,
            contents::MemberRole::Metadata => MemberRole::Metadata,
        },
    })
}

/// Converts a request for a signature over these members or files.
pub(crate) fn sign_request(request: &SignRequest, covers: &[String]) -> sign::Request {
    sign::Request {
        time: request.time,
        seed: request.seed.to_vec(),
        target: match request.target_level {
            TargetLevel::BB => sign::TargetLevel::BB,
            // `archive` raises it further.
            TargetLevel::BT | TargetLevel::BLt | TargetLevel::BLta => sign::TargetLevel::BT,
        },
        signer_chain: request.signer_chain.clone(),
        signature_algorithm: request.signature_algorithm.to_string(),
        reserve: request.reserve,
        covers: covers.to_vec(),
        params: parameters(&request.params),
    }
}

/// Converts a request to archive, or refuses it in the plugin's place.
pub(crate) fn archive_request(request: &ArchiveRequest) -> Result<archive::Request, Refusal> {
    Ok(archive::Request {
        time: request.time,
        seed: request.seed.to_vec(),
        target: match request.target_level {
            TargetLevel::BLt => archive::TargetLevel::BLt,
            TargetLevel::BLta => archive::TargetLevel::BLta,
            other => return Err(convert::no_archive_at(other, "1.0")),
        },
        params: parameters(&request.params),
    })
}

pub(crate) fn answers(answers: &[Answer]) -> Vec<types::Answer> {
    let answers = answers.iter().map(|answer| types::Answer {
        need_id: answer.need.id.clone(),
        outcome: answer.outcome.clone().map_err(no_answer),
    });
    answers.collect()
}

fn no_answer(why: String) -> types::NoAnswer {
    match why.as_str() {
        reason::ANCHOR => types::NoAnswer::Anchor,
        reason::UNAVAILABLE => types::NoAnswer::Unavailable,
        reason::UNTRUSTED => types::NoAnswer::Untrusted,
        _ => types::NoAnswer::Other(why),
    }
}

/// Converts a question to the host's stored form, which has parameters for some of the members of
/// 1.0.
fn need(need: types::Need) -> Result<Need, ContractBreach> {
    let id = need.id;
    convert::need(match need.question {
        types::Question::Signature(asked) => Need {
            id,
            kind: NeedKind::Signature,
            payload: payload(asked.payload)?,
            digest_algorithm: Some(known(&asked.digest_algorithm)?),
            params: asked
                .params
                .into_iter()
                .map(|told| parameter(&told.name, told.value))
                .collect(),
        },
        types::Question::Timestamp(asked) => Need {
            id,
            kind: NeedKind::Timestamp,
            payload: payload(asked.payload)?,
            digest_algorithm: Some(known(&asked.digest_algorithm)?),
            params: vec![parameter(
                need_params::KIND,
                timestamp_kind(asked.kind).name().to_owned(),
            )],
        },
        types::Question::Certificate(certificate) => Need {
            id,
            kind: NeedKind::Certificate,
            payload: certificate.into(),
            digest_algorithm: None,
            params: Vec::new(),
        },
        types::Question::Revocation(asked) => {
            let issuer = asked.issuer.map(|issuer| STANDARD.encode(issuer));
            let time = asked.time.map(|time| time.to_string());
            let issuer = issuer.map(|issuer| parameter(need_params::ISSUER, issuer));
            let time = time.map(|time| parameter(need_params::TIME, time));
            Need {
                id,
                kind: NeedKind::Revocation,
                payload: asked.certificate.into(),
                digest_algorithm: None,
                params: issuer.into_iter().chain(time).collect(),
            }
        }
        types::Question::Other(asked) => {
            return Err(ContractBreach::unknown("kind of need", &asked.kind));
        }
    })
}

fn parameter(name: &str, value: String) -> Parameter {
    Parameter {
        name: name.to_owned(),
        value,
    }
}

pub(crate) fn sign_step(step: sign::Step) -> Result<Step<Outcome>, ContractBreach> {
    let outcome = match step {
        sign::Step::Needs(asked) => return Step::either(needs(asked)?, None),
        sign::Step::Done(outcome) => outcome,
    };
    let outcome = convert::outcome(Outcome {
        media_type: outcome.media_type,
        level: level(&outcome.level),
        signature_id: outcome.signature_id,
    })?;
    Ok(Step::Done(outcome))
}

pub(crate) fn archive_step(step: archive::Step) -> Result<Step<ArchiveOutcome>, ContractBreach> {
    let outcome = match step {
        archive::Step::Needs(asked) => return Step::either(needs(asked)?, None),
        archive::Step::Done(outcome) => outcome,
    };
    let outcome = ArchiveOutcome {
        archived: Archived {
            media_type: outcome.media_type,
            level: level(&outcome.level),
        },
        changed: outcome.changed,
    };
    Ok(Step::Done(outcome.checked()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_stored_with_its_members_as_parameters() {
        let stored = |question: types::Question| {
            let id = "one".to_owned();
            need(types::Need { id, question }).unwrap()
        };
        let params = |need: &Need| {
            let params = need.params.iter();
            let params = params.map(|param| (param.name.clone(), param.value.clone()));
            Vec::from_iter(params)
        };
        let named = |name: &str, value: &str| (name.to_owned(), value.to_owned());

        let revocation = stored(types::Question::Revocation(types::RevocationQuestion {
            certificate: vec![1],
            issuer: Some(vec![2]),
            time: Some(3),
        }));
        let stamp = stored(types::Question::Timestamp(types::TimestampQuestion {
            kind: types::TimestampKind::Document,
            payload: types::Payload::Bytes(vec![1]),
            digest_algorithm: "SHA-256".to_owned(),
        }));

        assert_eq!(revocation.kind, NeedKind::Revocation);
        assert_eq!(
            params(&revocation),
            [
                named(need_params::ISSUER, "Ag=="),
                named(need_params::TIME, "3")
            ]
        );
        assert_eq!(stamp.kind, NeedKind::Timestamp);
        assert_eq!(params(&stamp), [named(need_params::KIND, "document")]);
    }

    #[test]
    fn nobody_is_asked_what_a_later_version_may_define() {
        let asked = need(types::Need {
            id: "one".to_owned(),
            question: types::Question::Other(types::OtherQuestion {
                kind: "of-later".to_owned(),
                payload: types::Payload::Bytes(Vec::new()),
                params: Vec::new(),
            }),
        });

        let breach = ContractBreach::unknown("kind of need", "of-later");
        assert_eq!(asked, Err(breach));
    }

    #[test]
    fn a_reason_that_the_contract_does_not_have_is_passed_on() {
        assert!(matches!(
            no_answer(reason::ANCHOR.to_owned()),
            types::NoAnswer::Anchor
        ));
        assert!(matches!(
            no_answer("of-later".to_owned()),
            types::NoAnswer::Other(why) if why == "of-later"
        ));
    }

    #[test]
    fn an_archive_is_asked_for_the_level_of_the_request() {
        let asked = |target_level| {
            let request = archive_request(&ArchiveRequest {
                time: 0,
                seed: [0; 32],
                target_level,
                params: Vec::new(),
            });
            request.map(|request| request.target)
        };

        assert!(matches!(
            asked(TargetLevel::BLt),
            Ok(archive::TargetLevel::BLt)
        ));
        assert!(matches!(
            asked(TargetLevel::BLta),
            Ok(archive::TargetLevel::BLta)
        ));
        for level in [TargetLevel::BB, TargetLevel::BT] {
            assert!(matches!(
                asked(level),
                Err(refusal) if refusal.code == "bad-request"
            ));
        }
    }

    #[test]
    fn a_step_needs_something() {
        assert!(matches!(
            sign_step(sign::Step::Needs(Vec::new())),
            Err(ContractBreach::EmptyOrMixedStep { needs: 0, .. })
        ));
    }
}
