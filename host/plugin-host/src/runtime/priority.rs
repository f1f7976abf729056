/// The urgency of a call, the most urgent first.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Urgency {
    /// A person is signing, and waits.
    Signing,
    /// A program waits, or the caller is unknown.
    #[default]
    Usual,
    /// The caller can wait longer.
    Background,
}

/// The order of a call among those that wait for a free slot. More urgent calls go first; among
/// equally urgent ones, parties alternate. See [`crate::Plugin::prioritized`].
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct CallPriority {
    /// The urgency.
    pub urgency: Urgency,
    /// The party of the call: any number that distinguishes parties. Except for signing, a party
    /// never takes all slots, nor more than there are processors. Calls without a party have no
    /// such limit.
    pub party: Option<u128>,
}

impl Urgency {
    /// Returns a short name, such as `signing`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Signing => "signing",
            Self::Usual => "usual",
            Self::Background => "background",
        }
    }
}

impl CallPriority {
    /// Creates the priority of a party's call.
    #[must_use]
    pub fn new(urgency: Urgency, party: u128) -> Self {
        Self {
            urgency,
            party: Some(party),
        }
    }
}
