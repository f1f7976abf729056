use std::borrow::Cow;

use crate::Step;

/// A request to raise the signatures of a document to an archival level; the
/// same request and answers give the same bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ArchiveRequest {
    /// Time of archiving, seconds since the Unix epoch.
    pub time: i64,
    /// 32 bytes from which every identifier is derived.
    pub seed: Vec<u8>,
    /// `B-LT` or `B-LTA`.
    pub target_level: String,
    /// Further parameters of the format.
    pub params: Vec<(String, String)>,
}

/// What a finished `archive` made.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Archived {
    /// Media type of the document.
    pub media_type: String,
    /// The lowest level of its signatures now, such as `PAdES-B-LT`.
    pub level: String,
    /// Whether there is an output; without one the document is at that level
    /// already, and nothing was written.
    pub changed: bool,
}

/// Either needs, all that are known, or what was archived.
pub type ArchiveStep = Step<Archived>;

/// A request for a document derived from another one (`flatten`, `rehearse`);
/// the same request gives the same bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DeriveRequest {
    /// Time of the derivation, seconds since the Unix epoch.
    pub time: i64,
    /// 32 bytes from which every identifier is derived.
    pub seed: Vec<u8>,
    /// Further parameters of the format.
    pub params: Vec<(String, String)>,
}

/// A request for a new document made of files; the same request and files give
/// the same bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ComposeRequest {
    /// Time of composing, seconds since the Unix epoch.
    pub time: i64,
    /// 32 bytes from which every identifier is derived.
    pub seed: Vec<u8>,
    /// Media type of what is to be made, one of those of the format.
    pub media_type: String,
    /// Further parameters of the format.
    pub params: Vec<(String, String)>,
}

/// A file that goes into a new document.
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'a, B> {
    /// Its name within the document.
    pub name: &'a str,
    /// Its media type.
    pub media_type: &'a str,
    /// Its bytes.
    pub content: &'a B,
}

/// What a finished `flatten`, `rehearse` or `compose` made.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Made {
    /// Media type of the output.
    pub media_type: String,
    /// Catalogue codes of what is worth telling about how it was made, such as
    /// `need-appearances`.
    pub notes: Vec<Cow<'static, str>>,
}

impl Made {
    /// An output that there is nothing to tell about.
    pub fn new(media_type: impl Into<String>) -> Self {
        Self {
            media_type: media_type.into(),
            notes: Vec::new(),
        }
    }
}
