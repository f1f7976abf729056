//! What callers were told that is done, and what a server, receivers of webhooks and the ledger of
//! charges say of it later.

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
    /// Which, for whoever looks for the cause.
    pub(crate) what: String,
}

/// How a promise was broken.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum BreachKind {
    /// What was acknowledged is not there, or not as it was.
    Lost,
    /// What was erased can be read again.
    Returned,
    /// A state that nobody has asked for.
    Impossible,
    /// An event that was not sent.
    Untold,
    /// An event that was sent with several ids, or of something that has not happened.
    ToldWrongly,
    /// Something that was charged too often, too seldom or at another price.
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
