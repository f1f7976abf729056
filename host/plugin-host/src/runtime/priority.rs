/// What depends on a call, the most urgent first.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Urgency {
    /// A person is signing, and waits.
    Signing,
    /// A program waits, or nobody has said who does.
    #[default]
    Usual,
    /// Whoever waits can do so for longer.
    Background,
}

/// When a call has its turn among those that wait for a free slot. Whoever is
/// more urgent goes first; of calls that are equally urgent the parties have
/// theirs one after the other. See [`crate::Plugin::prioritized`].
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct CallPriority {
    /// How urgent it is.
    pub urgency: Urgency,
    /// On whose behalf it is: whatever number tells parties apart. A party
    /// never takes all slots, nor more than there are processors, but for
    /// signing; nobody in particular may.
    pub party: Option<u128>,
}

impl Urgency {
    /// A short name, such as `signing`.
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
    /// That of a call on behalf of a party.
    #[must_use]
    pub fn new(urgency: Urgency, party: u128) -> Self {
        Self {
            urgency,
            party: Some(party),
        }
    }
}
