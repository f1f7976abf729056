//! Evidence about the signatures of a document. Whom to trust is for others to
//! decide.

use crate::SignatureAlgorithm;

/// How much of the file a signature covers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Coverage {
    /// Everything but the signature value.
    EntireFile,
    /// Everything up to the end of its own revision.
    EntireRevision,
    /// Less than that.
    Partial,
}

impl Coverage {
    /// The catalogue name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::EntireFile => "entire-file",
            Self::EntireRevision => "entire-revision",
            Self::Partial => "partial",
        }
    }
}

/// Whether the signature still says what it said.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
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
    /// The value cannot be checked: an algorithm or a curve is not known here.
    Unsupported,
}

impl Integrity {
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
}

/// What signed: a person or organisation, or a clock.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SignatureKind {
    /// A time-stamp over the document (ETSI EN 319 142-1, 5.4.3).
    DocumentTimestamp,
    /// A signature.
    Signature,
}

impl SignatureKind {
    /// The catalogue name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DocumentTimestamp => "document-timestamp",
            Self::Signature => "signature",
        }
    }
}

/// What revisions after a signature changed, the least first: each kind may come
/// with those before it.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum ChangeKind {
    /// Nothing.
    None,
    /// What verifying for long takes, such as a security store or a document
    /// time-stamp, and what shows nothing, such as metadata.
    ValidationData,
    /// Fields for signatures, and signatures in them.
    Signing,
    /// Values of form fields.
    FormFilling,
    /// Annotations.
    Annotations,
    /// Something else.
    Other,
    /// It was not found out: the signature itself does not hold, or the
    /// revisions cannot be compared.
    Unknown,
}

impl ChangeKind {
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
}

/// What was changed after a signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LaterChanges {
    /// What, whether it is permitted or not.
    pub kind: ChangeKind,
    /// The first change that the signature does not permit, or why it cannot be
    /// told, as a sentence.
    pub unpermitted: Option<String>,
}

impl LaterChanges {
    /// Changes that the signature permits.
    #[must_use]
    pub fn permitted(kind: ChangeKind) -> Self {
        Self {
            kind,
            unpermitted: None,
        }
    }
}

/// Whether a time-stamp is one of what it stands beside.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TimestampStatus {
    /// It is, and says what its maker signed.
    Intact,
    /// It stamps something else.
    ImprintMismatch,
    /// It cannot be read.
    Malformed,
    /// Its maker did not sign it.
    SignatureMismatch,
    /// The certificate of its maker is not there, or an algorithm is not in the
    /// catalogue.
    Unverifiable,
}

impl TimestampStatus {
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
}

/// Evidence about one time-stamp.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TimestampEvidence {
    /// DER of the RFC 3161 token.
    pub token: Vec<u8>,
    /// The time that it tells (`genTime`), seconds since the Unix epoch; `None`
    /// when it cannot be read.
    pub time: Option<i64>,
    /// Whether it is one of the signature.
    pub status: TimestampStatus,
}

/// Evidence about one signature; trust is for others to decide.
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
    /// DER of OCSP responses and CRLs.
    pub revocation: Vec<Vec<u8>>,
    /// How much it covers.
    pub coverage: Coverage,
    /// Whether it still holds.
    pub integrity: Integrity,
    /// What was changed after it.
    pub later_changes: LaterChanges,
    /// Baseline level, `unknown` for other profiles.
    pub level: String,
}
