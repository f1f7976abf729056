//! Ids that cannot be mistaken for one another.

use std::fmt;

use serde::Serialize;
use uuid::Uuid;

/// Length of a UUID's text with hyphens (RFC 9562, 4), the one form accepted.
const HYPHENATED_LENGTH: usize = 36;

/// A UUID in its hyphenated form, in either case.
pub(crate) fn parse_uuid(text: &str) -> Option<Uuid> {
    (text.len() == HYPHENATED_LENGTH)
        .then(|| Uuid::try_parse(text).ok())
        .flatten()
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// A signing.
    SigningId;
    /// A party of a signing.
    SignerId;
    /// Signings for one set of parties.
    BatchId;
    /// A stored file.
    FileToken;
    /// A remark on a signing.
    CommentId;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hyphenated_form_is_a_uuid() {
        let id = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f";
        assert!(parse_uuid(id).is_some());
        assert!(parse_uuid(&id.to_uppercase()).is_some());
        assert!(parse_uuid(&id.replace('-', "")).is_none());
        assert!(parse_uuid(&format!("{{{id}}}")).is_none());
        assert!(parse_uuid(&format!("urn:uuid:{id}")).is_none());
        assert!(parse_uuid("").is_none());
    }
}
