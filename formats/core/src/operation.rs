use std::borrow::Cow;

use crate::SignatureAlgorithm;

/// What a format is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct About {
    /// The format's name, such as `pdf`.
    pub id: &'static str,
    /// Version of the implementation.
    pub version: &'static str,
    /// Media types that it takes.
    pub media_types: &'static [&'static str],
    /// Lower-case extensions without the dot.
    pub extensions: &'static [&'static str],
    /// How each operation keeps its input, by the operation's name.
    pub preservation: &'static [(&'static str, Preservation)],
}

/// How an operation keeps the bytes of its input.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Preservation {
    /// The output is a rewrite, proved by `verify` before and after.
    Rewrite,
    /// Everything up to the ZIP central directory is kept.
    ToCentralDirectory,
    /// The output begins with the whole input.
    Whole,
}

impl Preservation {
    /// The catalogue name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rewrite => "rewrite",
            Self::ToCentralDirectory => "to-central-directory",
            Self::Whole => "whole",
        }
    }
}

/// Why a document or a request is not accepted.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{code}: {detail}")]
pub struct Refusal {
    /// Catalogue code, such as `encrypted`.
    pub code: Cow<'static, str>,
    /// One English sentence for the caller.
    pub detail: String,
    /// Form fields or members concerned, all of them at once.
    pub subjects: Vec<String>,
}

impl Refusal {
    /// A refusal that concerns the document as a whole.
    pub fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            code: Cow::Borrowed(code),
            detail: detail.into(),
            subjects: Vec::new(),
        }
    }
}

/// Something worth telling that refuses nothing.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Note {
    /// Catalogue code, such as `javascript`.
    pub code: Cow<'static, str>,
    /// One English sentence.
    pub detail: String,
}

impl Note {
    /// A note.
    pub fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            code: Cow::Borrowed(code),
            detail: detail.into(),
        }
    }
}

/// What `inspect` found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Report {
    /// Media type of the document.
    pub media_type: String,
    /// Version of the format, such as `1.7`.
    pub format_version: String,
    /// Signatures already there, in the order in which they were made.
    pub signatures: Vec<SignatureSummary>,
    /// Form fields.
    pub fields: Vec<Field>,
    /// What is worth telling.
    pub notes: Vec<Note>,
}

/// A signature already there.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignatureSummary {
    /// Identifier within the document, as `verify` reports it.
    pub id: String,
    /// Common name of the signing certificate.
    pub signer: Option<String>,
    /// Claimed signing time, seconds since the Unix epoch.
    pub claimed_time: Option<i64>,
}

/// A form field.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Field {
    /// Fully qualified name.
    pub name: String,
    /// `text`, `choice`, `button`, `signature` or `unknown`.
    pub kind: String,
}

/// A request for one signature; the same request and answers give the same bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignRequest {
    /// Signing time, seconds since the Unix epoch.
    pub time: i64,
    /// 32 bytes from which every identifier is derived.
    pub seed: Vec<u8>,
    /// `B-B` or `B-T`.
    pub target_level: String,
    /// DER certificates, the signer's first, then its issuers.
    pub signer_chain: Vec<Vec<u8>>,
    /// How the device will sign.
    pub signature_algorithm: SignatureAlgorithm,
    /// Bytes kept for signature, certificates and time-stamp.
    pub reserve: u32,
    /// Further parameters of the format.
    pub params: Vec<(String, String)>,
}

/// The kinds of [`Need`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum NeedKind {
    /// The issuer of a certificate.
    Certificate,
    /// OCSP response or CRL for a certificate.
    Revocation,
    /// A signature by a human.
    Signature,
    /// An RFC 3161 token.
    Timestamp,
}

impl NeedKind {
    /// The catalogue name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Certificate => "certificate",
            Self::Revocation => "revocation",
            Self::Signature => "signature",
            Self::Timestamp => "timestamp",
        }
    }
}

/// What a format cannot do itself.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Need {
    /// Unique within the step, and stable when the step is repeated.
    pub id: String,
    /// What is needed.
    pub kind: NeedKind,
    /// See `wit/CATALOGUE.md`.
    pub payload: Vec<u8>,
    /// Further parameters.
    pub params: Vec<(String, String)>,
}

/// The answer to a [`Need`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Answer {
    /// Which need.
    pub need_id: String,
    /// The bytes, or the reason why there are none.
    pub outcome: Result<Vec<u8>, String>,
}

/// What a finished `sign` made.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Outcome {
    /// Media type of the output.
    pub media_type: String,
    /// Reached level, such as `PAdES-B-T`.
    pub level: String,
    /// The new signature's identifier, as `verify` reports it.
    pub signature_id: String,
}

/// Either needs, all that are known, or an outcome; the sink holds the
/// document only when there is an outcome.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Step<O = Outcome> {
    /// The output is complete.
    Done(O),
    /// Call again with answers to these.
    Needs(Vec<Need>),
}
