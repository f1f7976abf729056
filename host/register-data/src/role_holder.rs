use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::PersonalCode;

/// Who holds a role in an entity now, as the register identifies them.
///
/// It goes to whoever compares a signer's certificate with it, and over the
/// protocol of a register gateway; no answer to a caller is made of it, and it
/// describes no schema.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoleHolders {
    /// Natural persons alone: nobody else signs.
    pub holders: Vec<RoleHolder>,
}

/// A natural person who holds a role. `Debug` names nobody.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoleHolder {
    /// All given names.
    pub given_name: String,
    /// The surname.
    pub surname: String,
    /// What the register knows the person by.
    pub identity: HolderIdentity,
    /// Since when the role is held.
    #[serde(deserialize_with = "Option::deserialize")]
    pub since: Option<Date>,
}

/// What a register knows a natural person by.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum HolderIdentity {
    /// A Lithuanian personal code (asmens kodas).
    PersonalCode {
        /// The code.
        code: PersonalCode,
    },
    /// An identifier that another state gave.
    Foreign {
        /// ISO 3166-1 alpha-2.
        country: String,
        /// The identifier, without a prefix.
        identifier: String,
    },
    /// No identifier, only when the person was born.
    #[serde(rename_all = "camelCase")]
    BirthDate {
        /// The whole date.
        birth_date: Date,
    },
}

impl fmt::Debug for RoleHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoleHolder")
            .field("identity", &self.identity)
            .field("since", &self.since)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for HolderIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PersonalCode { .. } => "PersonalCode(…)",
            Self::Foreign { .. } => "Foreign(…)",
            Self::BirthDate { .. } => "BirthDate(…)",
        })
    }
}
