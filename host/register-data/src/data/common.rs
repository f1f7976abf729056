//! Types shared by several answers.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Amount;

/// A value of a register's classifier.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Coded {
    /// Its code there; null if the register has words only.
    pub code: Option<String>,
    /// The classifier.
    pub scheme: String,
    /// Meaning in words.
    pub label: Label,
}

/// Words of a register, in two languages.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Label {
    /// The register's own, Lithuanian.
    pub lt: String,
    /// English; null where there is no established translation.
    pub en: Option<String>,
}

impl Label {
    /// Words with their translation.
    pub fn new(lt: impl Into<String>, en: impl Into<String>) -> Self {
        Self {
            lt: lt.into(),
            en: Some(en.into()),
        }
    }
}

/// An amount of money.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Money {
    /// A decimal number, such as `2500.00`.
    pub amount: Amount,
    /// ISO 4217.
    #[schemars(extend("pattern" = "^[A-Z]{3}$"))]
    pub currency: String,
}

/// A percentage from 0 to 100.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, PartialOrd, Serialize)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64", extend("minimum" = 0, "maximum" = 100))]
pub struct Percent(f64);

/// A number that is not a [`Percent`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a percentage is from 0 to 100")]
pub struct InvalidPercent;

impl TryFrom<f64> for Percent {
    type Error = InvalidPercent;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        let is_percent = (0.0..=100.0).contains(&number);
        is_percent.then_some(Self(number)).ok_or(InvalidPercent)
    }
}

impl From<Percent> for f64 {
    fn from(percent: Percent) -> Self {
        percent.0
    }
}

/// Year and month of somebody's birth; the day is withheld.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9]{4}-[0-9]{2}$"))]
pub struct BirthMonth {
    year: i16,
    month: i8,
}

/// A text that is not a [`BirthMonth`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a month of birth is written YYYY-MM")]
pub struct InvalidBirthMonth;

impl From<jiff::civil::Date> for BirthMonth {
    fn from(date: jiff::civil::Date) -> Self {
        Self {
            year: date.year(),
            month: date.month(),
        }
    }
}

impl fmt::Display for BirthMonth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl FromStr for BirthMonth {
    type Err = InvalidBirthMonth;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let has_shape = text.len() == 7 && text.as_bytes()[4] == b'-';
        let whole: Option<jiff::civil::Date> = has_shape
            .then(|| format!("{text}-01").parse().ok())
            .flatten();
        whole.map(Self::from).ok_or(InvalidBirthMonth)
    }
}

impl TryFrom<String> for BirthMonth {
    type Error = InvalidBirthMonth;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<BirthMonth> for String {
    fn from(month: BirthMonth) -> Self {
        month.to_string()
    }
}

/// Always null: what the register holds here is not passed on.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[schemars(with = "()")]
pub struct Withheld;

/// The kind of a party in a register.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartyType {
    /// A person (fizinis asmuo).
    Natural,
    /// A legal entity (juridinis asmuo).
    Legal,
    /// The state (valstybė).
    State,
    /// A municipality (savivaldybė).
    Municipality,
    /// The register does not say.
    Unknown,
}

/// Somebody whom an entry of a register names.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Party {
    /// Name of the entity, or given names and surname.
    pub name: String,
    /// The type of the party.
    #[serde(rename = "type")]
    pub party_type: PartyType,
    /// The code of a legal entity; null for persons.
    pub code: Option<String>,
    /// Withheld.
    pub personal_code: Withheld,
    /// Year and month of birth; null for entities, and if unknown.
    pub birth_date: Option<BirthMonth>,
    /// Country of the seat or residence, ISO 3166-1 alpha-2.
    pub country: Option<String>,
}
