//! Answers of plugins, as text and as JSON.

use std::fmt;

use parafa_conformance::{Answered, Made};
use parafa_plugin_host::{
    ArchivedDocument, Field, Member, Note, Report, SignatureSummary, SignedDocument,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::output::shown;
use crate::signature_view::{SignatureView, UNNAMED};

/// The note on every check of signatures.
pub(crate) const ADVISORY: &str = "This check is advisory: who signed was not checked. \
     Certificates, revocation and time-stamps are for a validation service to judge.";

/// The result of an operation.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum OutcomeView {
    Archived(ArchivedView),
    Contents {
        members: Vec<MemberView>,
    },
    Inspected(ReportView),
    Made(MadeView),
    Signed(SignedView),
    Verified {
        /// Always true, so that the answer is never taken for a qualified validation.
        advisory: bool,
        signatures: Vec<SignatureView>,
    },
}

/// A member of a document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemberView {
    id: String,
    name: String,
    media_type: String,
    bytes: u64,
    sha256: String,
    role: &'static str,
}

/// The report of `inspect`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReportView {
    media_type: String,
    format_version: String,
    signatures: Vec<SignatureSummary>,
    fields: Vec<Field>,
    notes: Vec<Note>,
    /// Operations that the document does not allow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    obstacles: Vec<ObstacleView>,
    /// Preservation by operations, if it exceeds the plugin's declaration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    preservation: Vec<PreservationView>,
}

#[derive(Debug, Serialize)]
struct ObstacleView {
    operation: &'static str,
    code: String,
    detail: String,
}

#[derive(Debug, Serialize)]
struct PreservationView {
    operation: &'static str,
    kind: &'static str,
}

/// The output of `sign`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignedView {
    media_type: String,
    level: String,
    signature_id: String,
    bytes: usize,
    sha256: String,
}

/// The output of `archive`, if there is one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArchivedView {
    media_type: String,
    level: String,
    changed: bool,
    signatures: Vec<SignatureView>,
    #[serde(flatten)]
    output: Option<OutputView>,
}

/// The output of `flatten`, `rehearse` or `compose`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MadeView {
    media_type: String,
    unchanged: bool,
    /// The plugin's notes on how it was made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(flatten)]
    output: OutputView,
}

/// A document that came out.
#[derive(Debug, Serialize)]
struct OutputView {
    bytes: usize,
    sha256: String,
}

impl OutcomeView {
    pub(crate) fn of(answered: &Answered) -> Self {
        match answered {
            Answered::Archived(archived) => Self::Archived(ArchivedView::of(archived)),
            Answered::Extracted(members) => Self::contents(members.iter().map(|(one, _)| one)),
            Answered::Told(members) => Self::contents(members.iter()),
            Answered::Inspected(report) => Self::Inspected(ReportView::of(report)),
            Answered::Made(made) => Self::Made(MadeView::of(made)),
            Answered::Signed(signed) => Self::Signed(SignedView::of(signed)),
            Answered::Verified(evidence) => Self::Verified {
                advisory: true,
                signatures: evidence.iter().map(SignatureView::of).collect(),
            },
        }
    }
}

impl OutcomeView {
    fn contents<'m>(members: impl Iterator<Item = &'m Member>) -> Self {
        Self::Contents {
            members: members.map(MemberView::of).collect(),
        }
    }
}

impl ReportView {
    fn of(report: &Report) -> Self {
        let obstacles = report.obstacles.iter().map(|obstacle| ObstacleView {
            operation: obstacle.operation.name(),
            code: obstacle.refusal.code.to_string(),
            detail: obstacle.refusal.detail.clone(),
        });
        let preservation = report.preservation.iter();
        let preservation = preservation.map(|(operation, kind)| PreservationView {
            operation: operation.name(),
            kind: kind.name(),
        });
        Self {
            media_type: report.media_type.clone(),
            format_version: report.format_version.clone(),
            signatures: report.signatures.clone(),
            fields: report.fields.clone(),
            notes: report.notes.clone(),
            obstacles: obstacles.collect(),
            preservation: preservation.collect(),
        }
    }
}

impl MemberView {
    fn of(member: &Member) -> Self {
        Self {
            id: member.id.clone(),
            name: member.name.clone(),
            media_type: member.media_type.clone(),
            bytes: member.size,
            sha256: hex::encode(&member.digest.value),
            role: member.role.name(),
        }
    }
}

impl fmt::Display for MemberView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}, {}, {} bytes, sha256 {}",
            self.role,
            shown(&self.name),
            shown(&self.media_type),
            self.bytes,
            self.sha256
        )?;
        if self.id != self.name {
            write!(f, ", id {}", shown(&self.id))?;
        }
        Ok(())
    }
}

impl SignedView {
    fn of(signed: &SignedDocument) -> Self {
        Self {
            media_type: signed.outcome.media_type.clone(),
            level: signed.outcome.level.clone(),
            signature_id: signed.outcome.signature_id.clone(),
            bytes: signed.bytes.len(),
            sha256: hex::encode(Sha256::digest(&signed.bytes)),
        }
    }
}

impl ArchivedView {
    fn of(archived: &ArchivedDocument) -> Self {
        Self {
            media_type: archived.outcome.media_type.clone(),
            level: archived.outcome.level.clone(),
            changed: archived.bytes.is_some(),
            signatures: archived.signatures.iter().map(SignatureView::of).collect(),
            output: archived.bytes.as_deref().map(OutputView::of),
        }
    }
}

impl MadeView {
    fn of(made: &Made) -> Self {
        Self {
            media_type: made.document.media_type.clone(),
            unchanged: made.unchanged,
            notes: made.document.notes.clone(),
            output: OutputView::of(&made.document.bytes),
        }
    }
}

impl OutputView {
    fn of(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.len(),
            sha256: hex::encode(Sha256::digest(bytes)),
        }
    }
}

impl fmt::Display for OutcomeView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archived(archived) => write!(f, "{archived}"),
            Self::Contents { members } => {
                let lines: Vec<String> = members.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
            Self::Inspected(report) => write!(f, "{report}"),
            Self::Made(made) => write!(f, "{made}"),
            Self::Signed(signed) => write!(
                f,
                "signed: {}, {}, {} bytes, sha256 {}",
                shown(&signed.media_type),
                shown(&signed.level),
                signed.bytes,
                signed.sha256
            ),
            Self::Verified { signatures, .. } if signatures.is_empty() => {
                write!(f, "no signature\n{ADVISORY}")
            }
            Self::Verified { signatures, .. } => {
                let lines = signatures.iter().map(ToString::to_string);
                let lines: Vec<String> = lines.chain([ADVISORY.to_owned()]).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

impl fmt::Display for ArchivedView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (media_type, level) = (shown(&self.media_type), shown(&self.level));
        match &self.output {
            Some(output) => write!(f, "archived: {media_type}, {level}, {output}")?,
            None => write!(f, "archived already: {media_type}, {level}")?,
        }
        for signature in &self.signatures {
            write!(f, "\n{signature}")?;
        }
        Ok(())
    }
}

impl fmt::Display for MadeView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "made: {}, ", shown(&self.media_type))?;
        if self.unchanged {
            f.write_str("the document as it is")?;
        } else {
            write!(f, "{}", self.output)?;
        }
        for note in &self.notes {
            write!(f, "\nnote {}", shown(note))?;
        }
        Ok(())
    }
}

impl fmt::Display for OutputView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, sha256 {}", self.bytes, self.sha256)
    }
}

impl fmt::Display for ReportView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (media_type, version) = (shown(&self.media_type), shown(&self.format_version));
        write!(f, "{media_type} {version}")?;
        for signature in &self.signatures {
            let signer = signature.signer.as_deref().unwrap_or(UNNAMED);
            write!(
                f,
                "\nsignature {}: by {}",
                shown(&signature.id),
                shown(signer)
            )?;
        }
        for field in &self.fields {
            write!(f, "\nfield {}: {}", shown(&field.name), shown(&field.kind))?;
        }
        for note in &self.notes {
            write!(f, "\nnote {}: {}", shown(&note.code), shown(&note.detail))?;
        }
        for obstacle in &self.obstacles {
            let (code, detail) = (shown(&obstacle.code), shown(&obstacle.detail));
            write!(f, "\nnot for {}: {code}: {detail}", obstacle.operation)?;
        }
        for kept in &self.preservation {
            write!(f, "\n{} keeps it: {}", kept.operation, kept.kind)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature_view::tests::{FORGED, assert_plain, evidence};

    #[test]
    fn what_a_document_names_takes_one_line_each() {
        let report = OutcomeView::Inspected(ReportView {
            media_type: FORGED.to_owned(),
            format_version: FORGED.to_owned(),
            signatures: vec![SignatureSummary {
                id: FORGED.to_owned(),
                signer: Some(FORGED.to_owned()),
                claimed_time: None,
            }],
            fields: vec![Field {
                name: FORGED.to_owned(),
                kind: FORGED.to_owned(),
            }],
            notes: vec![Note::new(FORGED, FORGED)],
            obstacles: vec![ObstacleView {
                operation: "sign",
                code: FORGED.to_owned(),
                detail: FORGED.to_owned(),
            }],
            preservation: Vec::new(),
        });

        assert_plain(&report.to_string(), 5);
    }

    #[test]
    fn what_came_out_takes_one_line_and_one_for_each_note_or_signature() {
        let output = || OutputView::of(b"a document");
        let signed = OutcomeView::Signed(SignedView {
            media_type: FORGED.to_owned(),
            level: FORGED.to_owned(),
            signature_id: FORGED.to_owned(),
            bytes: 1,
            sha256: String::new(),
        });
        let made = OutcomeView::Made(MadeView {
            media_type: FORGED.to_owned(),
            unchanged: false,
            notes: vec![FORGED.to_owned()],
            output: output(),
        });
        let archived = |output| {
            OutcomeView::Archived(ArchivedView {
                media_type: FORGED.to_owned(),
                level: FORGED.to_owned(),
                changed: true,
                signatures: vec![SignatureView::of(&evidence())],
                output,
            })
        };

        assert_plain(&signed.to_string(), 1);
        assert_plain(&made.to_string(), 2);
        assert_plain(&archived(Some(output())).to_string(), 2);
        assert_plain(&archived(None).to_string(), 2);
    }
}
