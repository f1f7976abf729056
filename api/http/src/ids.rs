//! Ids with types that cannot be confused.

use std::fmt;

use uuid::Uuid;

/// Length of a UUID's text with hyphens (RFC 9562, 4), the one form accepted.
const HYPHENATED_LENGTH: usize = 36;

/// A UUID in its hyphenated form, in either case.
pub(crate) fn parse_uuid(text: &str) -> Option<Uuid> {
    (text.len() == HYPHENATED_LENGTH)
        .then(|| Uuid::try_parse(text).ok())
        .flatten()
}

/// An id in paths.
pub trait PathId: Copy + fmt::Display + From<Uuid> + Send + Sync + 'static {
    /// The parameter's name in templates of paths.
    const NAME: &'static str;
    /// Description of the id for callers.
    const DESCRIPTION: &'static str;
}

/// Declares types of ids; those with a name are path parameters of that name.
#[macro_export]
macro_rules! ids {
    ($(#[doc = $doc:literal] $name:ident $(in $parameter:literal)?;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(pub uuid::Uuid);

        impl From<uuid::Uuid> for $name {
            fn from(id: uuid::Uuid) -> Self {
                Self(id)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <uuid::Uuid as schemars::JsonSchema>::json_schema(generator)
            }
        }

        $(impl $crate::PathId for $name {
            const NAME: &'static str = $parameter;
            const DESCRIPTION: &'static str = $doc.trim_ascii();
        })?
    )*};
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
