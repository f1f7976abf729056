use std::fmt;
use std::str::FromStr;

use parafa_eid_protocols::smart_id::is_semantics_identifier;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Longest identifier and document number, in characters.
const LONGEST: usize = 128;
/// Longest nonce, in characters.
const LONGEST_NONCE: usize = 30;

/// Kind of number that identifies a person (ETSI EN 319 412-1, 5.1.3).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum IdentityType {
    /// National personal number.
    PersonalNumber,
    /// Passport number.
    Passport,
    /// Number of a national identity card.
    IdentityCard,
}

impl IdentityType {
    /// The three letters.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::PersonalNumber => "PNO",
            Self::Passport => "PAS",
            Self::IdentityCard => "IDC",
        }
    }
}

/// A person by a number of one country (ETSI EN 319 412-1, 5.1.3), such as
/// `PNOLT-` and a personal code. Not shown by `Debug`.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct SemanticsIdentifier(String);

impl SemanticsIdentifier {
    /// `country` is an ISO 3166-1 alpha-2 code in upper case.
    ///
    /// # Errors
    /// [`InvalidIdentifier`] if the country is not such a code, or the identifier has characters
    /// other than letters, digits and hyphens.
    pub fn new(
        kind: IdentityType,
        country: &str,
        identifier: &str,
    ) -> Result<Self, InvalidIdentifier> {
        format!("{}{country}-{identifier}", kind.code()).parse()
    }

    /// The text, which is personal data.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl FromStr for SemanticsIdentifier {
    type Err = InvalidIdentifier;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !is_semantics_identifier(text) || text.len() > LONGEST {
            return Err(InvalidIdentifier);
        }
        Ok(Self(text.to_owned()))
    }
}

/// The number of a document, which names one account of a person on one
/// device. Opaque, and personal data: not shown by `Debug`.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct DocumentNumber(String);

impl DocumentNumber {
    /// The text, which is personal data.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl FromStr for DocumentNumber {
    type Err = InvalidIdentifier;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !is_path_safe(text) {
            return Err(InvalidIdentifier);
        }
        Ok(Self(text.to_owned()))
    }
}

macro_rules! hidden_texts {
    ($($name:ident),*) => {$(
        impl TryFrom<String> for $name {
            type Error = InvalidIdentifier;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    )*};
}

hidden_texts!(SemanticsIdentifier, DocumentNumber);

/// A text that is no identifier. It is not repeated, being personal data.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the text is not an identifier of a person or a document")]
pub struct InvalidIdentifier;

/// A session at the provider.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct SessionId(pub Uuid);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A nonce that distinguishes requests: the service answers the same request with the same nonce
/// within 15 seconds with the same session.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Nonce(String);

impl Nonce {
    /// 1 to 30 visible ASCII characters.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let sound = (1..=LONGEST_NONCE).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        sound.then(|| Self(text.to_owned()))
    }

    /// A nonce of 15 bytes that are not used twice.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 15]) -> Self {
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Returns true if a text can be part of a path without escaping.
fn is_path_safe(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_identified_by_kind_country_and_number() {
        let identifier =
            SemanticsIdentifier::new(IdentityType::PersonalNumber, "LT", "40504040001").unwrap();
        assert_eq!(identifier.expose(), "PNOLT-40504040001");
        assert!("PNOLV-329999-99901".parse::<SemanticsIdentifier>().is_ok());
        assert!("IDCEE-AA3456789".parse::<SemanticsIdentifier>().is_ok());
    }

    #[test]
    fn anything_else_is_no_identifier() {
        let long = format!("PNOLT-{}", "1".repeat(123));
        for text in ["", "40504040001", "PNOLT-1/../2", &long] {
            assert_eq!(
                text.parse::<SemanticsIdentifier>(),
                Err(InvalidIdentifier),
                "{text}"
            );
        }
        for text in ["", "..", "a/b", "a?b", "ž"] {
            assert_eq!(
                text.parse::<DocumentNumber>(),
                Err(InvalidIdentifier),
                "{text}"
            );
        }
    }

    #[test]
    fn personal_numbers_are_not_shown_by_debug() {
        let identifier: SemanticsIdentifier = "PNOLT-40504040001".parse().unwrap();
        let document: DocumentNumber = "PNOLT-40504040001-MOCK-Q".parse().unwrap();
        assert_eq!(
            format!("{identifier:?} {document:?}"),
            "SemanticsIdentifier(..) DocumentNumber(..)"
        );
        assert!(!format!("{:?}", "404".parse::<SemanticsIdentifier>()).contains("404"));
    }

    #[test]
    fn a_nonce_has_one_to_thirty_characters() {
        assert!(Nonce::new("a").is_some() && Nonce::new(&"a".repeat(30)).is_some());
        assert!(
            Nonce::new("").is_none()
                && Nonce::new(&"a".repeat(31)).is_none()
                && Nonce::new("a b").is_none()
        );
        assert_eq!(
            Nonce::new(&Nonce::from_bytes([0xAB; 15]).0),
            Some(Nonce::from_bytes([0xAB; 15]))
        );
    }
}
