//! Branding of a workspace on the signers' pages.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use parafa_store::plain_table;
use serde::{Deserialize, Serialize};
use serde_with::As;
use serde_with::base64::Base64;
use uuid::Uuid;

/// Branding of a workspace. Without such a row only its registered name is shown.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct FaceRow {
    /// The workspace.
    pub tenant: Uuid,
    /// The displayed name; `None` for the registered one.
    pub display_name: Option<String>,
    /// The accent colour.
    pub accent: Option<Rgb>,
    /// Facts about its logo, which is a [`LogoRow`].
    pub logo: Option<LogoFacts>,
    /// Mail to signers after the last signature.
    pub done_mail: DoneMail,
    /// Contact address for signers, if there is one.
    #[serde(default)]
    pub contact: Option<String>,
}

impl FaceRow {
    /// Returns the default branding.
    #[must_use]
    pub fn none(tenant: Uuid) -> Self {
        Self {
            tenant,
            display_name: None,
            accent: None,
            logo: None,
            done_mail: DoneMail::Link,
            contact: None,
        }
    }
}

/// Facts about a logo.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct LogoFacts {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Digest of the file, in lower-case hexadecimal.
    pub sha256: String,
}

/// A workspace's logo.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct LogoRow {
    /// The workspace.
    pub tenant: Uuid,
    /// A PNG file encoded by this program.
    #[serde(with = "As::<Base64>")]
    pub png: Vec<u8>,
}

/// Mail to signers with mailed links after the last signature.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum DoneMail {
    /// An email with the document attached.
    Attach,
    /// An email with a link to the document.
    Link,
    /// No email.
    None,
}

/// A colour of the sRGB space (IEC 61966-2-1), in eight bits for each of red, green and blue.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rgb(pub [u8; 3]);

/// A text that is not a colour.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a colour: # and six hexadecimal digits, such as #14532d")]
pub struct NoColour(String);

impl FromStr for Rgb {
    type Err = NoColour;

    fn from_str(text: &str) -> Result<Self, NoColour> {
        let digits = text.strip_prefix('#').filter(|digits| {
            digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        });
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let number = number.ok_or_else(|| NoColour(text.to_owned()))?;
        let [_, red, green, blue] = number.to_be_bytes();
        Ok(Self([red, green, blue]))
    }
}

impl TryFrom<String> for Rgb {
    type Error = NoColour;

    fn try_from(text: String) -> Result<Self, NoColour> {
        text.parse()
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl From<Rgb> for String {
    fn from(colour: Rgb) -> Self {
        colour.to_string()
    }
}

plain_table!(FaceRow: "faces" by Uuid, |row| row.tenant);

plain_table!(LogoRow: "logos" by Uuid, |row| row.tenant);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_reads_back_from_its_text() {
        for text in ["#000000", "#14532d", "#ffffff"] {
            let colour: Rgb = text.parse().unwrap();
            assert_eq!(colour.to_string(), text);
        }
        assert_eq!("#0A0b0C".parse::<Rgb>().unwrap(), Rgb([10, 11, 12]));
    }

    #[test]
    fn what_is_no_colour_is_refused() {
        for text in [
            "",
            "#",
            "14532d",
            "#14532",
            "#14532dff",
            "#+4532d",
            "green",
            "#14532ą",
        ] {
            assert!(text.parse::<Rgb>().is_err(), "{text}");
        }
    }
}
