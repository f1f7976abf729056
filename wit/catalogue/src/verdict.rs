use alloc::borrow::Cow;
use alloc::string::String;

use crate::{Integrity, TimestampStatus};

/// The outcome of one check. A check that could not be made is not a failed one. The codes are
/// those of [`check`](crate::check), or others that are passed on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// The check succeeded.
    Holds,
    /// The check failed, with a code.
    Broken(Cow<'static, str>),
    /// The result is unknown, with a code.
    Unknown(Cow<'static, str>),
}

/// The digest check of a member, or of a file outside the document.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MemberCheck {
    /// The member's id, or the file's name. It may be missing from the document.
    pub id: String,
    /// The verdict on its digest.
    pub digest: Verdict,
}

impl Verdict {
    /// Returns the verdict of a failed check.
    #[must_use]
    pub const fn broken(code: &'static str) -> Self {
        Self::Broken(Cow::Borrowed(code))
    }

    /// Returns an unknown verdict.
    #[must_use]
    pub const fn unknown(code: &'static str) -> Self {
        Self::Unknown(Cow::Borrowed(code))
    }
}

impl From<Integrity> for Verdict {
    fn from(integrity: Integrity) -> Self {
        match integrity {
            Integrity::Intact => Self::Holds,
            Integrity::Unsupported => Self::unknown(integrity.name()),
            broken => Self::broken(broken.name()),
        }
    }
}

impl From<TimestampStatus> for Verdict {
    fn from(status: TimestampStatus) -> Self {
        match status {
            TimestampStatus::Intact => Self::Holds,
            TimestampStatus::Unverifiable => Self::unknown(status.name()),
            broken => Self::broken(broken.name()),
        }
    }
}

/// Codes without an integrity of their own keep their side: `Broken` never becomes intact, and
/// `Unknown` never broken.
impl From<&Verdict> for Integrity {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Holds => Self::Intact,
            Verdict::Unknown(_) => Self::Unsupported,
            Verdict::Broken(code) => match code.parse() {
                Ok(Self::Intact | Self::Unsupported) | Err(_) => Self::Malformed,
                Ok(broken) => broken,
            },
        }
    }
}

/// Converts codes as for [`Integrity`].
impl From<&Verdict> for TimestampStatus {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Holds => Self::Intact,
            Verdict::Unknown(_) => Self::Unverifiable,
            Verdict::Broken(code) => match code.parse() {
                Ok(Self::Intact | Self::Unverifiable) | Err(_) => Self::Malformed,
                Ok(broken) => broken,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_from_the_verdict_that_it_comes_to() {
        for integrity in Integrity::ALL {
            assert_eq!(Integrity::from(&Verdict::from(*integrity)), *integrity);
        }
        for status in TimestampStatus::ALL {
            assert_eq!(TimestampStatus::from(&Verdict::from(*status)), *status);
        }
    }

    #[test]
    fn a_code_of_a_later_version_stays_on_its_side() {
        for code in ["of-later", "intact", "unsupported", "unverifiable"] {
            let [broken, unknown] = [Verdict::broken(code), Verdict::unknown(code)];

            assert_eq!(Integrity::from(&broken), Integrity::Malformed);
            assert_eq!(Integrity::from(&unknown), Integrity::Unsupported);
            assert_eq!(TimestampStatus::from(&broken), TimestampStatus::Malformed);
            assert_eq!(
                TimestampStatus::from(&unknown),
                TimestampStatus::Unverifiable
            );
        }
    }
}
