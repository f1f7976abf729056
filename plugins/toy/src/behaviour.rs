//! What documents make the plugin do beside what the contract asks.

use std::hint::black_box;
use std::mem;

use parafa_plugin_sdk::bindings::Hasher;
use parafa_plugin_sdk::core::{Refusal, refusal};

/// The type of the format that documents may say to be of instead.
const OTHER_FORMAT: &str = "application/x-toy";

/// What a document makes the plugin do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Behaviour {
    /// What the contract asks.
    Honest,
    /// Breaks one rule of the contract, or goes to its bounds.
    Breaks(Rule),
    /// Ends badly, or not at all, in one of its calls.
    Ends(Ending, Stage),
}

/// Names what documents may ask for.
macro_rules! named {
    ($(#[$about:meta])* $Kind:ident { $($(#[$meaning:meta])* $Name:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub(crate) enum $Kind {
            $($(#[$meaning])* $Name,)+
        }

        impl $Kind {
            fn parse(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$Name),)+
                    _ => None,
                }
            }
        }
    };
}

named! {
    /// The calls that can end badly.
    Stage {
        /// `archive`.
        Archive = "archive",
        /// `compose`.
        Compose = "compose",
        /// `sign`, once somebody has.
        Finish = "finish",
        /// `flatten`.
        Flatten = "flatten",
        /// `inspect`.
        Inspect = "inspect",
        /// `sign`, before anybody signed.
        Prepare = "prepare",
        /// `rehearse`.
        Rehearse = "rehearse",
        /// `verify`.
        Verify = "verify",
    }
}

named! {
    /// The ways to end badly.
    Ending {
        /// Hashes the document without end, so that the host works.
        Busy = "busy",
        /// Writes log lines until nobody listens, and goes on.
        Chatter = "chatter",
        /// Allocates without end.
        Exhaust = "exhaust",
        /// Takes resources of the host's without end.
        Hoard = "hoard",
        /// Does not end.
        Loop = "loop",
        /// Panics.
        Panic = "panic",
        /// Panics after it has filled the log.
        PanicLoudly = "panic-loudly",
        /// Calls itself without end.
        Recurse = "recurse",
        /// Refuses.
        Refuse = "refuse",
        /// Refuses with a code that is no code.
        RefuseOddly = "refuse-oddly",
        /// Refuses, and names another format.
        RefuseOtherFormat = "refuse-other-format",
        /// Refuses at length, with what would take over a terminal.
        RefuseRudely = "refuse-rudely",
    }
}

named! {
    /// The rules to break.
    Rule {
        /// `archive` adds a member.
        AddsAMember = "adds-a-member",
        /// `archive` asks for something new whenever it is called.
        ArchiveAsksForever = "archive-asks-forever",
        /// `archive` asks for a signature.
        ArchiveAsksSignature = "archive-asks-a-signature",
        /// `archive` copies the document and says that it has changed it.
        ArchiveClaimsChange = "archive-claims-a-change",
        /// `archive` claims a level that the signatures do not reach.
        ArchiveClaimsLevel = "archive-claims-a-level",
        /// `archive` says that there is nothing to do.
        ArchiveClaimsNoChange = "archive-claims-no-change",
        /// `verify` turns on the first signature of an archived document.
        ArchiveCondemns = "archive-condemns",
        /// `verify` forgets the first signature of an archived document.
        ArchiveForgets = "archive-forgets",
        /// `archive` stores revocation data that nobody answered.
        ArchiveInvents = "archive-invents",
        /// `archive` makes another media type than it is given.
        ArchiveOtherType = "archive-other-type",
        /// `archive` reaches a level that no caller knows.
        ArchiveOwnLevel = "archive-own-level",
        /// `archive` changes the first byte of what it should keep.
        ArchiveRewritesPrefix = "archive-rewrites-prefix",
        /// `archive` adds a signature.
        ArchiveSigns = "archive-signs",
        /// `archive` writes nothing and says that it has.
        ArchiveWritesNothing = "archive-writes-nothing",
        /// `archive` writes the document and says that there is nothing to do.
        ArchiveWritesUnchanged = "archive-writes-unchanged",
        /// `sign` asks for what was answered already.
        AskAgain = "ask-again",
        /// `sign` asks for something new whenever it is called.
        AskForever = "ask-forever",
        /// `sign` asks for nothing and has no outcome.
        AskNothing = "ask-nothing",
        /// `sign` asks for another signature once it has one.
        AskOther = "ask-other",
        /// `sign` asks twice under one id.
        AskTwice = "ask-twice",
        /// `sign` asks for two signatures where one is lawful.
        AskTwo = "ask-two",
        /// `sign` asks for signatures of digests, which is for keys that sign by
        /// themselves.
        AsksByDigest = "asks-by-digest",
        /// `archive` asks for two time-stamps more than the document has signatures.
        AsksForManyTimestamps = "asks-for-many-timestamps",
        /// `sign` asks for a signature of the digest of something else.
        AsksOtherDigest = "asks-other-digest",
        /// `verify` takes every signature for intact.
        BelieveAnything = "believe-anything",
        /// `archive` changes the first byte of what deflated members inflate to, and
        /// leaves them deflated.
        ChangesADeflatedMember = "changes-a-deflated-member",
        /// `archive` changes a byte of the first member.
        ChangesAMember = "changes-a-member",
        /// `verify` says that a signature covers the entire file.
        ClaimsEntireFile = "claims-entire-file",
        /// `inspect` says that `archive` keeps the document whole, which it does not.
        ClaimsWhole = "claims-whole",
        /// `compose` writes what `inspect` refuses.
        ComposeGarbage = "compose-garbage",
        /// `compose` writes nothing.
        ComposeNothing = "compose-nothing",
        /// `compose` makes another media type than it is asked for.
        ComposeOtherType = "compose-other-type",
        /// `verify` turns on the first signature once there is a second one.
        CondemnEarlier = "condemn-earlier",
        /// `verify` says that a signature covers a member that is not there.
        CoversAStranger = "covers-a-stranger",
        /// `sign` leaves the last member out.
        CoversTooLittle = "covers-too-little",
        /// `archive` drops the last member.
        DropsAMember = "drops-a-member",
        /// Nobody is to sign the document, which is no fault.
        Finalized = "finalized",
        /// `flatten` drops signatures.
        FlattenDrops = "flatten-drops",
        /// `flatten` writes nothing.
        FlattenNothing = "flatten-nothing",
        /// `flatten` makes another media type than it is given.
        FlattenOtherType = "flatten-other-type",
        /// `flatten` adds a signature.
        FlattenSigns = "flatten-signs",
        /// `sign` or `rehearse` copies without end.
        FloodCopy = "flood-copy",
        /// `sign` or `rehearse` writes without end.
        FloodWrite = "flood-write",
        /// `sign` writes the document where it should copy it.
        ForgeCopy = "forge-copy",
        /// `verify` forgets the first signature once there is a second one.
        ForgetEarlier = "forget-earlier",
        /// `inspect` inflates members again and again, and keeps what comes out.
        HoardsInflated = "hoards-inflated",
        /// `inspect` inflates members again and again.
        InflatesForever = "inflates-forever",
        /// Members may inflate to whatever they do.
        InflatesWithoutBound = "inflates-without-bound",
        /// `inspect` says that the document is of a type that the plugin does not
        /// take.
        InspectOtherType = "inspect-other-type",
        /// `inspect` says that the document is of the second type, and whatever
        /// else is asked that it is of the first.
        InspectSecondType = "inspect-second-type",
        /// `sign` asks for as much as it may, which is no fault.
        LargestNeed = "largest-need",
        /// `members` tells another digest of the first member.
        LiesAboutADigest = "lies-about-a-digest",
        /// `members` tells another size of the first member.
        LiesAboutASize = "lies-about-a-size",
        /// `archive` reaches a level whose name has no end.
        LongArchiveLevel = "long-archive-level",
        /// `sign` reaches a level whose name has no end, as `verify` says.
        LongLevel = "long-level",
        /// `sign` asks for a signature of more than is kept of it.
        LongNeed = "long-need",
        /// `sign` asks for a signature with too much beside it.
        LongParams = "long-params",
        /// `inspect` finds a media type that has no end.
        LongReport = "long-report",
        /// `sign` makes a media type that has no end.
        LongSignType = "long-sign-type",
        /// `sign` makes a signature whose identifier has no end, as `verify` says.
        LongSignatureId = "long-signature-id",
        /// `verify` names a certificate that the evidence does not have.
        NamesNoCertificate = "names-no-certificate",
        /// `sign` has an outcome before anybody signed.
        NoSignature = "no-signature",
        /// `sign` stores another token than the authority's.
        OtherToken = "other-token",
        /// `sign` stores another value than the device's.
        OtherValue = "other-value",
        /// `inspect` copies a range that the document does not have.
        OutOfRange = "out-of-range",
        /// `verify` panics where a signature is not intact.
        PanicOnDamage = "panic-on-damage",
        /// `sign` panics where an RSA key is to sign.
        PanicOnRsa = "panic-on-rsa",
        /// `rehearse` makes another media type than it is given.
        RehearseOtherType = "rehearse-other-type",
        /// `rehearse` adds a signature.
        RehearseSigns = "rehearse-signs",
        /// `rehearse` changes a signed document.
        RehearseTouches = "rehearse-touches",
        /// `verify` changes what the first signature signs once there is a second.
        RewriteEarlier = "rewrite-earlier",
        /// `sign` changes the first byte of what it should keep.
        RewritePrefix = "rewrite-prefix",
        /// `sign` adds two signatures, to which `verify` gives one id.
        ShareId = "share-id",
        /// `members` tells all members under one id.
        SharesAMemberId = "shares-a-member-id",
        /// `sign` makes another media type than it is given.
        SignOtherType = "sign-other-type",
        /// `sign` adds two signatures.
        SignTwice = "sign-twice",
        /// `archive` puts the time-stamp of the document beside a signature.
        StampsASignature = "stamps-a-signature",
        /// `archive` adds a time-stamp that nobody answered.
        StampsOnItsOwn = "stamps-on-its-own",
        /// `archive` asks for a time-stamp of something else.
        StampsOtherDigest = "stamps-other-digest",
        /// `archive` adds the time-stamp twice.
        StampsTwice = "stamps-twice",
        /// `sign` stores other signed bytes than it asked to be signed.
        SwapSignedBytes = "swap-signed-bytes",
        /// `sign` leaves out the last byte of the copy and writes it.
        TruncateCopy = "truncate-copy",
        /// `inspect` says that `sign` keeps less than the description says.
        WeakensPreservation = "weakens-preservation",
    }
}

impl Behaviour {
    /// Reads `honest`, a rule such as `ask-again`, or an ending such as `loop`,
    /// which is that of `inspect`, or `loop@verify`.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        if name == "honest" {
            return Some(Self::Honest);
        }
        if let Some(rule) = Rule::parse(name) {
            return Some(Self::Breaks(rule));
        }
        let (ending, stage) = name.split_once('@').unwrap_or((name, "inspect"));
        Some(Self::Ends(Ending::parse(ending)?, Stage::parse(stage)?))
    }

    pub(crate) fn breaks(self, rule: Rule) -> bool {
        self.rule() == Some(rule)
    }

    pub(crate) fn rule(self) -> Option<Rule> {
        match self {
            Self::Breaks(rule) => Some(rule),
            Self::Ends(..) | Self::Honest => None,
        }
    }

    /// Ends badly if that is what is to be done at this stage.
    pub(crate) fn at(self, stage: Stage) -> Result<(), Refusal> {
        match self {
            Self::Ends(ending, at) if at == stage => ending.come_about(),
            _ => Ok(()),
        }
    }
}

impl Ending {
    fn come_about(self) -> Result<(), Refusal> {
        match self {
            Self::Busy => {
                let bytes = vec![0; 1024 * 1024];
                let Ok(hasher) = Hasher::create("SHA-512") else {
                    panic!("the host does not hash")
                };
                loop {
                    hasher.update(&bytes);
                }
            }
            Self::Chatter => chatter(),
            Self::Exhaust => exhaust(),
            Self::Hoard => loop {
                mem::forget(Hasher::create("SHA-256"));
            },
            Self::Loop => loop {
                black_box(());
            },
            Self::Panic => panic!("the document asked for it"),
            Self::PanicLoudly => {
                chatter();
                panic!("the document\nasked for it\u{1b}[2J");
            }
            Self::Recurse => drop(black_box(recurse(u64::MAX))),
            Self::Refuse => return refuse("encrypted", &["first", "second"]),
            Self::RefuseOddly => return refuse("no\ncode", &[]),
            Self::RefuseOtherFormat => return refuse(refusal::OTHER_FORMAT, &[OTHER_FORMAT]),
            Self::RefuseRudely => {
                let mut detail = "\u{1b}[2Jthe document says so ".to_owned();
                detail.push_str(&"again ".repeat(1024 * 1024));
                return Err(Refusal::new("encrypted", detail));
            }
        }
        Ok(())
    }
}

fn refuse(code: &'static str, subjects: &[&str]) -> Result<(), Refusal> {
    Err(Refusal {
        subjects: subjects.iter().copied().map(str::to_owned).collect(),
        ..Refusal::new(code, "the document says so")
    })
}

fn chatter() {
    for line in 0..100_000_u32 {
        parafa_plugin_sdk::log(&format!("line {line}\nforged line"));
    }
}

fn exhaust() {
    const CHUNK: usize = 1024 * 1024;

    let mut kept = Vec::new();
    loop {
        kept.push(black_box(vec![1_u8; CHUNK]));
    }
}

fn recurse(depth: u64) -> u64 {
    let frame = black_box([depth; 32]);
    if depth == 0 {
        0
    } else {
        recurse(depth - 1) ^ frame[31]
    }
}
