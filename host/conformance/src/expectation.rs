use std::fmt::Debug;

use parafa_plugin_host::{CallError, Fault, Integrity, Member, Refusal, Report, SignatureEvidence};
use serde::Deserialize;

use crate::{Answered, Operation};

/// Expected answer of a plugin.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Expectation {
    /// The operation succeeds.
    Accepted(Box<Acceptance>),
    /// Any answer except a fault.
    Any,
    /// The plugin refuses with this.
    Refused(ExpectedRefusal),
}

/// Expected refusal: `"encrypted"`, or `{ code = "flatten-refused", subjects = ["Date:
/// no-appearance"] }`.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(from = "RefusalForm")]
pub struct ExpectedRefusal {
    /// The code.
    pub code: String,
    /// All subjects, in any order; not compared unless named.
    pub subjects: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RefusalForm {
    Code(String),
    Exactly { code: String, subjects: Vec<String> },
}

impl From<RefusalForm> for ExpectedRefusal {
    fn from(form: RefusalForm) -> Self {
        match form {
            RefusalForm::Code(code) => Self {
                code,
                subjects: None,
            },
            RefusalForm::Exactly { code, subjects } => Self {
                code,
                subjects: Some(subjects),
            },
        }
    }
}

/// Expected members of an answer. Those that are not named are not compared.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Acceptance {
    /// Media type of the document, or of the one made.
    pub media_type: Option<String>,
    /// Codes of all notes of `inspect`, in any order.
    pub notes: Option<Vec<String>>,
    /// Codes of all notes on how a document was made, in any order.
    pub made_notes: Option<Vec<String>>,
    /// Number of form fields that `inspect` finds, also in the document made.
    pub fields: Option<usize>,
    /// Number of signatures; after `sign`, with the new one.
    pub signatures: Option<usize>,
    /// True if `archive` has something to do.
    pub changed: Option<bool>,
    /// True if the output is the document itself.
    pub unchanged: Option<bool>,
    /// Integrity that `verify` reports of each signature, in order; by default, all must be intact.
    pub integrity: Option<Vec<String>>,
    /// Changes that `verify` reports after each signature, in order.
    pub changes: Option<Vec<String>>,
    /// Time-stamps that `verify` reports of each signature, in order.
    pub timestamps: Option<Vec<Vec<String>>>,
    /// Level that `sign` or `archive` reaches, such as `PAdES-B-B`.
    pub level: Option<String>,
    /// The level of each signature, in their order.
    pub levels: Option<Vec<String>>,
    /// Ids of the members in order, also of the output of `compose`.
    pub members: Option<Vec<String>>,
}

/// Difference between an answer and its expectation.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Mismatch {
    /// A refusal was expected.
    #[error("it is accepted, where {0:?} should refuse it")]
    Accepted(String),
    /// The plugin failed.
    #[error("{}", .0.kind)]
    Fault(Box<Fault>),
    /// The refusal has another code.
    #[error("it is refused as {actual:?} ({detail}), where {expected:?} should refuse it")]
    OtherCode {
        /// The code that was expected.
        expected: String,
        /// The code that came.
        actual: String,
        /// The sentence that came with it.
        detail: String,
    },
    /// A member of the answer differs.
    #[error("its {what} should be {expected}, but is {actual}")]
    OtherThan {
        /// Name of the member.
        what: &'static str,
        /// Expected value.
        expected: String,
        /// Actual value.
        actual: String,
    },
    /// A success was expected.
    #[error("it is refused as {code:?} ({detail}), where it should be accepted")]
    Refused {
        /// The code.
        code: String,
        /// The sentence that came with it.
        detail: String,
    },
}

impl Expectation {
    /// Compares an answer.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn compare(&self, answer: &Result<Answered, CallError>) -> Result<(), Mismatch> {
        match (self, answer) {
            (_, Err(CallError::Fault(fault))) => Err(Mismatch::Fault(Box::new(fault.clone()))),
            (Self::Any, _) => Ok(()),
            (Self::Refused(expected), Err(CallError::Refused(refusal))) => {
                expected.compare(refusal)
            }
            (Self::Refused(expected), Ok(_)) => Err(Mismatch::Accepted(expected.code.clone())),
            (Self::Accepted(_), Err(CallError::Refused(refusal))) => Err(Mismatch::Refused {
                code: refusal.code.to_string(),
                detail: refusal.detail.clone(),
            }),
            (Self::Accepted(acceptance), Ok(answered)) => acceptance.compare(answered),
        }
    }

    /// The first member it names that the operation does not report.
    pub(crate) fn untold_by(&self, operation: Operation) -> Option<&'static str> {
        let Self::Accepted(acceptance) = self else {
            return None;
        };
        use Operation::{
            Archive, Compose, Extract, Flatten, Inspect, Members, Rehearse, Sign, Verify,
        };
        let told: [(_, _, &[Operation]); 12] = [
            (
                "media type",
                acceptance.media_type.is_some(),
                &[Archive, Compose, Flatten, Inspect, Rehearse, Sign],
            ),
            (
                "notes",
                acceptance.notes.is_some(),
                &[Compose, Flatten, Inspect, Rehearse],
            ),
            (
                "notes on how it was made",
                acceptance.made_notes.is_some(),
                &[Compose, Flatten, Rehearse],
            ),
            (
                "fields",
                acceptance.fields.is_some(),
                &[Compose, Flatten, Inspect, Rehearse],
            ),
            ("change", acceptance.changed.is_some(), &[Archive]),
            (
                "unchanged document",
                acceptance.unchanged.is_some(),
                &[Flatten, Rehearse],
            ),
            ("integrity", acceptance.integrity.is_some(), &[Verify]),
            ("later changes", acceptance.changes.is_some(), &[Verify]),
            ("time-stamps", acceptance.timestamps.is_some(), &[Verify]),
            ("level", acceptance.level.is_some(), &[Archive, Sign]),
            ("levels", acceptance.levels.is_some(), &[Archive, Verify]),
            (
                "members",
                acceptance.members.is_some(),
                &[Compose, Extract, Members],
            ),
        ];
        told.into_iter()
            .find(|(_, named, by)| *named && !by.contains(&operation))
            .map(|(what, ..)| what)
    }
}

impl ExpectedRefusal {
    fn compare(&self, refusal: &Refusal) -> Result<(), Mismatch> {
        if self.code != refusal.code {
            return Err(Mismatch::OtherCode {
                expected: self.code.clone(),
                actual: refusal.code.to_string(),
                detail: refusal.detail.clone(),
            });
        }
        let actual = sorted(refusal.subjects.clone());
        same("subjects", self.subjects.clone().map(sorted), &actual)
    }
}

impl Acceptance {
    fn compare(&self, answered: &Answered) -> Result<(), Mismatch> {
        match answered {
            Answered::Archived(archived) => {
                let outcome = &archived.outcome;
                same("level", self.level.clone(), &outcome.level)?;
                same("media type", self.media_type.clone(), &outcome.media_type)?;
                same("change", self.changed, &archived.bytes.is_some())?;
                self.compare_levels(&archived.signatures)?;
                self.compare_count(archived.signatures.len())
            }
            Answered::Extracted(members) => {
                self.compare_members(members.iter().map(|(member, _)| member))
            }
            Answered::Inspected(report) => self.compare_report(report),
            Answered::Told(members) => self.compare_members(members.iter()),
            Answered::Made(made) => {
                let media_type = &made.document.media_type;
                same("media type", self.media_type.clone(), media_type)?;
                same("unchanged document", self.unchanged, &made.unchanged)?;
                same(
                    "notes on how it was made",
                    self.made_notes.clone().map(sorted),
                    &sorted(made.document.notes.clone()),
                )?;
                self.compare_members(made.members.iter())?;
                match &made.report {
                    Some(report) => self.compare_report(report),
                    None => Ok(()),
                }
            }
            Answered::Signed(signed) => {
                same("level", self.level.clone(), &signed.outcome.level)?;
                let media_type = &signed.outcome.media_type;
                same("media type", self.media_type.clone(), media_type)?;
                self.compare_count(signed.earlier.len() + 1)
            }
            Answered::Verified(evidence) => {
                self.compare_count(evidence.len())?;
                let intact = || vec![Integrity::Intact.name().to_owned(); evidence.len()];
                let expected = self.integrity.clone().unwrap_or_else(intact);
                let actual = evidence.iter().map(|one| one.integrity.name().to_owned());
                same("integrity", Some(expected), &actual.collect())?;
                let changes = evidence.iter().map(|one| one.later_changes.kind.name());
                let changes = changes.map(str::to_owned).collect();
                same("later changes", self.changes.clone(), &changes)?;
                let timestamps = evidence.iter().map(statuses).collect();
                same("time-stamps", self.timestamps.clone(), &timestamps)?;
                self.compare_levels(evidence)
            }
        }
    }

    fn compare_report(&self, report: &Report) -> Result<(), Mismatch> {
        let notes = report
            .notes
            .iter()
            .map(|note| note.code.to_string())
            .collect();
        same("notes", self.notes.clone().map(sorted), &sorted(notes))?;
        same("media type", self.media_type.clone(), &report.media_type)?;
        same("number of fields", self.fields, &report.fields.len())?;
        self.compare_count(report.signatures.len())
    }

    fn compare_members<'m>(
        &self,
        members: impl Iterator<Item = &'m Member>,
    ) -> Result<(), Mismatch> {
        let ids = members.map(|member| member.id.clone()).collect();
        same("members", self.members.clone(), &ids)
    }

    fn compare_levels(&self, evidence: &[SignatureEvidence]) -> Result<(), Mismatch> {
        let levels = evidence.iter().map(|one| one.level.clone()).collect();
        same("levels", self.levels.clone(), &levels)
    }

    fn compare_count(&self, actual: usize) -> Result<(), Mismatch> {
        same("number of signatures", self.signatures, &actual)
    }
}

fn statuses(evidence: &SignatureEvidence) -> Vec<String> {
    let timestamps = evidence.timestamps.iter();
    timestamps
        .map(|timestamp| timestamp.status.name().to_owned())
        .collect()
}

fn same<T: Debug + PartialEq>(
    what: &'static str,
    expected: Option<T>,
    actual: &T,
) -> Result<(), Mismatch> {
    match expected {
        Some(expected) if expected != *actual => Err(Mismatch::OtherThan {
            what,
            expected: format!("{expected:?}"),
            actual: format!("{actual:?}"),
        }),
        _ => Ok(()),
    }
}

fn sorted(mut codes: Vec<String>) -> Vec<String> {
    codes.sort_unstable();
    codes
}

#[cfg(test)]
mod tests {
    use parafa_plugin_host::Note;

    use super::*;

    fn report(notes: &[&str]) -> Result<Answered, CallError> {
        let notes = notes.iter().map(|code| Note::new((*code).to_owned(), ""));
        Ok(Answered::Inspected(Report {
            notes: notes.collect(),
            ..Report::new("application/pdf", "1.7")
        }))
    }

    fn refusal(code: &str) -> Result<Answered, CallError> {
        Err(CallError::Refused(Refusal::new(code.to_owned(), "no")))
    }

    fn notes(codes: &[&str]) -> Expectation {
        Expectation::Accepted(Box::new(Acceptance {
            notes: Some(codes.iter().map(|code| (*code).to_owned()).collect()),
            ..Acceptance::default()
        }))
    }

    #[test]
    fn notes_are_compared_in_any_order() {
        assert_eq!(notes(&["b", "a"]).compare(&report(&["a", "b"])), Ok(()));
        assert!(notes(&["a"]).compare(&report(&["a", "b"])).is_err());
        assert!(notes(&["a"]).compare(&refusal("encrypted")).is_err());
    }

    #[test]
    fn a_refusal_must_have_the_expected_code() {
        let expected = refused("encrypted", None);

        assert_eq!(expected.compare(&refusal("encrypted")), Ok(()));
        assert!(expected.compare(&refusal("xfa")).is_err());
        assert!(expected.compare(&report(&[])).is_err());
    }

    fn refused(code: &str, subjects: Option<&[&str]>) -> Expectation {
        let owned = |subjects: &[&str]| subjects.iter().map(|&one| one.to_owned()).collect();
        Expectation::Refused(ExpectedRefusal {
            code: code.to_owned(),
            subjects: subjects.map(owned),
        })
    }

    #[test]
    fn a_refusal_must_name_exactly_the_expected_subjects() {
        let answer = Err(CallError::Refused(Refusal {
            code: "flatten-refused".into(),
            detail: "no".into(),
            subjects: vec!["b".into(), "a".into()],
        }));
        let of = |subjects| refused("flatten-refused", subjects).compare(&answer);

        assert_eq!(of(Some(&["a", "b"])), Ok(()));
        assert_eq!(of(None), Ok(()));
        assert!(of(Some(&["a"])).is_err());
        assert!(of(Some(&["a", "b", "c"])).is_err());
    }

    #[test]
    fn what_is_not_named_is_not_looked_at() {
        let expected = Expectation::Accepted(Box::default());

        assert_eq!(expected.compare(&report(&["a"])), Ok(()));
    }
}
