use std::borrow::Cow;

use crate::Step;

/// A request to raise the signatures of a document to an archival level; the
/// same request and answers give the same bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ArchiveRequest {
    /// Time of archiving in seconds since the Unix epoch.
    pub time: i64,
    /// Source of every identifier: 32 bytes.
    pub seed: Vec<u8>,
    /// `B-LT` or `B-LTA`.
    pub target_level: String,
    /// Further parameters of the format.
    pub params: Vec<(String, String)>,
}

/// Result of a finished `archive`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Archived {
    /// Media type of the document.
    pub media_type: String,
    /// Lowest level of its signatures, such as `PAdES-B-LT`.
    pub level: String,
    /// An output was written. Otherwise the document already has that level.
    pub changed: bool,
}

/// All known needs, or the archived result.
pub type ArchiveStep = Step<Archived>;

/// A request for a document derived from another one (`flatten`, `rehearse`);
/// the same request gives the same bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DeriveRequest {
    /// Time of the derivation in seconds since the Unix epoch.
    pub time: i64,
    /// Source of every identifier: 32 bytes.
    pub seed: Vec<u8>,
    /// Further parameters of the format.
    pub params: Vec<(String, String)>,
}

/// A request for a new document made of files; the same request and files give
/// the same bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ComposeRequest {
    /// Time of composing in seconds since the Unix epoch.
    pub time: i64,
    /// Source of every identifier: 32 bytes.
    pub seed: Vec<u8>,
    /// Media type of the output, one of the format's.
    pub media_type: String,
    /// Further parameters of the format.
    pub params: Vec<(String, String)>,
}

/// A file for a new document.
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'a, B> {
    /// Name within the document.
    pub name: &'a str,
    /// Its media type.
    pub media_type: &'a str,
    /// Its bytes.
    pub content: &'a B,
}

/// Result of a finished `flatten`, `rehearse` or `compose`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Made {
    /// Media type of the output.
    pub media_type: String,
    /// Catalogue codes of notes on the result, such as `need-appearances`.
    pub notes: Vec<Cow<'static, str>>,
}

impl Made {
    /// Creates a result without notes.
    pub fn new(media_type: impl Into<String>) -> Self {
        Self {
            media_type: media_type.into(),
            notes: Vec::new(),
        }
    }
}
