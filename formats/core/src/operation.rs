use std::borrow::Cow;

use parafa_catalogue::{DigestAlgorithm, NeedKind, Operation, Preservation, SignatureAlgorithm};

use crate::Payload;

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
    /// One for each of `sign`, `archive`, `flatten` and `rehearse` that it has.
    pub abilities: &'static [Ability],
}

/// What an operation makes of a document.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Ability {
    /// Which operation.
    pub operation: Operation,
    /// How it keeps the bytes of its input.
    pub preservation: Preservation,
    /// The levels that `sign` and `archive` come to, such as `PAdES-B-T`, the
    /// lowest first.
    pub levels: &'static [&'static str],
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
    /// What the document, sound as it is, is not for.
    pub obstacles: Vec<Obstacle>,
    /// How operations keep the bytes of this document, where that is stronger
    /// than what the description says.
    pub preservation: Vec<(Operation, Preservation)>,
}

/// Why a document is not for an operation.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Obstacle {
    /// Which operation.
    pub operation: Operation,
    /// What it would answer.
    pub refusal: Refusal,
}

impl Report {
    /// What there is to tell of a document at least.
    pub fn new(media_type: impl Into<String>, format_version: impl Into<String>) -> Self {
        Self {
            media_type: media_type.into(),
            format_version: format_version.into(),
            signatures: Vec::new(),
            fields: Vec::new(),
            notes: Vec::new(),
            obstacles: Vec::new(),
            preservation: Vec::new(),
        }
    }
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
    /// The ids of the members to be covered: all that `members` tells, none for
    /// formats without it.
    pub covers: Vec<String>,
    /// Further parameters of the format.
    pub params: Vec<(String, String)>,
}

/// What a format cannot do itself.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Need {
    /// Unique within the step, and stable when the step is repeated.
    pub id: String,
    /// What is needed.
    pub kind: NeedKind,
    /// What it is needed for; `wit/CATALOGUE.md` says what of each kind.
    pub payload: Payload,
    /// `signature` and `timestamp`: how the payload is hashed.
    pub digest_algorithm: Option<DigestAlgorithm>,
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
