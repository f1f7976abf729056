/// What a document makes the plugin do.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Behaviour {
    /// What the contract asks, and its needs for signatures by digest, which is
    /// for keys that sign by themselves.
    AsksByDigest,
    /// Breaks one rule of the contract.
    Breaks(Rule),
    /// What the contract asks, of a document that is not to be signed.
    Finalized,
    /// What the contract asks.
    Honest,
    /// `inspect` refuses with this code.
    Refuses(String),
}

/// Names what documents may ask for.
macro_rules! rules {
    ($($(#[$meaning:meta])* $Rule:ident = $name:literal,)+) => {
        /// The rules to break.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub(crate) enum Rule {
            $($(#[$meaning])* $Rule,)+
        }

        impl Rule {
            fn parse(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$Rule),)+
                    _ => None,
                }
            }
        }
    };
}

rules! {
    /// `archive` adds a member.
    AddsAMember = "adds-a-member",
    /// `archive` asks for two time-stamps more than the document has signatures.
    AsksForManyTimestamps = "asks-for-many-timestamps",
    /// `sign` asks for a signature of the digest of something else.
    AsksOtherDigest = "asks-other-digest",
    /// `archive` changes the first byte of what deflated members inflate to, and
    /// leaves them deflated.
    ChangesADeflatedMember = "changes-a-deflated-member",
    /// `archive` changes a byte of the first member.
    ChangesAMember = "changes-a-member",
    /// `verify` says that a signature covers the entire file.
    ClaimsEntireFile = "claims-entire-file",
    /// `inspect` says that `archive` keeps the document whole, which it does not.
    ClaimsWhole = "claims-whole",
    /// `verify` says that a signature covers a member that is not there.
    CoversAStranger = "covers-a-stranger",
    /// `sign` leaves the last member out.
    CoversTooLittle = "covers-too-little",
    /// `archive` drops the last member.
    DropsAMember = "drops-a-member",
    /// `inspect` inflates members again and again, and keeps what comes out.
    HoardsInflated = "hoards-inflated",
    /// `inspect` inflates members again and again.
    InflatesForever = "inflates-forever",
    /// Members may inflate to whatever they do.
    InflatesWithoutBound = "inflates-without-bound",
    /// `members` tells another digest of the first member.
    LiesAboutADigest = "lies-about-a-digest",
    /// `members` tells another size of the first member.
    LiesAboutASize = "lies-about-a-size",
    /// `verify` names a certificate that the evidence does not have.
    NamesNoCertificate = "names-no-certificate",
    /// `members` tells all members under one id.
    SharesAMemberId = "shares-a-member-id",
    /// `archive` puts the time-stamp of the document beside a signature.
    StampsASignature = "stamps-a-signature",
    /// `archive` asks for a time-stamp of something else.
    StampsOtherDigest = "stamps-other-digest",
    /// `archive` adds a time-stamp that nobody answered.
    StampsOnItsOwn = "stamps-on-its-own",
    /// `archive` adds the time-stamp twice.
    StampsTwice = "stamps-twice",
    /// `inspect` says that `sign` keeps less than the description says.
    WeakensPreservation = "weakens-preservation",
}

impl Behaviour {
    /// Reads `honest`, `asks-by-digest`, `finalized`, a rule, or
    /// `refuses:<code>`.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "asks-by-digest" => Some(Self::AsksByDigest),
            "finalized" => Some(Self::Finalized),
            "honest" => Some(Self::Honest),
            _ => match name.strip_prefix("refuses:") {
                Some(code) => Some(Self::Refuses(code.to_owned())),
                None => Rule::parse(name).map(Self::Breaks),
            },
        }
    }
}
