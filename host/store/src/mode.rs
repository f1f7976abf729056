//! The mode of a store.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Purpose of a store. A server of one mode does not open a store of the other.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StoreMode {
    /// The demo world.
    Demo,
    /// Real signatures.
    Production,
}

impl fmt::Display for StoreMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Demo => "demo",
            Self::Production => "production",
        })
    }
}
