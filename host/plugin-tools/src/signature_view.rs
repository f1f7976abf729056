//! Signatures, for people and for programs.

use std::fmt;

use jiff::Timestamp;
use openssl::nid::Nid;
use openssl::x509::X509;
use parafa_plugin_host::{
    ChangeKind, CoverageKind, Integrity, LaterChanges, MemberCheck, SignatureEvidence,
    SignatureKind, TimestampEvidence, TimestampStatus, Verdict,
};
use serde::Serialize;

use crate::output::shown;

/// The signer's name if no certificate gives it.
pub(crate) const UNNAMED: &str = "somebody unnamed";

/// A signature, as `verify` sees it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignatureView {
    id: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<String>,
    /// Seconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed_time: Option<i64>,
    integrity: &'static str,
    /// The check that the signer's certificate is the one that the signature names.
    certificate: CheckView,
    coverage: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    digests: Vec<DigestView>,
    later_changes: ChangesView,
    level: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithm: Option<String>,
    certificates: usize,
    timestamps: Vec<TimestampView>,
    #[serde(skip)]
    sentence: String,
}

/// The outcome of one check.
#[derive(Debug, Serialize)]
struct CheckView {
    /// `holds`, `broken` or `unknown`.
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

/// The check of a member's digest.
#[derive(Debug, Serialize)]
struct DigestView {
    id: String,
    #[serde(flatten)]
    check: CheckView,
}

#[derive(Debug, Serialize)]
struct ChangesView {
    kind: &'static str,
    /// The first change that is not permitted, or why that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    unpermitted: Option<String>,
}

#[derive(Debug, Serialize)]
struct TimestampView {
    /// Seconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<i64>,
    kind: &'static str,
    status: &'static str,
    #[serde(skip)]
    stamping: Stamping,
    #[serde(skip)]
    sentence: String,
}

/// The verdict on time-stamps, the worst last.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Stamping {
    /// All time-stamps stamp their signature, and their signatures verify, if there are any.
    Sound,
    /// One cannot be checked, which does not count against it.
    Uncheckable,
    /// One does not stamp its signature.
    Unsound,
}

impl SignatureView {
    pub(crate) fn of(evidence: &SignatureEvidence) -> Self {
        let LaterChanges { kind, unpermitted } = &evidence.later_changes;
        Self {
            id: evidence.id.clone(),
            kind: evidence.kind.name(),
            signer: evidence.signer_certificate.as_deref().and_then(common_name),
            claimed_time: evidence.claimed_time,
            integrity: evidence.integrity.name(),
            certificate: CheckView::of(&evidence.certificate),
            coverage: evidence.coverage.kind.name(),
            members: evidence.coverage.members.clone(),
            digests: evidence.digests.iter().map(DigestView::of).collect(),
            later_changes: ChangesView {
                kind: kind.name(),
                unpermitted: unpermitted.clone(),
            },
            level: evidence.level.clone(),
            algorithm: evidence.algorithm.map(|algorithm| algorithm.to_string()),
            certificates: evidence.certificates.len(),
            timestamps: evidence.timestamps.iter().map(TimestampView::of).collect(),
            sentence: format!(
                "{}, and covers {}{}{}",
                verdict(evidence.integrity, *kind),
                extent(evidence.coverage.kind),
                changed(&evidence.digests),
                since(&evidence.later_changes)
            ),
        }
    }

    /// Returns the worst verdict on its time-stamps.
    pub(crate) fn stamping(&self) -> Stamping {
        let all = self.timestamps.iter().map(|timestamp| timestamp.stamping);
        all.max().unwrap_or(Stamping::Sound)
    }

    fn is_document_timestamp(&self) -> bool {
        self.kind == SignatureKind::DocumentTimestamp.name()
    }
}

impl CheckView {
    fn of(verdict: &Verdict) -> Self {
        let (outcome, code) = match verdict {
            Verdict::Holds => ("holds", None),
            Verdict::Broken(code) => ("broken", Some(code)),
            Verdict::Unknown(code) => ("unknown", Some(code)),
        };
        Self {
            outcome,
            code: code.map(|code| code.clone().into_owned()),
        }
    }
}

impl DigestView {
    fn of(member: &MemberCheck) -> Self {
        Self {
            id: member.id.clone(),
            check: CheckView::of(&member.digest),
        }
    }
}

impl TimestampView {
    fn of(evidence: &TimestampEvidence) -> Self {
        let made = evidence.time.map_or_else(
            || "of an unknown time".to_owned(),
            |time| format!("of {}", moment(time)),
        );
        Self {
            time: evidence.time,
            kind: evidence.kind.name(),
            status: evidence.status.name(),
            stamping: match evidence.status {
                TimestampStatus::Intact => Stamping::Sound,
                TimestampStatus::Unverifiable => Stamping::Uncheckable,
                TimestampStatus::ImprintMismatch
                | TimestampStatus::Malformed
                | TimestampStatus::SignatureMismatch => Stamping::Unsound,
            },
            sentence: format!("{made}{}", doubt(evidence.status)),
        }
    }
}

impl fmt::Display for SignatureView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.is_document_timestamp() {
            "document time-stamp"
        } else {
            "signature"
        };
        write!(
            f,
            "{what} {} by {}",
            shown(&self.id),
            shown(self.signer.as_deref().unwrap_or(UNNAMED))
        )?;
        if let Some(time) = self.claimed_time {
            write!(f, ", by its own word of {}", moment(time))?;
        }
        write!(f, ": {}; level {}", self.sentence, shown(&self.level))?;
        if self.timestamps.is_empty() {
            f.write_str("; no time-stamp")?;
        }
        for timestamp in &self.timestamps {
            write!(f, "; time-stamp {}", timestamp.sentence)?;
        }
        Ok(())
    }
}

/// Formats seconds since the Unix epoch as a date, if they are one.
fn moment(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(
        |_| format!("{seconds} s since 1970"),
        |time| time.to_string(),
    )
}

fn verdict(integrity: Integrity, changes: ChangeKind) -> &'static str {
    match integrity {
        Integrity::Intact => "is intact",
        Integrity::ByteRange => "is broken (the signed ranges are not valid)",
        Integrity::DigestMismatch => "is broken (the signed content was changed)",
        Integrity::Malformed => "is broken (it cannot be read)",
        Integrity::Modified if changes == ChangeKind::Unknown => {
            "is broken (later changes cannot be determined)"
        }
        Integrity::Modified => "is broken (later changes are more than it allows)",
        Integrity::SignatureMismatch => "is broken (its value does not match the certificate)",
        Integrity::Unsupported => "cannot be checked (an algorithm or a curve is not known here)",
    }
}

fn extent(coverage: CoverageKind) -> &'static str {
    match coverage {
        CoverageKind::EntireFile => "the whole file",
        CoverageKind::EntireRevision => "the file as it was when it was signed",
        CoverageKind::Members => "the members that it names",
        CoverageKind::Partial => "a part of the file only",
    }
}

/// Returns the changed members, as the end of a sentence.
fn changed(digests: &[MemberCheck]) -> String {
    let changed = digests.iter();
    let changed = changed.filter(|member| matches!(member.digest, Verdict::Broken(_)));
    let names: Vec<_> = changed.map(|member| shown(&member.id)).collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!("; changed: {}", names.join(", ")),
    }
}

/// Returns the changes after a signature, as the end of a sentence.
fn since(changes: &LaterChanges) -> String {
    let what = match changes.kind {
        ChangeKind::None | ChangeKind::Unknown => "",
        ChangeKind::ValidationData => "; since then nothing that pages show was changed",
        ChangeKind::Signing => "; since then signatures or fields for them were added",
        ChangeKind::FormFilling => "; since then the form was filled in",
        ChangeKind::Annotations => "; since then annotations were changed",
        ChangeKind::Other => "; since then something else was changed",
    };
    match &changes.unpermitted {
        Some(change) => format!("{what} ({})", shown(change.trim_end_matches('.'))),
        None => what.to_owned(),
    }
}

/// Returns the defect of a time-stamp, as the end of a sentence.
fn doubt(status: TimestampStatus) -> &'static str {
    match status {
        TimestampStatus::Intact => "",
        TimestampStatus::ImprintMismatch => ", which is one of something else",
        TimestampStatus::Malformed => ", which cannot be read",
        TimestampStatus::SignatureMismatch => ", which its maker did not sign",
        TimestampStatus::Unverifiable => ", which cannot be checked",
    }
}

fn common_name(certificate: &[u8]) -> Option<String> {
    let certificate = X509::from_der(certificate).ok()?;
    let name = certificate
        .subject_name()
        .entries_by_nid(Nid::COMMONNAME)
        .next()?;
    name.data().to_string().ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use parafa_issuing::{Credential, Key, KeyKind, Profile};
    use parafa_plugin_host::{Coverage, Payload, TimestampKind};

    use super::*;

    /// Ends the line, imitates the command's own output, and clears the screen.
    pub(crate) const FORGED: &str =
        "X: is intact\nEvery signature is intact.\u{1b}[2J\u{9b}1A\u{202e}";

    /// Issues a certificate whose subject has this common name.
    fn certificate(name: &str) -> Vec<u8> {
        let key = Key::generate(KeyKind::P256).unwrap();
        let holder = Credential::self_signed(&Profile::named(name), key);
        holder.unwrap().der()
    }

    fn covers(kind: CoverageKind) -> Coverage {
        Coverage {
            kind,
            members: Vec::new(),
        }
    }

    /// Returns evidence whose names imitate output.
    pub(crate) fn evidence() -> SignatureEvidence {
        SignatureEvidence {
            id: FORGED.to_owned(),
            kind: SignatureKind::Signature,
            claimed_time: None,
            signed: Payload::Bytes(Vec::new()),
            value: Vec::new(),
            algorithm: None,
            signer_certificate: Some(certificate(FORGED).into()),
            certificate: Verdict::Holds,
            certificates: Vec::new(),
            timestamps: Vec::new(),
            revocation: Vec::new(),
            coverage: covers(CoverageKind::Partial),
            digests: Vec::new(),
            integrity: Integrity::DigestMismatch,
            later_changes: LaterChanges {
                kind: ChangeKind::Unknown,
                unpermitted: None,
            },
            level: FORGED.to_owned(),
        }
    }

    /// Asserts that a text has this many lines and no terminal control characters.
    #[track_caller]
    pub(crate) fn assert_plain(text: &str, lines: usize) {
        assert_eq!(text.lines().count(), lines, "{text:?}");
        let obeyed = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!text.contains(obeyed), "{text:?}");
    }

    #[test]
    fn a_signers_name_is_no_verdict() {
        let signature = SignatureView::of(&evidence());
        assert_eq!(
            signature.signer.as_deref(),
            Some(FORGED),
            "a program is told the name as it is"
        );

        let line = signature.to_string();

        assert_plain(&line, 1);
        assert!(line.contains("is broken (the signed content was changed)"));
        assert!(
            line.contains(r"Every signature is intact.\u{1b}[2J"),
            "{line}"
        );
    }

    #[test]
    fn the_members_that_were_changed_are_named_and_no_others() {
        let member = |id: &str, digest| MemberCheck {
            id: id.to_owned(),
            digest,
        };
        let signature = SignatureView::of(&SignatureEvidence {
            digests: vec![
                member("a.txt", Verdict::Holds),
                member("b.txt", Verdict::broken("digest-mismatch")),
                member("c.txt", Verdict::unknown("unsupported")),
            ],
            ..evidence()
        });

        assert!(signature.to_string().contains("; changed: b.txt; "));
        let json = serde_json::to_value(&signature).unwrap();
        assert_eq!(json["certificate"]["outcome"], "holds");
        let outcomes = json["digests"].as_array().unwrap().iter();
        let outcomes: Vec<_> = outcomes.map(|digest| &digest["outcome"]).collect();
        assert_eq!(outcomes, ["holds", "broken", "unknown"]);
        assert_eq!(json["digests"][1]["code"], "digest-mismatch");
    }

    #[test]
    fn a_time_stamp_that_cannot_be_checked_is_told_from_one_that_is_wrong() {
        let stamping = |statuses: &[TimestampStatus]| {
            let timestamps = statuses.iter().map(|status| TimestampEvidence {
                kind: TimestampKind::Signature,
                token: Vec::new(),
                time: None,
                status: *status,
            });
            let timestamps = timestamps.collect();
            SignatureView::of(&SignatureEvidence {
                timestamps,
                ..evidence()
            })
            .stamping()
        };
        let (intact, unverifiable) = (TimestampStatus::Intact, TimestampStatus::Unverifiable);

        assert_eq!(stamping(&[]), Stamping::Sound);
        assert_eq!(stamping(&[intact]), Stamping::Sound);
        assert_eq!(stamping(&[unverifiable, intact]), Stamping::Uncheckable);
        for wrong in [
            TimestampStatus::ImprintMismatch,
            TimestampStatus::Malformed,
            TimestampStatus::SignatureMismatch,
        ] {
            assert_eq!(stamping(&[wrong, unverifiable]), Stamping::Unsound);
        }
    }

    #[test]
    fn what_became_of_a_signature_since_and_when_it_was_stamped_is_said() {
        let timestamp = |time, status| TimestampEvidence {
            kind: TimestampKind::Signature,
            token: Vec::new(),
            time,
            status,
        };
        let signature = SignatureEvidence {
            id: "Signature1".to_owned(),
            claimed_time: Some(1_767_268_800),
            timestamps: vec![
                timestamp(Some(1_767_268_805), TimestampStatus::Intact),
                timestamp(Some(1_700_000_000), TimestampStatus::ImprintMismatch),
                timestamp(None, TimestampStatus::Malformed),
            ],
            coverage: covers(CoverageKind::EntireRevision),
            integrity: Integrity::Modified,
            later_changes: LaterChanges {
                kind: ChangeKind::FormFilling,
                unpermitted: Some("The field \"Sum\" is locked and was changed.".to_owned()),
            },
            level: "PAdES-B-T".to_owned(),
            signer_certificate: None,
            ..evidence()
        };

        let view = SignatureView::of(&signature);

        assert_eq!(
            view.to_string(),
            "signature Signature1 by somebody unnamed, by its own word of 2026-01-01T12:00:00Z: \
             is broken (later changes are more than it allows), and covers the file as it was when \
             it was signed; since then the form was filled in (The field \"Sum\" is locked and was \
             changed); level PAdES-B-T; time-stamp of 2026-01-01T12:00:05Z; time-stamp of \
             2023-11-14T22:13:20Z, which is one of something else; time-stamp of an unknown time, \
             which cannot be read"
        );
        let json = serde_json::to_value(&view).unwrap();
        assert_eq!(json["claimedTime"], 1_767_268_800);
        assert_eq!(json["laterChanges"]["kind"], "form-filling");
        assert_eq!(json["timestamps"][0]["time"], 1_767_268_805);
        assert_eq!(json["timestamps"][1]["status"], "imprint-mismatch");
    }
}
