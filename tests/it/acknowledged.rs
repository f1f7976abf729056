//! Operations acknowledged to callers, compared with later reports of a server, receivers of
//! webhooks and the ledger of charges.

mod charges;
mod events;
mod ledger;
mod sight;

pub(crate) use self::charges::wrong_charges;
pub(crate) use self::events::Told;
pub(crate) use self::ledger::{Entry, Ledger, Step, Subject};
pub(crate) use self::sight::{Sight, judge};

/// A promise that was not kept.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Breach {
    pub(crate) kind: BreachKind,
    /// Details, for the search of the cause.
    pub(crate) what: String,
}

/// Kinds of breaches of a promise.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum BreachKind {
    /// An acknowledged object is missing or changed.
    Lost,
    /// An erased object can be read again.
    Returned,
    /// A state that was not requested.
    Impossible,
    /// An event that was not sent.
    Untold,
    /// An event with several ids, or an impossible event.
    ToldWrongly,
    /// A charge that is repeated, missing or of another price.
    ChargedWrongly,
}

impl BreachKind {
    fn of(self, what: impl Into<String>) -> Breach {
        Breach {
            kind: self,
            what: what.into(),
        }
    }
}
