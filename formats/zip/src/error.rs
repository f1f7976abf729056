use parafa_format_core::{Refusal, refusal};

/// Reason for rejecting an archive.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// No end of central directory record ends at the end of the file.
    #[error("no end record of a ZIP archive ends where the file ends")]
    NotAZip,
    /// A record is truncated or misplaced.
    #[error("the {0} is damaged")]
    Damaged(&'static str),
    /// Readers would disagree on the content of the archive.
    #[error("readers may disagree on the archive: {0}")]
    Ambiguous(&'static str),
    /// A local header contradicts the central directory.
    #[error("the local header of {name:?} has another {what} than the central directory")]
    LocalHeader {
        /// Name in the central directory.
        name: String,
        /// Contradictory field.
        what: &'static str,
    },
    /// The archive is split into several parts.
    #[error("the archive is split into parts")]
    Split,
    /// Members are encrypted.
    #[error("the member {0:?} is encrypted")]
    Encrypted(String),
    /// A member is neither stored nor deflated.
    #[error("the member {name:?} is compressed by the method {method}")]
    Method {
        /// Name of the member.
        name: String,
        /// Compression method (APPNOTE.TXT, 4.4.5).
        method: u16,
    },
    /// A member is a symbolic link or a device.
    #[error("the member {0:?} is no regular file")]
    SpecialFile(String),
    /// Names that lead outside the archive or differ between systems.
    #[error(
        "names of members are no relative paths in UTF-8 that every system reads alike \
         (no `..`, drive, `\\`, control character or change of direction): {0:?}"
    )]
    Names(Vec<String>),
    /// Several members have the same name.
    #[error("several members have one name: {0:?}")]
    Duplicates(Vec<String>),
    /// Too many entries, or a directory that is too large.
    #[error("the archive has more than {0} entries, or a directory too large for them")]
    TooManyEntries(u64),
    /// The members are too large.
    #[error("the members inflate to {inflated} bytes, from an archive of {archive}")]
    Bomb {
        /// Total size in the directory, in bytes.
        inflated: u64,
        /// Length of the archive, in bytes.
        archive: u64,
    },
    /// A member does not inflate as the directory states.
    #[error("the member {name:?} is damaged: {reason}")]
    Member {
        /// Name of the member.
        name: String,
        /// Defect of the member.
        reason: String,
    },
    /// A member is too large to be read into memory.
    #[error("the member {name:?} has {size} bytes where at most {most} are read")]
    MemberTooLong {
        /// Name of the member.
        name: String,
        /// Uncompressed size, in bytes.
        size: u64,
        /// Maximum size, in bytes.
        most: u64,
    },
    /// The `mimetype` member is invalid.
    #[error("the member \"mimetype\" {0}")]
    Mimetype(&'static str),
    /// The output would need an unsupported format.
    #[error("the archive would have more than 4 GiB or 65,534 entries")]
    TooLong,
}

impl Error {
    /// Returns the catalogue code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotAZip => "not-a-zip",
            Self::Damaged(_) => "zip-damaged",
            Self::Ambiguous(_) | Self::LocalHeader { .. } => "zip-ambiguous",
            Self::Split => "zip-split",
            Self::Encrypted(_) => "encrypted",
            Self::Method { .. } => "zip-method",
            Self::SpecialFile(_) => "zip-special-file",
            Self::Names(_) => "member-name",
            Self::Duplicates(_) => "duplicate-member",
            Self::TooManyEntries(_) => "too-many-members",
            Self::Bomb { .. } => "decompression-bomb",
            Self::Member { .. } => "member-damaged",
            Self::MemberTooLong { .. } => "member-too-long",
            Self::Mimetype(_) => "mimetype",
            Self::TooLong => refusal::DOCUMENT_TOO_LONG,
        }
    }

    /// Returns the members concerned.
    fn subjects(&self) -> Vec<String> {
        match self {
            Self::LocalHeader { name, .. }
            | Self::Encrypted(name)
            | Self::Method { name, .. }
            | Self::SpecialFile(name)
            | Self::Member { name, .. }
            | Self::MemberTooLong { name, .. } => vec![name.clone()],
            Self::Names(names) | Self::Duplicates(names) => names.clone(),
            _ => Vec::new(),
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let mut detail = error.to_string();
        detail[..1].make_ascii_uppercase();
        detail.push('.');
        Self {
            subjects: error.subjects(),
            ..Self::new(error.code(), detail)
        }
    }
}
