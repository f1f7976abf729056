//! A published set of entities that do not exist, with answers of every
//! register about them. The same query has the same bytes for an answer, in
//! every process, until a term of office ends. Codes begin with 999, which no
//! code of the register does; nobody has the persons' codes, but the demo
//! world's [`personas`].

mod cases;
mod entity;
mod holders;
mod owners;
mod participants;
mod people;
pub mod personas;
mod profile;
mod property;
mod seizures;
mod subjects;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::json;

use self::entity::{AS_OF, Conduct, Entity};
pub use self::subjects::{
    COMPLETE, COMPLETE_PROPERTY, DOWN, EMPTY_PROPERTY, GARBAGE, HANGS, PROPERTY_DOWN,
    SEIZURES_DOWN, UNKNOWN,
};
use crate::{Query, Register, RegisterData};

/// Where the registers are.
const ZONE: &str = "Europe/Vilnius";

/// What comes of asking a register of the set.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It answers.
    Data(RegisterData),
    /// It knows the entity or thing, and holds nothing.
    NoData,
    /// It knows no such entity or thing.
    Unknown,
    /// It is out of order.
    Down,
    /// It never ends its answer.
    Hangs,
    /// It answers what nobody can read.
    Garbage,
}

/// Asks the register of the set that `query` goes to, on the day that the set
/// shows.
#[must_use]
pub fn answer(query: &Query) -> Answer {
    answer_on(query, AS_OF)
}

/// The same at another time: nobody is in an office whose term has ended by the
/// date in Lithuania.
#[must_use]
pub fn answer_at(query: &Query, at: Timestamp) -> Answer {
    let zone = TimeZone::get(ZONE).expect("the time zone is in the bundled database");
    answer_on(query, at.to_zoned(zone).date())
}

fn answer_on(query: &Query, day: Date) -> Answer {
    if let Query::PropertyExtract(number) = query {
        if number.as_str() == PROPERTY_DOWN {
            return Answer::Down;
        }
        if number.as_str() == EMPTY_PROPERTY {
            return Answer::NoData;
        }
        let extract = property::extract(number).map(Box::new);
        let extract = extract.map(RegisterData::PropertyExtract);
        return extract.map_or(Answer::Unknown, Answer::Data);
    }
    let Some(entity) = Entity::find(query.subject()) else {
        return Answer::Unknown;
    };
    match entity.conduct {
        Conduct::Answers => {}
        Conduct::SeizuresDown if query.register() != Register::Taar => {}
        Conduct::Down | Conduct::SeizuresDown => return Answer::Down,
        Conduct::Hangs => return Answer::Hangs,
        Conduct::Garbage => return Answer::Garbage,
    }
    let found = match query {
        Query::CompanyProfile(code) => Some(RegisterData::CompanyProfile(Box::new(profile::of(
            entity, code, day,
        )))),
        Query::Participants(code) => participants::of(entity, code)
            .map(Box::new)
            .map(RegisterData::Participants),
        Query::BeneficialOwners(code) => Some(RegisterData::BeneficialOwners(Box::new(
            owners::of(entity, code),
        ))),
        Query::RealEstate(_) => property::held_by(entity)
            .map(Box::new)
            .map(RegisterData::RealEstate),
        Query::Seizures(_) => seizures::of(entity)
            .map(Box::new)
            .map(RegisterData::Seizures),
        Query::Cases(_) => cases::of(entity).map(Box::new).map(RegisterData::Cases),
        Query::RoleHolders { role, .. } => {
            holders::of(entity, *role, day).map(RegisterData::RoleHolders)
        }
        Query::PropertyExtract(_) => None,
    };
    found.map_or(Answer::NoData, Answer::Data)
}

/// What a register of the set says that has no data to answer with: the body of
/// a 404 by the protocol of gateways.
#[must_use]
pub fn no_data(query: &Query, is_unknown: bool) -> String {
    let kind = match is_unknown {
        true => "unknown-subject",
        false => "no-data",
    };
    let problem = json!({
        "type": format!("urn:parafa:register:{kind}"),
        "status": 404,
        "register": query.register().code(),
        "kind": query.kind(),
        "subject": query.subject(),
    });
    problem.to_string()
}
