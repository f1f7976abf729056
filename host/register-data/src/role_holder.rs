use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::PersonalCode;

/// Current holders of a role in an entity, as the register identifies them.
///
/// For comparison with a signer's certificate, and in the protocol of register gateways. It is part
/// of no answer to a caller, and has no schema.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoleHolders {
    /// Natural persons alone: only they sign.
    pub holders: Vec<RoleHolder>,
}

/// A natural person who holds a role. `Debug` shows no name.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoleHolder {
    /// All given names.
    pub given_name: String,
    /// The surname.
    pub surname: String,
    /// Identity of the person in the register.
    pub identity: HolderIdentity,
    /// Start of the role.
    #[serde(deserialize_with = "Option::deserialize")]
    pub since: Option<Date>,
}

/// Identity of a natural person in a register.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum HolderIdentity {
    /// A Lithuanian personal code (asmens kodas).
    PersonalCode {
        /// The code.
        code: PersonalCode,
    },
    /// An identifier of another state.
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
