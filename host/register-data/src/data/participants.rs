use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BirthMonth, Money, PartyType, Percent, Statement, Withheld};

/// Shareholders and members (dalyviai) as the information system of participants
/// of legal entities (JADIS) has them.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Participants {
    /// True if a list of participants was filed.
    pub list_filed: bool,
    /// The date of the list.
    pub list_date: Option<Date>,
    /// Total number of shares; null for entities without shares.
    pub total_shares: Option<u64>,
    /// The classes of the shares.
    pub share_classes: Option<Vec<ShareClass>>,
    /// The participants on the list.
    pub participants: Vec<Participant>,
    /// Number of participants of each kind.
    pub counts: ParticipantCounts,
    /// The data as statements of the Beneficial Ownership Data Standard 0.4.
    pub bods: Option<Vec<Statement>>,
}

/// A class of shares.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShareClass {
    /// Its name: `Paprastosios vardinės akcijos`.
    pub name: String,
    /// Number of shares of the class.
    pub count: u64,
    /// The nominal value of one.
    pub nominal: Option<Money>,
    /// Votes that one gives.
    pub votes_per_share: Option<u64>,
}

/// A shareholder or member.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Participant {
    /// Names the participant within this answer.
    pub id: String,
    /// The type of the party.
    #[serde(rename = "type")]
    pub participant_type: PartyType,
    /// Given names and surname, or name of the entity.
    pub name: String,
    /// Withheld.
    pub personal_code: Withheld,
    /// Year and month of birth, of a person.
    pub birth_date: Option<BirthMonth>,
    /// Identifiers of an entity; null for persons, and where none is known.
    pub identifiers: Option<Vec<Identifier>>,
    /// Country of the residence or seat, ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// Address of an entity's seat; null for persons.
    pub address: Option<String>,
    /// The holdings of the participant.
    pub holding: Holding,
    /// Start date.
    pub since: Option<Date>,
    /// True if it is held together with others (bendroji nuosavybė).
    pub joint_holding: bool,
}

/// A holding of a participant.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Holding {
    /// Name of the class of shares; null for entities without shares.
    pub share_class: Option<String>,
    /// Number of shares.
    pub count: Option<u64>,
    /// Their nominal value together, or the contribution.
    pub nominal: Option<Money>,
    /// Share of the capital, from 0 to 100.
    pub percent: Option<Percent>,
    /// Share of the votes, from 0 to 100.
    pub votes_percent: Option<Percent>,
}

/// Numbers of participants.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ParticipantCounts {
    /// Persons of Lithuania.
    pub lt_natural: u32,
    /// Entities of Lithuania, the state and municipalities among them.
    pub lt_legal: u32,
    /// Persons of other states.
    pub foreign_natural: u32,
    /// Entities of other states.
    pub foreign_legal: u32,
}

/// An identifier of an entity.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Identifier {
    /// The list by org-id.guide: `LT-RC`, `LT-PVM`, `XI-LEI`.
    pub scheme: String,
    /// The identifier on it.
    pub id: String,
}
