//! Evidence about signatures, as `verify` gives it.

use crate::bindings::verify::exports::parafa::format::verification;
use crate::bounds;
use crate::text::{SENTENCE_BYTES, line};
use crate::{ContractBreach, SignatureAlgorithm};

/// Evidence about one signature; whether to trust it is decided elsewhere.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignatureEvidence {
    /// Identifier within the document.
    pub id: String,
    /// What signed.
    pub kind: SignatureKind,
    /// When it was made, by its own word, seconds since the Unix epoch.
    pub claimed_time: Option<i64>,
    /// What the value is a signature of, not hashed.
    pub signed_bytes: Vec<u8>,
    /// The signature value (RSA: octets, ECDSA: DER).
    pub value: Vec<u8>,
    /// How it was signed; `None` when the algorithm is not in the catalogue.
    pub algorithm: Option<SignatureAlgorithm>,
    /// DER of the signer's certificate; empty when the document has none.
    pub signer_certificate: Vec<u8>,
    /// DER of all certificates that come with the signature.
    pub certificates: Vec<Vec<u8>>,
    /// Time-stamps over the value, also those of something else; of a document
    /// time-stamp the token that it is.
    pub timestamps: Vec<TimestampEvidence>,
    /// DER of OCSP responses and CRLs that the document holds.
    pub revocation: Vec<Vec<u8>>,
    /// How much of the file it covers.
    pub coverage: Coverage,
    /// Whether it still says what it said.
    pub integrity: Integrity,
    /// What was changed after it.
    pub later_changes: LaterChanges,
    /// Baseline level, `unknown` for other profiles.
    pub level: String,
}

/// How much of the file a signature covers.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Coverage {
    /// Everything but the signature value.
    EntireFile,
    /// Everything up to the end of its own revision.
    EntireRevision,
    /// Less than that.
    Partial,
}

/// Whether a signature still says what it said.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Integrity {
    /// The covered ranges are not what they should be.
    ByteRange,
    /// The covered bytes have another digest.
    DigestMismatch,
    /// All is as it was signed.
    Intact,
    /// The signature cannot be read.
    Malformed,
    /// Later revisions changed more than they may.
    Modified,
    /// The value does not verify under the certificate.
    SignatureMismatch,
    /// The value cannot be checked: an algorithm or a curve is not known.
    Unsupported,
}

/// What signed: a person or organisation, or a clock.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum SignatureKind {
    /// A time-stamp over the document.
    DocumentTimestamp,
    /// A signature.
    Signature,
}

/// What was changed after a signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LaterChanges {
    /// What, whether it is permitted or not.
    pub kind: ChangeKind,
    /// The first change that the signature does not permit, or why it cannot be
    /// told: one English sentence on one line.
    pub unpermitted: Option<String>,
}

/// What revisions after a signature changed, the least first: each kind may come
/// with those before it.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum ChangeKind {
    /// Nothing.
    None,
    /// What verifying for long takes, and what shows nothing.
    ValidationData,
    /// Fields for signatures, and signatures in them.
    Signing,
    /// Values of form fields.
    FormFilling,
    /// Annotations.
    Annotations,
    /// Something else.
    Other,
    /// It was not found out.
    Unknown,
}

/// A time-stamp beside a signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TimestampEvidence {
    /// DER of the RFC 3161 token.
    pub token: Vec<u8>,
    /// The time that it tells, seconds since the Unix epoch; `None` when it
    /// cannot be read.
    pub time: Option<i64>,
    /// Whether it is one of the signature.
    pub status: TimestampStatus,
}

/// Whether a time-stamp is one of the signature beside which it stands.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum TimestampStatus {
    /// It is, and says what its maker signed.
    Intact,
    /// It stamps something else.
    ImprintMismatch,
    /// It cannot be read.
    Malformed,
    /// Its maker did not sign it.
    SignatureMismatch,
    /// The certificate of its maker is not there, or an algorithm is unknown.
    Unverifiable,
}

impl SignatureEvidence {
    /// DER of the time-stamps.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = &[u8]> {
        self.timestamps
            .iter()
            .map(|timestamp| timestamp.token.as_slice())
    }
}

impl Coverage {
    const ALL: [Self; 3] = [Self::EntireFile, Self::EntireRevision, Self::Partial];

    /// The catalogue name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::EntireFile => "entire-file",
            Self::EntireRevision => "entire-revision",
            Self::Partial => "partial",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|coverage| coverage.name() == name)
    }
}

impl Integrity {
    const ALL: [Self; 7] = [
        Self::ByteRange,
        Self::DigestMismatch,
        Self::Intact,
        Self::Malformed,
        Self::Modified,
        Self::SignatureMismatch,
        Self::Unsupported,
    ];

    /// The catalogue name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ByteRange => "byte-range",
            Self::DigestMismatch => "digest-mismatch",
            Self::Intact => "intact",
            Self::Malformed => "malformed",
            Self::Modified => "modified",
            Self::SignatureMismatch => "signature-mismatch",
            Self::Unsupported => "unsupported",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|integrity| integrity.name() == name)
    }
}

impl SignatureKind {
    const ALL: [Self; 2] = [Self::DocumentTimestamp, Self::Signature];

    /// The catalogue name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DocumentTimestamp => "document-timestamp",
            Self::Signature => "signature",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl ChangeKind {
    const ALL: [Self; 7] = [
        Self::None,
        Self::ValidationData,
        Self::Signing,
        Self::FormFilling,
        Self::Annotations,
        Self::Other,
        Self::Unknown,
    ];

    /// The catalogue name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ValidationData => "validation-data",
            Self::Signing => "signing",
            Self::FormFilling => "form-filling",
            Self::Annotations => "annotations",
            Self::Other => "other",
            Self::Unknown => "unknown",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl TimestampStatus {
    const ALL: [Self; 5] = [
        Self::Intact,
        Self::ImprintMismatch,
        Self::Malformed,
        Self::SignatureMismatch,
        Self::Unverifiable,
    ];

    /// The catalogue name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Intact => "intact",
            Self::ImprintMismatch => "imprint-mismatch",
            Self::Malformed => "malformed",
            Self::SignatureMismatch => "signature-mismatch",
            Self::Unverifiable => "unverifiable",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl TryFrom<verification::SignatureEvidence> for SignatureEvidence {
    type Error = ContractBreach;

    fn try_from(evidence: verification::SignatureEvidence) -> Result<Self, ContractBreach> {
        bounds::level(&evidence.level)?;
        Ok(Self {
            id: evidence.id,
            kind: known("kind of signature", &evidence.kind, SignatureKind::parse)?,
            claimed_time: evidence.claimed_time,
            signed_bytes: evidence.signed_bytes,
            value: evidence.value,
            algorithm: evidence.algorithm.parse().ok(),
            signer_certificate: evidence.signer_certificate,
            certificates: evidence.certificates,
            timestamps: evidence
                .timestamps
                .into_iter()
                .map(TimestampEvidence::try_from)
                .collect::<Result<_, _>>()?,
            revocation: evidence.revocation,
            coverage: known("coverage", &evidence.coverage, Coverage::parse)?,
            integrity: known(
                "verdict of integrity",
                &evidence.integrity,
                Integrity::parse,
            )?,
            later_changes: evidence.later_changes.try_into()?,
            level: evidence.level,
        })
    }
}

impl TryFrom<verification::TimestampEvidence> for TimestampEvidence {
    type Error = ContractBreach;

    fn try_from(evidence: verification::TimestampEvidence) -> Result<Self, ContractBreach> {
        Ok(Self {
            token: evidence.token,
            time: evidence.time,
            status: known(
                "status of a time-stamp",
                &evidence.status,
                TimestampStatus::parse,
            )?,
        })
    }
}

impl TryFrom<verification::LaterChanges> for LaterChanges {
    type Error = ContractBreach;

    fn try_from(changes: verification::LaterChanges) -> Result<Self, ContractBreach> {
        let unpermitted = changes.unpermitted;
        Ok(Self {
            kind: known("kind of later changes", &changes.kind, ChangeKind::parse)?,
            unpermitted: unpermitted.map(|change| line(&change, SENTENCE_BYTES).into_owned()),
        })
    }
}

fn known<T>(
    what: &'static str,
    name: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, ContractBreach> {
    parse(name).ok_or_else(|| ContractBreach::unknown(what, name))
}
