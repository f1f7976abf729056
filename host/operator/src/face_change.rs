//! Changes to a workspace's branding.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

use parafa_platform::face::{DoneMail, NoColour, Rgb};
use serde::{Deserialize, Serialize};

/// Argument that removes a value.
const NONE: &str = "none";

/// New value of an optional setting.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Chosen<T> {
    /// A value.
    To(T),
    /// No value.
    Nothing,
}

impl<T> Chosen<T> {
    pub(crate) fn into_option(self) -> Option<T> {
        match self {
            Self::To(value) => Some(value),
            Self::Nothing => None,
        }
    }
}

impl FromStr for Chosen<String> {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            NONE => Self::Nothing,
            text => Self::To(text.to_owned()),
        })
    }
}

impl FromStr for Chosen<Rgb> {
    type Err = NoColour;

    fn from_str(text: &str) -> Result<Self, NoColour> {
        Ok(match text {
            NONE => Self::Nothing,
            text => Self::To(text.parse()?),
        })
    }
}

impl FromStr for Chosen<PathBuf> {
    type Err = std::io::Error;

    /// Makes the path absolute: the server may have another working directory.
    fn from_str(text: &str) -> Result<Self, std::io::Error> {
        Ok(match text {
            NONE => Self::Nothing,
            path => Self::To(std::path::absolute(path)?),
        })
    }
}

/// Changes of a face; members left out stay.
#[derive(Clone, Debug, Deserialize, Serialize, clap::Args)]
pub struct FaceChange {
    /// The name that signers see as the requester, at most 200 characters; the registered name is
    /// shown beside it.
    #[arg(long, value_name = "TEXT|none")]
    pub(crate) name: Option<Chosen<String>>,
    /// A PNG or SVG file of at most 512 KiB and 4096 pixels a side; a PNG drawn from it is stored.
    /// An SVG may contain only shapes: turn text into paths.
    #[arg(long, value_name = "FILE|none")]
    pub(crate) logo: Option<Chosen<PathBuf>>,
    /// The colour of buttons and links, such as '#14532d'; made darker or lighter where it would be
    /// unreadable.
    #[arg(long, value_name = "#RRGGBB|none")]
    pub(crate) accent: Option<Chosen<Rgb>>,
    /// The email to signers invited by email, once all have signed: with a link that is valid for
    /// 7 days, with the document (a link if over 5 MiB), or none.
    #[arg(long, value_enum)]
    pub(crate) done_mail: Option<DoneMail>,
    /// The email address for signers' questions; replies to emails go there.
    #[arg(long, value_name = "ADDRESS|none")]
    pub(crate) contact: Option<Chosen<String>>,
}
