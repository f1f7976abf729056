//! The versions of the library.

use std::sync::LazyLock;

use crate::{Bilingual, LibraryError, condition::Condition, load, rule::Rule};

/// Every version ever served, oldest first. None is ever edited or removed: a signed answer can be
/// derived again from its version.
pub(crate) const FILES: [(&str, &str); 2] = [
    ("2026.11.0", include_str!("../rules/2026.11.0.toml")),
    ("2026.11.1", include_str!("../rules/2026.11.1.toml")),
];

static LIBRARIES: LazyLock<Vec<Library>> = LazyLock::new(|| {
    FILES
        .into_iter()
        .map(|(version, text)| Library::load(version, text))
        .collect::<Result<_, _>>()
        .expect("a test loads every version that is built in")
});

/// One version of the interpretation library.
#[derive(Debug)]
pub struct Library {
    pub(crate) policy_version: String,
    pub(crate) sha256: String,
    pub(crate) repeat_limit: usize,
    pub(crate) notice: Bilingual,
    /// Conditions that are all true for a profile whose entity still exists.
    pub(crate) lasts: Vec<Condition>,
    /// Conditions that each show in a profile that its entity no longer exists.
    pub(crate) ended: Vec<Condition>,
    pub(crate) rules: Vec<Rule>,
}

impl Library {
    /// The version that answers.
    #[must_use]
    pub fn current() -> &'static Self {
        LIBRARIES.last().expect("there is a version")
    }

    /// A version by its name, such as `2026.11.0`; older ones remain available.
    #[must_use]
    pub fn by_version(version: &str) -> Option<&'static Self> {
        LIBRARIES
            .iter()
            .find(|library| library.policy_version == version)
    }

    /// Reads a rules file that is named after `version`.
    ///
    /// # Errors
    /// The first invalid entry, with its rule.
    pub fn load(version: &str, text: &str) -> Result<Self, LibraryError> {
        load::library(version, text)
    }

    /// The version's name.
    #[must_use]
    pub fn policy_version(&self) -> &str {
        &self.policy_version
    }

    /// SHA-256 of the rules file, in lowercase hex.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}
