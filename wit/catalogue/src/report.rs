use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use crate::{Digest, MemberRole, Operation, Preservation, note};

/// The refusal of a document or a request.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Refusal {
    /// Code of the catalogue, such as `encrypted`.
    pub code: Cow<'static, str>,
    /// One English sentence for the caller of the API.
    pub detail: String,
    /// Form fields or members concerned, all at once.
    pub subjects: Vec<String>,
}

/// A note that does not refuse the document.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Note {
    /// Code of the catalogue, such as `javascript`.
    pub code: Cow<'static, str>,
    /// One English sentence.
    pub detail: String,
}

/// The result of `inspect`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Report {
    /// Media type of the document.
    pub media_type: String,
    /// Version of the format, such as `1.7`.
    pub format_version: String,
    /// Existing signatures, in the order in which they were made.
    pub signatures: Vec<SignatureSummary>,
    /// Form fields.
    pub fields: Vec<Field>,
    /// Notes for the caller.
    pub notes: Vec<Note>,
    /// Operations that the document, although valid, does not allow.
    pub obstacles: Vec<Obstacle>,
    /// Preservation of this document's bytes, where it exceeds the description's.
    pub preservation: Vec<(Operation, Preservation)>,
}

/// A signature already there.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct SignatureSummary {
    /// Identifier within the document, as `verify` reports it.
    pub id: String,
    /// Common name of the signing certificate.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub signer: Option<String>,
    /// Claimed signing time, seconds since the Unix epoch.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub claimed_time: Option<i64>,
}

/// A form field.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Field {
    /// Fully qualified name.
    pub name: String,
    /// `text`, `choice`, `button`, `signature` or `unknown`.
    pub kind: String,
}

/// The reason why a document does not allow an operation.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Obstacle {
    /// The operation.
    pub operation: Operation,
    /// The refusal that it would return.
    pub refusal: Refusal,
}

/// A file in a document of files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Member {
    /// Unique within the document, and constant while the member exists.
    pub id: String,
    /// Its name within the document.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Length of its bytes as written by `extract`.
    pub size: u64,
    /// SHA-256 of these bytes.
    pub digest: Digest,
    /// Its role for signers.
    pub role: MemberRole,
}

/// The result of a finished `sign`.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Outcome {
    /// Media type of the output.
    pub media_type: String,
    /// Reached level, such as `PAdES-B-T`.
    pub level: String,
    /// The new signature's identifier, as `verify` reports it.
    pub signature_id: String,
}

impl Refusal {
    /// Creates a refusal that concerns the document as a whole.
    pub fn new(code: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            detail: detail.into(),
            subjects: Vec::new(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

impl Error for Refusal {}

impl Note {
    /// Creates a note.
    pub fn new(code: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            detail: detail.into(),
        }
    }
}

impl Report {
    /// Creates a report without optional parts.
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

    /// Returns the obstacle to an operation, if there is one.
    #[must_use]
    pub fn obstacle(&self, operation: Operation) -> Option<&Refusal> {
        let mut obstacles = self.obstacles.iter();
        let obstacle = obstacles.find(|obstacle| obstacle.operation == operation)?;
        Some(&obstacle.refusal)
    }

    /// Returns the number of further signatures for which the document has room, if a note says
    /// that these may be too few.
    #[must_use]
    pub fn room_for_signatures(&self) -> Option<usize> {
        let mut notes = self.notes.iter();
        let note = notes.find(|note| note.code == note::ROOM)?;
        note.detail.parse().ok()
    }
}
