use parafa_plugin_sdk::core::{
    Answer, ArchiveRequest, ArchiveStep, Archived, Blob, Environment, NeedKind, Refusal, Sink, Step,
};

use crate::behaviour::{Behaviour, Rule, Stage};
use crate::document::{Document, Record, Validation};
use crate::needs::{answer_to, need};
use crate::words::{LEVEL, MEDIA_TYPE, OTHER_TYPE, OWN_LEVEL, long};

pub(crate) fn archive<E: Environment, S: Sink<E::Blob>>(
    _: &E,
    blob: &E::Blob,
    _: &ArchiveRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<ArchiveStep, Refusal> {
    let document = Document::read(blob)?;
    document.behaviour.at(Stage::Archive)?;
    let rule = match document.behaviour {
        Behaviour::Breaks(rule) => Some(rule),
        Behaviour::Ends(..) | Behaviour::Honest => None,
    };
    let unstamped: Vec<_> = document
        .records
        .iter()
        .filter(|record| record.timestamp.is_none())
        .map(Record::id)
        .collect();
    if !unstamped.is_empty() {
        return Err(Refusal {
            code: "archive-incomplete".into(),
            detail: "a signature has no time-stamp".to_owned(),
            subjects: unstamped,
        });
    }
    if let Some(step) = misstep(rule, answers, blob, &document, out) {
        return Ok(step);
    }

    let open: Vec<_> = document
        .records
        .iter()
        .filter(|record| record.validation.is_none())
        .collect();
    if open.is_empty() {
        return Ok(done(false));
    }
    let mut needs = Vec::new();
    let mut additions = Vec::new();
    for record in open {
        let (issuer, revocation) = (
            format!("issuer-of-{}", record.id()),
            format!("revocation-of-{}", record.id()),
        );
        let issuer_der = match answer_to(answers, &issuer) {
            Ok(answer) => answer,
            Err(anchor) if anchor.detail == "anchor" => Some(Vec::new()),
            Err(refusal) => return Err(refusal),
        };
        let revocation_der = answer_to(answers, &revocation)?;
        match (issuer_der, revocation_der) {
            (Some(issuer), Some(mut revocation)) => {
                if rule == Some(Rule::ArchiveInvents) {
                    revocation.push(0);
                }
                additions.push((record.start, Validation { issuer, revocation }));
            }
            (issuer_der, revocation_der) => {
                let asked = [
                    (issuer_der, NeedKind::Certificate, issuer),
                    (revocation_der, NeedKind::Revocation, revocation),
                ];
                needs.extend(
                    asked
                        .into_iter()
                        .filter(|(answer, ..)| answer.is_none())
                        .map(|(_, kind, id)| need(kind, &id, &record.certificate)),
                );
            }
        }
    }
    if !needs.is_empty() {
        return Ok(Step::Needs(needs));
    }
    write(rule, &document, blob, &additions, out);
    let honest = Archived {
        media_type: MEDIA_TYPE.to_owned(),
        level: LEVEL.to_owned(),
        changed: true,
    };
    Ok(Step::Done(match rule {
        Some(Rule::ArchiveOtherType) => Archived {
            media_type: OTHER_TYPE.to_owned(),
            ..honest
        },
        Some(Rule::ArchiveOwnLevel) => Archived {
            level: OWN_LEVEL.to_owned(),
            ..honest
        },
        Some(Rule::LongArchiveLevel) => Archived {
            level: long(),
            ..honest
        },
        _ => honest,
    }))
}

/// What is done wrong before anything is asked.
fn misstep<B: Blob>(
    rule: Option<Rule>,
    answers: &[Answer],
    blob: &B,
    document: &Document,
    out: &mut impl Sink<B>,
) -> Option<ArchiveStep> {
    match rule? {
        Rule::ArchiveAsksSignature => {
            let signature = need(NeedKind::Signature, "signature", b"anything");
            Some(Step::Needs(vec![signature]))
        }
        Rule::ArchiveAsksForever => {
            let id = format!("revocation-{}", answers.len());
            Some(Step::Needs(vec![need(NeedKind::Revocation, &id, b"")]))
        }
        Rule::ArchiveClaimsChange => {
            out.copy(blob, 0, document.len);
            Some(done(true))
        }
        Rule::ArchiveClaimsNoChange => Some(done(false)),
        Rule::ArchiveWritesUnchanged => {
            out.copy(blob, 0, document.len);
            Some(done(false))
        }
        Rule::ArchiveWritesNothing => Some(done(true)),
        _ => None,
    }
}

fn write<B: Blob>(
    rule: Option<Rule>,
    document: &Document,
    blob: &B,
    additions: &[(u64, Validation)],
    out: &mut impl Sink<B>,
) {
    if rule == Some(Rule::ArchiveRewritesPrefix) {
        out.write(b"t");
        out.copy(blob, 1, document.len - 1);
    } else {
        out.copy(blob, 0, document.len);
    }
    if rule == Some(Rule::ArchiveSigns) {
        out.write(&Record::forged(document.len).encode());
    }
    let left_out = usize::from(rule == Some(Rule::ArchiveClaimsLevel));
    for (start, validation) in additions.iter().skip(left_out) {
        out.write(&validation.encode(*start));
    }
}

fn done(changed: bool) -> ArchiveStep {
    Step::Done(Archived {
        media_type: MEDIA_TYPE.to_owned(),
        level: LEVEL.to_owned(),
        changed,
    })
}
