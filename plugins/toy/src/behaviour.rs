//! Behaviours of the plugin that documents choose.

use std::hint::black_box;
use std::mem;

use parafa_plugin_sdk::bindings::Hasher;
use parafa_plugin_sdk::core::{Refusal, refusal};

/// The media type of the other format in refusals.
const OTHER_FORMAT: &str = "application/x-toy";

/// The behaviour that a document chooses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Behaviour {
    /// Follows the contract.
    Honest,
    /// Breaks one rule of the contract, or reaches its limits.
    Breaks(Rule),
    /// Fails or hangs in one of its calls.
    Ends(Ending, Stage),
}

/// Defines an enumeration with names for documents.
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
        /// `sign`, once the signature is answered.
        Finish = "finish",
        /// `flatten`.
        Flatten = "flatten",
        /// `inspect`.
        Inspect = "inspect",
        /// `sign`, before the signature is answered.
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
        /// Hashes the document endlessly, so that the host works.
        Busy = "busy",
        /// Writes log lines beyond the limit, and continues.
        Chatter = "chatter",
        /// Allocates without end.
        Exhaust = "exhaust",
        /// Takes the host's resources endlessly.
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
        /// Refuses with a malformed code.
        RefuseOddly = "refuse-oddly",
        /// Refuses, and names another format.
        RefuseOtherFormat = "refuse-other-format",
        /// Refuses with a long text of terminal control characters.
        RefuseRudely = "refuse-rudely",
    }
}

named! {
    /// The rules to break.
    Rule {
        /// `archive` adds a member.
        AddsAMember = "adds-a-member",
        /// `archive` has a new need at every call.
        ArchiveAsksForever = "archive-asks-forever",
        /// `archive` needs a signature.
        ArchiveAsksSignature = "archive-asks-a-signature",
        /// `archive` copies the document and reports that it is changed.
        ArchiveClaimsChange = "archive-claims-a-change",
        /// `archive` claims a level that the signatures do not reach.
        ArchiveClaimsLevel = "archive-claims-a-level",
        /// `archive` reports that it needs no change.
        ArchiveClaimsNoChange = "archive-claims-no-change",
        /// `verify` reports the first signature of an archived document as broken.
        ArchiveCondemns = "archive-condemns",
        /// `verify` forgets the first signature of an archived document.
        ArchiveForgets = "archive-forgets",
        /// `archive` is for B-LT, whatever it is asked for.
        ArchiveIgnoresTarget = "archive-ignores-the-target",
        /// `archive` stores revocation data that were not answered.
        ArchiveInvents = "archive-invents",
        /// `archive` makes another media type than it is given.
        ArchiveOtherType = "archive-other-type",
        /// `archive` reaches a level unknown to callers.
        ArchiveOwnLevel = "archive-own-level",
        /// `archive` changes the first byte that it should preserve.
        ArchiveRewritesPrefix = "archive-rewrites-prefix",
        /// `archive` adds a signature.
        ArchiveSigns = "archive-signs",
        /// `archive` writes nothing and reports a change.
        ArchiveWritesNothing = "archive-writes-nothing",
        /// `archive` writes the document and reports that it needs no change.
        ArchiveWritesUnchanged = "archive-writes-unchanged",
        /// `sign` repeats an answered need.
        AskAgain = "ask-again",
        /// `sign` has a new need at every call.
        AskForever = "ask-forever",
        /// `sign` has neither needs nor an outcome.
        AskNothing = "ask-nothing",
        /// `sign` needs another signature once it has one.
        AskOther = "ask-other",
        /// `sign` has two needs with one id.
        AskTwice = "ask-twice",
        /// `sign` needs two signatures where one is allowed.
        AskTwo = "ask-two",
        /// `sign` needs signatures over digests, which are only for keys that sign without a
        /// person.
        AsksByDigest = "asks-by-digest",
        /// `archive` needs two time-stamps more than the document has signatures.
        AsksForManyTimestamps = "asks-for-many-timestamps",
        /// `sign` needs a signature over the digest of other bytes.
        AsksOtherDigest = "asks-other-digest",
        /// `verify` reports every signature as intact.
        BelieveAnything = "believe-anything",
        /// `archive` changes the first byte of the inflated content of deflated members, and leaves
        /// them deflated.
        ChangesADeflatedMember = "changes-a-deflated-member",
        /// `archive` changes a byte of the first member.
        ChangesAMember = "changes-a-member",
        /// `verify` reports that a signature covers the entire file.
        ClaimsEntireFile = "claims-entire-file",
        /// `inspect` reports that `archive` preserves the document whole, which it does not.
        ClaimsWhole = "claims-whole",
        /// `compose` writes a document that `inspect` refuses.
        ComposeGarbage = "compose-garbage",
        /// `compose` writes nothing.
        ComposeNothing = "compose-nothing",
        /// `compose` makes another media type than requested.
        ComposeOtherType = "compose-other-type",
        /// `verify` reports the first signature as broken once there is a second one.
        CondemnEarlier = "condemn-earlier",
        /// `verify` reports that a signature covers a missing member.
        CoversAStranger = "covers-a-stranger",
        /// `sign` leaves the last member out.
        CoversTooLittle = "covers-too-little",
        /// `archive` drops the last member.
        DropsAMember = "drops-a-member",
        /// The document is closed to signatures, which is no fault.
        Finalized = "finalized",
        /// `flatten` drops signatures.
        FlattenDrops = "flatten-drops",
        /// `flatten` writes nothing.
        FlattenNothing = "flatten-nothing",
        /// `flatten` makes another media type than it is given.
        FlattenOtherType = "flatten-other-type",
        /// `flatten` adds a signature.
        FlattenSigns = "flatten-signs",
        /// `sign` or `rehearse` copies endlessly.
        FloodCopy = "flood-copy",
        /// `sign` or `rehearse` writes endlessly.
        FloodWrite = "flood-write",
        /// `sign` writes the document instead of copying it.
        ForgeCopy = "forge-copy",
        /// `verify` forgets the first signature once there is a second one.
        ForgetEarlier = "forget-earlier",
        /// `inspect` inflates members again and again, and keeps the content.
        HoardsInflated = "hoards-inflated",
        /// `inspect` inflates members again and again.
        InflatesForever = "inflates-forever",
        /// Members may inflate to any size.
        InflatesWithoutBound = "inflates-without-bound",
        /// `inspect` reports a media type that the plugin does not accept.
        InspectOtherType = "inspect-other-type",
        /// `inspect` reports the second media type, and all other calls the first.
        InspectSecondType = "inspect-second-type",
        /// `sign` has the largest need allowed, which is no fault.
        LargestNeed = "largest-need",
        /// `members` reports another digest of the first member.
        LiesAboutADigest = "lies-about-a-digest",
        /// `members` reports another size of the first member.
        LiesAboutASize = "lies-about-a-size",
        /// `archive` reaches a level with an endless name.
        LongArchiveLevel = "long-archive-level",
        /// `sign` reaches a level with an endless name, and `verify` reports it.
        LongLevel = "long-level",
        /// `sign` needs a signature over more bytes than are stored.
        LongNeed = "long-need",
        /// `sign` needs a signature with too many parameters.
        LongParams = "long-params",
        /// `inspect` reports an endless media type.
        LongReport = "long-report",
        /// `sign` reports an endless media type.
        LongSignType = "long-sign-type",
        /// `sign` makes a signature with an endless identifier, and `verify` reports it.
        LongSignatureId = "long-signature-id",
        /// `verify` refers to a certificate that the evidence lacks.
        NamesNoCertificate = "names-no-certificate",
        /// `sign` has an outcome before the signature is answered.
        NoSignature = "no-signature",
        /// `sign` stores another token than the authority's.
        OtherToken = "other-token",
        /// `sign` stores another value than the device's.
        OtherValue = "other-value",
        /// `inspect` reads a range outside the document.
        OutOfRange = "out-of-range",
        /// `verify` panics if a signature is not intact.
        PanicOnDamage = "panic-on-damage",
        /// `sign` panics for an RSA key.
        PanicOnRsa = "panic-on-rsa",
        /// `rehearse` makes another media type than it is given.
        RehearseOtherType = "rehearse-other-type",
        /// `rehearse` adds a signature.
        RehearseSigns = "rehearse-signs",
        /// `rehearse` changes a signed document.
        RehearseTouches = "rehearse-touches",
        /// `verify` changes the signed bytes of the first signature once there is a second.
        RewriteEarlier = "rewrite-earlier",
        /// `sign` changes the first byte that it should preserve.
        RewritePrefix = "rewrite-prefix",
        /// `sign` adds two signatures, to which `verify` gives one id.
        ShareId = "share-id",
        /// `members` reports all members under one id.
        SharesAMemberId = "shares-a-member-id",
        /// `sign` makes another media type than it is given.
        SignOtherType = "sign-other-type",
        /// `sign` adds two signatures.
        SignTwice = "sign-twice",
        /// `archive` puts the time-stamp of the document beside a signature.
        StampsASignature = "stamps-a-signature",
        /// `archive` adds a time-stamp that was not answered.
        StampsOnItsOwn = "stamps-on-its-own",
        /// `archive` needs a time-stamp over other bytes.
        StampsOtherDigest = "stamps-other-digest",
        /// `archive` adds the time-stamp twice.
        StampsTwice = "stamps-twice",
        /// `sign` stores other signed bytes than it requested.
        SwapSignedBytes = "swap-signed-bytes",
        /// `sign` leaves out the last byte of the copy and writes it.
        TruncateCopy = "truncate-copy",
        /// `inspect` reports that `sign` preserves less than the description says.
        WeakensPreservation = "weakens-preservation",
    }
}

impl Behaviour {
    /// Parses `honest`, a rule such as `ask-again`, or a failure such as `loop`, which is in
    /// `inspect`, or `loop@verify`.
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

    /// Fails if the behaviour is a failure in this stage.
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
