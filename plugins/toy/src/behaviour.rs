use std::hint::black_box;
use std::mem;

use parafa_plugin_sdk::bindings::Hasher;
use parafa_plugin_sdk::core::Refusal;

/// What a document makes the plugin do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Behaviour {
    /// What the contract asks.
    Honest,
    /// Breaks one rule of the contract.
    Breaks(Rule),
    /// Ends badly, or not at all, in one of its calls.
    Ends(Ending, Stage),
}

/// The calls that can end badly.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Stage {
    /// `archive`.
    Archive,
    /// `compose`.
    Compose,
    /// `flatten`.
    Flatten,
    /// `inspect`.
    Inspect,
    /// `sign`, before anybody signed.
    Prepare,
    /// `rehearse`.
    Rehearse,
    /// `sign`, once somebody has.
    Finish,
    /// `verify`.
    Verify,
}

/// The ways to end badly.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Ending {
    /// Hashes the document without end, so that the host works.
    Busy,
    /// Writes log lines until nobody listens, and goes on.
    Chatter,
    /// Allocates without end.
    Exhaust,
    /// Takes resources of the host's without end.
    Hoard,
    /// Does not end.
    Loop,
    /// Panics.
    Panic,
    /// Panics after it has filled the log.
    PanicLoudly,
    /// Calls itself without end.
    Recurse,
    /// Refuses.
    Refuse,
    /// Refuses with a code that is no code.
    RefuseOddly,
    /// Refuses at length, with what would take over a terminal.
    RefuseRudely,
}

/// The rules to break.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Rule {
    /// `archive` asks for a signature.
    ArchiveAsksSignature,
    /// `archive` asks for something new whenever it is called.
    ArchiveAsksForever,
    /// `archive` copies the document and says that it has changed it.
    ArchiveClaimsChange,
    /// `archive` claims a level that the signatures do not reach.
    ArchiveClaimsLevel,
    /// `archive` says that there is nothing to do.
    ArchiveClaimsNoChange,
    /// `verify` turns on the first signature of an archived document.
    ArchiveCondemns,
    /// `verify` forgets the first signature of an archived document.
    ArchiveForgets,
    /// `archive` stores revocation data that nobody answered.
    ArchiveInvents,
    /// `archive` makes another media type than it is given.
    ArchiveOtherType,
    /// `archive` reaches a level that no caller knows.
    ArchiveOwnLevel,
    /// `archive` changes the first byte of what it should keep.
    ArchiveRewritesPrefix,
    /// `archive` adds a signature.
    ArchiveSigns,
    /// `archive` writes nothing and says that it has.
    ArchiveWritesNothing,
    /// `archive` writes the document and says that there is nothing to do.
    ArchiveWritesUnchanged,
    /// `sign` asks for what was answered already.
    AskAgain,
    /// `sign` asks for something new whenever it is called.
    AskForever,
    /// `sign` asks for nothing and has no outcome.
    AskNothing,
    /// `sign` asks for another signature once it has one.
    AskOther,
    /// `sign` asks twice under one id.
    AskTwice,
    /// `sign` asks for two signatures where one is lawful.
    AskTwo,
    /// `verify` takes every signature for intact.
    BelieveAnything,
    /// `compose` writes what `inspect` refuses.
    ComposeGarbage,
    /// `compose` writes nothing.
    ComposeNothing,
    /// `compose` makes another media type than it is asked for.
    ComposeOtherType,
    /// `verify` turns on the first signature once there is a second one.
    CondemnEarlier,
    /// `flatten` drops signatures.
    FlattenDrops,
    /// `flatten` writes nothing.
    FlattenNothing,
    /// `flatten` makes another media type than it is given.
    FlattenOtherType,
    /// `flatten` adds a signature.
    FlattenSigns,
    /// `sign` or `rehearse` copies without end.
    FloodCopy,
    /// `sign` or `rehearse` writes without end.
    FloodWrite,
    /// `sign` writes the document where it should copy it.
    ForgeCopy,
    /// `verify` forgets the first signature once there is a second one.
    ForgetEarlier,
    /// `inspect` says that the document is of a type that the plugin does not
    /// take.
    InspectOtherType,
    /// `inspect` says that the document is of the second type, and whatever
    /// else is asked that it is of the first.
    InspectSecondType,
    /// `sign` asks for as much as it may, which is no fault.
    LargestNeed,
    /// `archive` reaches a level whose name has no end.
    LongArchiveLevel,
    /// `sign` reaches a level whose name has no end, as `verify` says.
    LongLevel,
    /// `sign` asks for a signature of more than is kept of it.
    LongNeed,
    /// `sign` asks for a signature with too much beside it.
    LongParams,
    /// `inspect` finds a media type that has no end.
    LongReport,
    /// `sign` makes a signature whose identifier has no end, as `verify` says.
    LongSignatureId,
    /// `sign` makes a media type that has no end.
    LongSignType,
    /// `sign` has an outcome before anybody signed.
    NoSignature,
    /// `sign` stores another token than the authority's.
    OtherToken,
    /// `sign` stores another value than the device's.
    OtherValue,
    /// `inspect` copies a range that the document does not have.
    OutOfRange,
    /// `verify` panics where a signature is not intact.
    PanicOnDamage,
    /// `sign` panics where an RSA key is to sign.
    PanicOnRsa,
    /// `rehearse` makes another media type than it is given.
    RehearseOtherType,
    /// `rehearse` adds a signature.
    RehearseSigns,
    /// `rehearse` changes a signed document.
    RehearseTouches,
    /// `verify` changes what the first signature signs once there is a second.
    RewriteEarlier,
    /// `sign` changes the first byte of what it should keep.
    RewritePrefix,
    /// `sign` adds two signatures, to which `verify` gives one id.
    ShareId,
    /// `sign` makes another media type than it is given.
    SignOtherType,
    /// `sign` adds two signatures.
    SignTwice,
    /// `sign` stores other signed bytes than it asked to be signed.
    SwapSignedBytes,
    /// `sign` leaves out the last byte of the copy and writes it.
    TruncateCopy,
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
        self == Self::Breaks(rule)
    }

    /// Ends badly if that is what is to be done at this stage.
    pub(crate) fn at(self, stage: Stage) -> Result<(), Refusal> {
        match self {
            Self::Ends(ending, at) if at == stage => ending.come_about(),
            _ => Ok(()),
        }
    }
}

impl Stage {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "archive" => Self::Archive,
            "compose" => Self::Compose,
            "finish" => Self::Finish,
            "flatten" => Self::Flatten,
            "inspect" => Self::Inspect,
            "prepare" => Self::Prepare,
            "rehearse" => Self::Rehearse,
            "verify" => Self::Verify,
            _ => return None,
        })
    }
}

impl Ending {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "busy" => Self::Busy,
            "chatter" => Self::Chatter,
            "exhaust" => Self::Exhaust,
            "hoard" => Self::Hoard,
            "loop" => Self::Loop,
            "panic" => Self::Panic,
            "panic-loudly" => Self::PanicLoudly,
            "recurse" => Self::Recurse,
            "refuse" => Self::Refuse,
            "refuse-oddly" => Self::RefuseOddly,
            "refuse-rudely" => Self::RefuseRudely,
            _ => return None,
        })
    }

    fn come_about(self) -> Result<(), Refusal> {
        match self {
            Self::Busy => {
                let bytes = vec![0; 1024 * 1024];
                let hasher = Hasher::new("SHA-512");
                loop {
                    hasher.update(&bytes);
                }
            }
            Self::Chatter => chatter(),
            Self::Exhaust => exhaust(),
            Self::Hoard => loop {
                mem::forget(Hasher::new("SHA-256"));
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
            Self::Refuse => {
                return Err(Refusal {
                    code: "encrypted".into(),
                    detail: "the document says so".to_owned(),
                    subjects: vec!["first".to_owned(), "second".to_owned()],
                });
            }
            Self::RefuseOddly => return Err(Refusal::new("no\ncode", "the document says so")),
            Self::RefuseRudely => {
                let mut detail = "\u{1b}[2Jthe document says so ".to_owned();
                detail.push_str(&"again ".repeat(1024 * 1024));
                return Err(Refusal::new("encrypted", detail));
            }
        }
        Ok(())
    }
}

impl Rule {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "archive-asks-a-signature" => Self::ArchiveAsksSignature,
            "archive-asks-forever" => Self::ArchiveAsksForever,
            "archive-claims-a-change" => Self::ArchiveClaimsChange,
            "archive-claims-a-level" => Self::ArchiveClaimsLevel,
            "archive-claims-no-change" => Self::ArchiveClaimsNoChange,
            "archive-condemns" => Self::ArchiveCondemns,
            "archive-forgets" => Self::ArchiveForgets,
            "archive-invents" => Self::ArchiveInvents,
            "archive-other-type" => Self::ArchiveOtherType,
            "archive-own-level" => Self::ArchiveOwnLevel,
            "archive-rewrites-prefix" => Self::ArchiveRewritesPrefix,
            "archive-signs" => Self::ArchiveSigns,
            "archive-writes-nothing" => Self::ArchiveWritesNothing,
            "archive-writes-unchanged" => Self::ArchiveWritesUnchanged,
            "ask-again" => Self::AskAgain,
            "ask-forever" => Self::AskForever,
            "ask-nothing" => Self::AskNothing,
            "ask-other" => Self::AskOther,
            "ask-twice" => Self::AskTwice,
            "ask-two" => Self::AskTwo,
            "believe-anything" => Self::BelieveAnything,
            "compose-garbage" => Self::ComposeGarbage,
            "compose-nothing" => Self::ComposeNothing,
            "compose-other-type" => Self::ComposeOtherType,
            "condemn-earlier" => Self::CondemnEarlier,
            "flatten-drops" => Self::FlattenDrops,
            "flatten-nothing" => Self::FlattenNothing,
            "flatten-other-type" => Self::FlattenOtherType,
            "flatten-signs" => Self::FlattenSigns,
            "flood-copy" => Self::FloodCopy,
            "flood-write" => Self::FloodWrite,
            "forge-copy" => Self::ForgeCopy,
            "forget-earlier" => Self::ForgetEarlier,
            "inspect-other-type" => Self::InspectOtherType,
            "inspect-second-type" => Self::InspectSecondType,
            "largest-need" => Self::LargestNeed,
            "long-archive-level" => Self::LongArchiveLevel,
            "long-level" => Self::LongLevel,
            "long-need" => Self::LongNeed,
            "long-params" => Self::LongParams,
            "long-report" => Self::LongReport,
            "long-sign-type" => Self::LongSignType,
            "long-signature-id" => Self::LongSignatureId,
            "no-signature" => Self::NoSignature,
            "other-token" => Self::OtherToken,
            "other-value" => Self::OtherValue,
            "out-of-range" => Self::OutOfRange,
            "panic-on-damage" => Self::PanicOnDamage,
            "panic-on-rsa" => Self::PanicOnRsa,
            "rehearse-other-type" => Self::RehearseOtherType,
            "rehearse-signs" => Self::RehearseSigns,
            "rehearse-touches" => Self::RehearseTouches,
            "rewrite-earlier" => Self::RewriteEarlier,
            "rewrite-prefix" => Self::RewritePrefix,
            "share-id" => Self::ShareId,
            "sign-other-type" => Self::SignOtherType,
            "sign-twice" => Self::SignTwice,
            "swap-signed-bytes" => Self::SwapSignedBytes,
            "truncate-copy" => Self::TruncateCopy,
            _ => return None,
        })
    }
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
