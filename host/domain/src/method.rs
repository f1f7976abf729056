use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Method by which a signer proves their identity and signs.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SigningMethod {
    /// Lithuanian identity card over NFC.
    Nfc,
    /// Smart-ID.
    SmartId,
    /// Mobile-ID.
    MobileId,
}

impl SigningMethod {
    /// All methods, in listing order.
    pub const ALL: [Self; 3] = [Self::Nfc, Self::SmartId, Self::MobileId];

    /// The name at the interface.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nfc => "nfc",
            Self::SmartId => "smart_id",
            Self::MobileId => "mobile_id",
        }
    }
}

impl fmt::Display for SigningMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SigningMethod {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|method| method.name() == name)
            .ok_or(UnknownMethod)
    }
}

/// A name that is no signing method.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("not a signing method: nfc, smart_id and mobile_id are")]
pub struct UnknownMethod;

/// The methods that a signer may use, in the given order.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct MethodSet(Vec<SigningMethod>);

impl MethodSet {
    /// Returns true if the set contains the method.
    #[must_use]
    pub fn contains(&self, method: SigningMethod) -> bool {
        self.0.contains(&method)
    }

    /// The methods in order.
    pub fn iter(&self) -> impl Iterator<Item = SigningMethod> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<SigningMethod> for MethodSet {
    /// Keeps the first of duplicates.
    fn from_iter<I: IntoIterator<Item = SigningMethod>>(methods: I) -> Self {
        let mut set = Vec::new();
        for method in methods {
            if !set.contains(&method) {
                set.push(method);
            }
        }
        Self(set)
    }
}
