//! What a store was made for.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a store was made for. Neither kind of server opens the other's.
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
