//! Mapping of errors to problems.

use parafa_api_signing::requests::{ListQuery, NewSigner, Simulation};
use parafa_api_signing::{Fault, Problem, ProblemKind};
use parafa_ceremony::api::{no_room, problem};
use parafa_platform::billing::{CURRENCY, PaymentCause};
use parafa_plugin_host::{FieldReason, Refusal, on_one_line, refusal};

use crate::{IntakeFault, RefusedDocument, SigningError};

/// Longest name of a member or a signature in a detail, in bytes.
const LONGEST_SUBJECT: usize = 300;

/// Maps an error to the caller's answer; an internal error is logged here,
/// once.
impl From<SigningError> for Problem {
    fn from(error: SigningError) -> Self {
        answer(&error)
    }
}

fn answer(error: &SigningError) -> Problem {
    match error {
        SigningError::UnknownCursor => Problem::validation(vec![Fault::new(
            ListQuery::STARTING_AFTER_POINTER,
            "is not a signing of this key",
        )]),
        SigningError::IntakeRefused(faults) => intake_refused(faults),
        SigningError::FileRefused { pointer, refusal } => Problem::at(
            ProblemKind::DocumentRefused,
            pointer.clone(),
            reason(refusal),
        ),
        SigningError::PaymentRequired {
            cause,
            recovery_url,
        } => Problem::payment_required(payment_detail(*cause), recovery_url.as_deref().cloned()),
        SigningError::NoRoom(why) => no_room(why),
        SigningError::KnownEmail(party) => Problem::validation(vec![Fault::new(
            NewSigner::EMAIL_POINTER,
            format!(
                "must not be that of another party: signer {} has it",
                party.uuid()
            ),
        )]),
        SigningError::NoOpenSigner => Problem::validation(vec![Fault::new(
            Simulation::SIGNER_EMAIL_POINTER,
            "must be that of a signer who can sign now",
        )]),
        SigningError::SandboxOnly => Problem::of(ProblemKind::SandboxOnly),
        SigningError::ArchiveNotSupported(why) => {
            Problem::new(ProblemKind::ArchiveNotSupported, why.as_ref())
        }
        SigningError::ArchiveIncomplete(refusal) => {
            Problem::new(ProblemKind::ArchiveIncomplete, incomplete(refusal))
        }
        SigningError::ArchiveTooEarly { retry_after } => Problem::unavailable(
            "The certificate authorities have not published yet whether the certificates were valid \
             when they were used; nothing was changed.",
        )
        .with_retry_after(*retry_after),
        SigningError::ArchiveServiceDown {
            wanted,
            retry_after,
        } => Problem::unavailable(service_down(wanted.as_deref())).with_retry_after(*retry_after),
        SigningError::NoMail => Problem::validation(vec![Fault::new(
            "/delivery",
            "must be link: mail is not set up here",
        )]),
        SigningError::CannotInvite => Problem::validation(vec![Fault::new(
            NewSigner::EMAIL_POINTER,
            "cannot be invited, because mail is not set up here any more",
        )]),
        SigningError::Ceremony(error) => problem(error),
    }
}

/// Returns all faults of a request's documents in one answer: with their common
/// problem, or else the most general one.
fn intake_refused(faults: &[IntakeFault]) -> Problem {
    let is_unknown = |fault: &IntakeFault| matches!(fault, IntakeFault::UnknownFile { .. });
    let named: Vec<Fault> = faults.iter().flat_map(named).collect();
    if faults.iter().any(is_unknown) {
        return Problem::validation(named);
    }
    let kinds = faults.iter().filter_map(|fault| match fault {
        IntakeFault::UnknownFile { .. } => None,
        IntakeFault::Refused(refused) => Some(refusal_kind(&refused.refusal.code)),
    });
    let kind = kinds
        .reduce(|one, other| {
            if one == other {
                one
            } else {
                ProblemKind::DocumentRefused
            }
        })
        .unwrap_or(ProblemKind::DocumentRefused);
    let detail = match (faults, named.as_slice()) {
        ([IntakeFault::Refused(one)], [_, _, ..]) => one.refusal.detail.clone(),
        (_, [one]) => one.detail.clone(),
        (_, several) => {
            let places: Vec<_> = several.iter().map(|fault| fault.pointer.as_str()).collect();
            format!(
                "{} faults are listed in errors: {}.",
                several.len(),
                shortened(&places, ", ")
            )
        }
    };
    Problem::new(kind, detail).with_errors(named)
}

/// Explains a field that cannot be drawn: `<fully qualified name>: <reason>`,
/// with a known reason in a sentence.
fn explained(field: &str) -> String {
    let known = field.rsplit_once(": ").and_then(|(name, code)| {
        let reason: FieldReason = code.parse().ok()?;
        Some(format!("{name}: {} ({code})", reason.sentence()))
    });
    known.unwrap_or_else(|| field.to_owned())
}

/// Joins the first few of many.
fn shortened(all: &[&str], separator: &str) -> String {
    const MOST: usize = 10;

    let mut told: Vec<_> = all.iter().take(MOST).copied().map(str::to_owned).collect();
    if all.len() > MOST {
        told.push(format!("and {} more", all.len() - MOST));
    }
    told.join(separator)
}

/// Returns the faults of one document. A form that cannot be drawn has one for
/// each of its fields.
fn named(fault: &IntakeFault) -> Vec<Fault> {
    let refused = match fault {
        IntakeFault::UnknownFile { pointer } => {
            return vec![Fault::new(
                pointer.clone(),
                "is not a stored file of this key",
            )];
        }
        IntakeFault::Refused(refused) => refused,
    };
    let RefusedDocument {
        pointer,
        flatten_pointer,
        refusal,
    } = refused;
    let is_of_fields = refusal_kind(&refusal.code) == ProblemKind::FlattenRefused;
    match refusal.subjects.as_slice() {
        [] if is_of_fields => vec![Fault::new(flatten_pointer.clone(), reason(refusal))],
        fields if is_of_fields => fields
            .iter()
            .map(|field| Fault::new(flatten_pointer.clone(), explained(field)))
            .collect(),
        _ => vec![Fault::new(pointer.clone(), reason(refusal))],
    }
}

fn service_down(wanted: Option<&str>) -> String {
    let wanted = wanted.map(|wanted| format!(" (needed: {wanted})"));
    format!(
        "A certificate status service cannot answer at the moment{}; nothing was changed.",
        wanted.unwrap_or_default()
    )
}

/// Describes what an archive lacks, in one sentence.
fn incomplete(refusal: &Refusal) -> String {
    if refusal.subjects.is_empty() {
        return refusal.detail.clone();
    }
    let lacking: Vec<_> = refusal.subjects.iter().map(String::as_str).collect();
    format!(
        "Evidence is missing and cannot be obtained: {}.",
        shortened(&lacking, "; ")
    )
}

/// Returns a refusal's sentence and code, and the members or signatures that it
/// concerns, unless the sentence names them.
fn reason(refusal: &Refusal) -> String {
    let (detail, code) = (&refusal.detail, &refusal.code);
    let unnamed = refusal.subjects.iter();
    let unnamed = unnamed.filter(|subject| !detail.contains(subject.as_str()));
    let unnamed: Vec<_> = unnamed
        .map(|subject| on_one_line(subject, LONGEST_SUBJECT))
        .collect();
    if unnamed.is_empty() {
        return format!("{detail} ({code})");
    }
    let unnamed: Vec<&str> = unnamed.iter().map(|subject| &**subject).collect();
    let concerned = shortened(&unnamed, ", ");
    format!("{detail} Concerned: {concerned}. ({code})")
}

fn payment_detail(cause: PaymentCause) -> String {
    let cause = match cause {
        PaymentCause::Ceiling(ceiling) => {
            format!(
                "has reached its usage ceiling of {ceiling} {CURRENCY}, counting what it owes and what is in progress"
            )
        }
        PaymentCause::NoRail => "has no payment method".to_owned(),
        PaymentCause::Overdue => "has an overdue invoice".to_owned(),
    };
    format!("The workspace {cause}; nothing was created.")
}

/// Returns the problem of a plugin's refusal.
fn refusal_kind(code: &str) -> ProblemKind {
    match code {
        refusal::CONTAINER_UNSIGNED => ProblemKind::ContainerUnsigned,
        refusal::CONTAINER_FINALIZED => ProblemKind::ContainerFinalized,
        refusal::CONTAINER_UNSOUND => ProblemKind::ContainerUnsound,
        refusal::UNSUPPORTED_CONTAINER => ProblemKind::UnsupportedContainer,
        refusal::MDOC_NOT_ACCEPTED => ProblemKind::MdocNotAccepted,
        refusal::FLATTEN_REFUSED => ProblemKind::FlattenRefused,
        _ => ProblemKind::DocumentRefused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(at: &str, code: &str, subjects: &[&str]) -> IntakeFault {
        IntakeFault::Refused(RefusedDocument {
            pointer: format!("{at}/content"),
            flatten_pointer: format!("{at}/flatten"),
            refusal: Refusal {
                code: code.to_owned().into(),
                detail: "it does not do".to_owned(),
                subjects: subjects
                    .iter()
                    .map(|subject| (*subject).to_owned())
                    .collect(),
            },
        })
    }

    fn told(faults: Vec<IntakeFault>) -> (ProblemKind, Vec<(String, String)>) {
        let problem = Problem::from(SigningError::IntakeRefused(faults));
        let errors = problem.errors().iter();
        let errors = errors.map(|fault| (fault.pointer.clone(), fault.detail.clone()));
        let kind = ProblemKind::named(problem.kind().name);
        (kind.expect("it is a known kind"), errors.collect())
    }

    fn pair(pointer: &str, detail: &str) -> (String, String) {
        (pointer.to_owned(), detail.to_owned())
    }

    #[test]
    fn each_field_that_cannot_be_drawn_is_named_where_the_wish_stands() {
        let fields = ["Form.Name: signed", "Form.Date: a reason of tomorrow"];

        let (kind, errors) = told(vec![refused("/document", "flatten-refused", &fields)]);

        assert_eq!(kind, ProblemKind::FlattenRefused);
        let at = "/document/flatten";
        let explained = "Form.Name: it shows a signature, which flattening would break (signed)";
        assert_eq!(errors, [pair(at, explained), pair(at, fields[1])]);
    }

    #[test]
    fn everything_that_an_archive_lacks_is_named() {
        let lacking = [
            "Signature1: no revocation data",
            "Signature2: no time-stamp",
        ];
        let error = SigningError::ArchiveIncomplete(Refusal {
            code: "archive-incomplete".into(),
            detail: "2 things are missing".to_owned(),
            subjects: lacking.map(str::to_owned).to_vec(),
        });

        let problem = Problem::from(error);

        assert_eq!(problem.kind(), ProblemKind::ArchiveIncomplete);
        assert_eq!(
            problem.detail(),
            "Evidence is missing and cannot be obtained: Signature1: no revocation data; \
             Signature2: no time-stamp."
        );
    }

    #[test]
    fn a_service_that_is_away_is_told_by_what_it_was_asked_and_when_to_ask_again() {
        let problem = Problem::from(SigningError::ArchiveServiceDown {
            wanted: Some(
                "the revocation status of the certificate number 1f from Test CA".to_owned(),
            ),
            retry_after: 61,
        });

        assert_eq!(
            problem.detail(),
            "A certificate status service cannot answer at the moment (needed: the revocation \
             status of the certificate number 1f from Test CA); nothing was changed."
        );
        assert_eq!(problem.retry_after(), Some(61));
    }

    #[test]
    fn an_archive_that_lacks_much_is_told_in_short() {
        let error = SigningError::ArchiveIncomplete(Refusal {
            code: "archive-incomplete".into(),
            detail: "12 things are missing".to_owned(),
            subjects: (1..=12).map(|number| format!("S{number}")).collect(),
        });

        let detail = Problem::from(error).detail().to_owned();

        assert!(detail.ends_with("S9; S10; and 2 more."), "{detail}");
    }

    #[test]
    fn an_unknown_token_hides_no_refused_document() {
        let unknown = IntakeFault::UnknownFile {
            pointer: "/documents/0/fileToken".to_owned(),
        };

        let (kind, errors) = told(vec![unknown, refused("/documents/1", "encrypted", &["x"])]);

        assert_eq!(kind, ProblemKind::ValidationFailed);
        assert_eq!(
            errors,
            [
                pair("/documents/0/fileToken", "is not a stored file of this key"),
                pair(
                    "/documents/1/content",
                    "it does not do Concerned: x. (encrypted)"
                ),
            ]
        );
    }

    #[test]
    fn a_refusal_names_the_signatures_that_its_sentence_leaves_out() {
        let refusal = Refusal {
            code: "container-unsound".into(),
            detail: "A signature does not hold any more: a.txt was changed.".to_owned(),
            subjects: vec!["a.txt".to_owned(), "META-INF/signatures0.xml#S0".to_owned()],
        };

        assert_eq!(
            reason(&refusal),
            "A signature does not hold any more: a.txt was changed. \
             Concerned: META-INF/signatures0.xml#S0. (container-unsound)"
        );
    }

    #[test]
    fn documents_refused_for_several_kinds_of_reasons_are_refused_documents() {
        let faults = vec![
            refused("/documents/0", "flatten-refused", &["A: why"]),
            refused("/documents/1", "encrypted", &[]),
        ];

        let (kind, errors) = told(faults);

        assert_eq!(kind, ProblemKind::DocumentRefused);
        assert_eq!(errors[0], pair("/documents/0/flatten", "A: why"));
        assert_eq!(errors[1].0, "/documents/1/content");
    }
}
