use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    EntityCode, PropertyNumber, Register, RoleHolders,
    data::{
        BeneficialOwners, Cases, CompanyProfile, Participants, PropertyExtract, RealEstate,
        Seizures,
    },
};

/// A query to a register, with its subject.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Query {
    /// The Register of Legal Entities: name, form, status, management.
    CompanyProfile(EntityCode),
    /// JADIS: shareholders and members.
    Participants(EntityCode),
    /// JANGIS: beneficial owners.
    BeneficialOwners(EntityCode),
    /// The Real Property Register: an entity's property.
    RealEstate(EntityCode),
    /// The Real Property Register: the full extract of one object.
    PropertyExtract(PropertyNumber),
    /// The Register of Property Seizure Acts.
    Seizures(EntityCode),
    /// The courts' information system.
    Cases(EntityCode),
    /// Current holders of a role, with their identification.
    RoleHolders {
        /// The entity.
        entity: EntityCode,
        /// The role.
        role: Role,
    },
}

/// A role in an entity.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The single-person management body (vadovas).
    Manager,
    /// A member of the board (valdyba).
    BoardMember,
    /// A member of the supervisory board (stebėtojų taryba).
    SupervisoryBoardMember,
    /// A procurator (prokuristas).
    Procurator,
    /// A person with a registered authorisation (įgaliotinis).
    AuthorisedPerson,
    /// A shareholder (akcininkas).
    Shareholder,
    /// A member of a small partnership or another entity without shares
    /// (narys, dalyvis).
    Member,
    /// A beneficial owner (naudos gavėjas).
    BeneficialOwner,
    /// A liquidator (likvidatorius).
    Liquidator,
    /// An insolvency administrator (nemokumo administratorius).
    InsolvencyAdministrator,
}

/// A text that names no role.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("there is no such role")]
pub struct UnknownRole;

/// A register's answer to a [`Query`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum RegisterData {
    /// Answer to [`Query::CompanyProfile`].
    CompanyProfile(Box<CompanyProfile>),
    /// Answer to [`Query::Participants`].
    Participants(Box<Participants>),
    /// Answer to [`Query::BeneficialOwners`].
    BeneficialOwners(Box<BeneficialOwners>),
    /// Answer to [`Query::RealEstate`].
    RealEstate(Box<RealEstate>),
    /// Answer to [`Query::PropertyExtract`].
    PropertyExtract(Box<PropertyExtract>),
    /// Answer to [`Query::Seizures`].
    Seizures(Box<Seizures>),
    /// Answer to [`Query::Cases`].
    Cases(Box<Cases>),
    /// Answer to [`Query::RoleHolders`]; not for callers.
    RoleHolders(RoleHolders),
}

/// Reason why JSON is not the answer to a query. It repeats only names of members.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableAnswer {
    /// Not JSON, or of another shape.
    #[error("the answer is not of the expected shape (line {line}, column {column})")]
    Shape {
        /// The line, from one.
        line: usize,
        /// The column, from one.
        column: usize,
    },
    /// Members are left out that would have to be null.
    #[error("the answer lacks {0}")]
    Lacks(String),
    /// The answer is about another subject.
    #[error("the answer is about something else than was asked")]
    AboutAnother,
}

impl Query {
    /// The register that knows.
    #[must_use]
    pub fn register(&self) -> Register {
        match self {
            Self::CompanyProfile(_) => Register::Jar,
            Self::Participants(_) => Register::Jadis,
            Self::BeneficialOwners(_) => Register::Jangis,
            Self::RealEstate(_) | Self::PropertyExtract(_) => Register::Ntr,
            Self::Seizures(_) => Register::Taar,
            Self::Cases(_) => Register::Liteko,
            Self::RoleHolders { role, .. } => role.register(),
        }
    }

    /// Kind of the query, as in paths of the gateway protocol.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::CompanyProfile(_) => "company-profile",
            Self::Participants(_) => "participants",
            Self::BeneficialOwners(_) => "beneficial-owners",
            Self::RealEstate(_) => "real-estate",
            Self::PropertyExtract(_) => "property-extract",
            Self::Seizures(_) => "seizures",
            Self::Cases(_) => "cases",
            Self::RoleHolders { .. } => "role-holders",
        }
    }

    /// Constructor of the query of this kind about an entity alone; `None` if the kind is not one
    /// of these.
    #[must_use]
    pub fn about_entity(kind: &str) -> Option<fn(EntityCode) -> Self> {
        Some(match kind {
            "company-profile" => Self::CompanyProfile,
            "participants" => Self::Participants,
            "beneficial-owners" => Self::BeneficialOwners,
            "real-estate" => Self::RealEstate,
            "seizures" => Self::Seizures,
            "cases" => Self::Cases,
            _ => return None,
        })
    }

    /// Code or unique number of the subject.
    #[must_use]
    pub fn subject(&self) -> &str {
        match self {
            Self::CompanyProfile(code)
            | Self::Participants(code)
            | Self::BeneficialOwners(code)
            | Self::RealEstate(code)
            | Self::Seizures(code)
            | Self::Cases(code)
            | Self::RoleHolders { entity: code, .. } => code.as_str(),
            Self::PropertyExtract(number) => number.as_str(),
        }
    }
}

impl Role {
    /// Every one.
    pub const ALL: [Self; 10] = [
        Self::Manager,
        Self::BoardMember,
        Self::SupervisoryBoardMember,
        Self::Procurator,
        Self::AuthorisedPerson,
        Self::Shareholder,
        Self::Member,
        Self::BeneficialOwner,
        Self::Liquidator,
        Self::InsolvencyAdministrator,
    ];

    /// Name of the role in requests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Manager => "manager",
            Self::BoardMember => "board_member",
            Self::SupervisoryBoardMember => "supervisory_board_member",
            Self::Procurator => "procurator",
            Self::AuthorisedPerson => "authorised_person",
            Self::Shareholder => "shareholder",
            Self::Member => "member",
            Self::BeneficialOwner => "beneficial_owner",
            Self::Liquidator => "liquidator",
            Self::InsolvencyAdministrator => "insolvency_administrator",
        }
    }

    /// The register of the role's holders.
    #[must_use]
    pub fn register(self) -> Register {
        match self {
            Self::Manager
            | Self::BoardMember
            | Self::SupervisoryBoardMember
            | Self::Liquidator
            | Self::InsolvencyAdministrator => Register::Jar,
            Self::Procurator | Self::AuthorisedPerson => Register::Igr,
            Self::Shareholder | Self::Member => Register::Jadis,
            Self::BeneficialOwner => Register::Jangis,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut roles = Self::ALL.into_iter();
        roles.find(|role| role.name() == text).ok_or(UnknownRole)
    }
}

impl RegisterData {
    /// Reads the answer to `query` from JSON. Every member of its schema has to
    /// be there, if only as null; members that no schema has are left out.
    ///
    /// # Errors
    /// [`UnreadableAnswer`].
    pub fn from_json(query: &Query, json: &[u8]) -> Result<Self, UnreadableAnswer> {
        fn boxed<T: serde::de::DeserializeOwned>(json: &[u8]) -> serde_json::Result<Box<T>> {
            serde_json::from_slice(json).map(Box::new)
        }
        let data = match query {
            Query::CompanyProfile(_) => boxed(json).map(Self::CompanyProfile),
            Query::Participants(_) => boxed(json).map(Self::Participants),
            Query::BeneficialOwners(_) => boxed(json).map(Self::BeneficialOwners),
            Query::RealEstate(_) => boxed(json).map(Self::RealEstate),
            Query::PropertyExtract(_) => boxed(json).map(Self::PropertyExtract),
            Query::Seizures(_) => boxed(json).map(Self::Seizures),
            Query::Cases(_) => boxed(json).map(Self::Cases),
            Query::RoleHolders { .. } => serde_json::from_slice(json).map(Self::RoleHolders),
        };
        let unreadable = |error: serde_json::Error| UnreadableAnswer::Shape {
            line: error.line(),
            column: error.column(),
        };
        let data = data.map_err(unreadable)?;
        let read = serde_json::to_value(&data).map_err(unreadable)?;
        let given = serde_json::from_slice(json).map_err(unreadable)?;
        if let Some(lacking) = lacking(&read, &given) {
            return Err(UnreadableAnswer::Lacks(lacking));
        }
        match data.is_about(query) {
            true => Ok(data),
            false => Err(UnreadableAnswer::AboutAnother),
        }
    }

    /// Returns true if the register holds nothing on the subject: a list without entries. A
    /// declaration that is missing or not required counts as something.
    #[must_use]
    pub fn holds_nothing(&self) -> bool {
        match self {
            Self::Participants(held) => held.participants.is_empty(),
            Self::RealEstate(held) => held.items.is_empty(),
            Self::Seizures(held) => held.acts.is_empty(),
            Self::Cases(held) => held.cases.is_empty(),
            Self::RoleHolders(held) => held.holders.is_empty(),
            Self::CompanyProfile(_) | Self::BeneficialOwners(_) | Self::PropertyExtract(_) => false,
        }
    }

    /// Returns true unless the answer names another code than the query.
    fn is_about(&self, query: &Query) -> bool {
        match self {
            Self::CompanyProfile(profile) => profile.code.as_str() == query.subject(),
            Self::PropertyExtract(extract) => extract.unique_number.as_str() == query.subject(),
            _ => true,
        }
    }
}

/// Pointer (RFC 6901) of a member that is in `read` but not in `given`.
fn lacking(read: &Value, given: &Value) -> Option<String> {
    match (read, given) {
        (Value::Object(read), Value::Object(given)) => read.iter().find_map(|(name, read)| {
            let below = match given.get(name) {
                Some(given) => lacking(read, given)?,
                None => String::new(),
            };
            Some(format!("/{name}{below}"))
        }),
        (Value::Array(read), Value::Array(given)) => {
            let mut pairs = read.iter().zip(given).enumerate();
            pairs.find_map(|(index, (read, given))| {
                lacking(read, given).map(|below| format!("/{index}{below}"))
            })
        }
        _ => None,
    }
}
