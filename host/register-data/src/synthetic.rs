//! A published set of entities that do not exist, with answers of every register about them.
//!
//! The same query has the same answer, to the byte, in every process, until a term of office ends.
//! Codes begin with 999, which no code of the register does. The persons' codes belong only to the
//! demo world's [`personas`].

pub mod personas;
mod set;

use jiff::Timestamp;
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use serde_json::json;

use self::set::{Conduct, SET};
use crate::{Query, Register, RegisterData};

/// The day that the set shows.
const AS_OF: Date = date(2026, 11, 2);
/// Time zone of the registers.
const ZONE: &str = "Europe/Vilnius";
/// Entity that every register knows and has something about.
pub const COMPLETE: &str = "999000009";
/// Entity that no register knows.
pub const UNKNOWN: &str = "999000191";
/// The object with a complete extract.
pub const COMPLETE_PROPERTY: &str = "4400-9990-0001";
/// The object without any data.
pub const EMPTY_PROPERTY: &str = "4400-9990-0002";
/// The object for which the register is down.
pub const PROPERTY_DOWN: &str = "4400-9990-0003";

/// Outcome of a query to a register of the set.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// An answer.
    Data(RegisterData),
    /// The entity or thing is known, and nothing is held on it.
    NoData,
    /// The entity or thing is unknown.
    Unknown,
    /// The register is down.
    Down,
    /// Its answer never ends.
    Hangs,
    /// Its answer is unreadable.
    Garbage,
}

/// Asks the set's register for `query`, on the date of the set.
#[must_use]
pub fn answer(query: &Query) -> Answer {
    answer_on(query, AS_OF)
}

/// Answers as of another time. Holders whose term ended before that date in Lithuania are left out.
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
        let extract = SET.answer(query, day);
        return extract.map_or(Answer::Unknown, Answer::Data);
    }
    match SET.conduct(query.subject()) {
        None => return Answer::Unknown,
        Some(Conduct::Answer) => {}
        Some(Conduct::SeizuresDown) if query.register() != Register::Taar => {}
        Some(Conduct::Down | Conduct::SeizuresDown) => return Answer::Down,
        Some(Conduct::Hang) => return Answer::Hangs,
        Some(Conduct::AnswerGarbage) => return Answer::Garbage,
    }
    SET.answer(query, day).map_or(Answer::NoData, Answer::Data)
}

/// Body of a 404 of a register in the set, by the protocol of gateways.
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
