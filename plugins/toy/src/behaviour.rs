use std::hint::black_box;

use parafa_plugin_sdk::core::Refusal;

/// Which rule a document makes the plugin break.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Behaviour {
    /// `sign` asks for what was answered already.
    AskAgain,
    /// `sign` asks for something new whenever it is called.
    AskForever,
    /// `sign` asks for nothing and has no outcome.
    AskNothing,
    /// `sign` asks twice under one id.
    AskTwice,
    /// `inspect` writes log lines without end.
    Chatter,
    /// `verify` turns on the first signature once there is a second one.
    CondemnEarlier,
    /// `inspect` allocates without end.
    Exhaust,
    /// `sign` copies without end.
    FloodCopy,
    /// `sign` writes without end.
    FloodWrite,
    /// `sign` writes the document where it should copy it.
    ForgeCopy,
    /// `verify` forgets the first signature once there is a second one.
    ForgetEarlier,
    /// None.
    Honest,
    /// `inspect` does not end.
    Loop,
    /// `sign` has an outcome before anybody signed.
    NoSignature,
    /// `sign` stores another token than the authority's.
    OtherToken,
    /// `sign` stores another value than the device's.
    OtherValue,
    /// `inspect` copies a range that the document does not have.
    OutOfRange,
    /// `inspect` panics.
    Panic,
    /// `inspect` calls itself without end.
    Recurse,
    /// `inspect` refuses.
    Refuse,
    /// `verify` changes what the first signature signs once there is a second.
    RewriteEarlier,
    /// `sign` adds two signatures, to which `verify` gives one id.
    ShareId,
    /// `sign` adds two signatures.
    SignTwice,
    /// `sign` stores other signed bytes than it asked to be signed.
    SwapSignedBytes,
    /// `sign` leaves out the last byte of the copy and writes it.
    TruncateCopy,
}

impl Behaviour {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "ask-again" => Self::AskAgain,
            "ask-forever" => Self::AskForever,
            "ask-nothing" => Self::AskNothing,
            "ask-twice" => Self::AskTwice,
            "chatter" => Self::Chatter,
            "condemn-earlier" => Self::CondemnEarlier,
            "exhaust" => Self::Exhaust,
            "flood-copy" => Self::FloodCopy,
            "flood-write" => Self::FloodWrite,
            "forge-copy" => Self::ForgeCopy,
            "forget-earlier" => Self::ForgetEarlier,
            "honest" => Self::Honest,
            "loop" => Self::Loop,
            "no-signature" => Self::NoSignature,
            "other-token" => Self::OtherToken,
            "other-value" => Self::OtherValue,
            "out-of-range" => Self::OutOfRange,
            "panic" => Self::Panic,
            "recurse" => Self::Recurse,
            "refuse" => Self::Refuse,
            "rewrite-earlier" => Self::RewriteEarlier,
            "share-id" => Self::ShareId,
            "sign-twice" => Self::SignTwice,
            "swap-signed-bytes" => Self::SwapSignedBytes,
            "truncate-copy" => Self::TruncateCopy,
            _ => return None,
        })
    }

    pub(crate) fn before_inspect(self) -> Result<(), Refusal> {
        match self {
            Self::Chatter => {
                for line in 0..100_000_u32 {
                    parafa_plugin_sdk::log(&format!("line {line}\nforged line"));
                }
            }
            Self::Exhaust => exhaust(),
            Self::Loop => loop {
                black_box(());
            },
            Self::Panic => panic!("the document asked for it"),
            Self::Recurse => drop(black_box(recurse(u64::MAX))),
            Self::Refuse => {
                return Err(Refusal {
                    code: "encrypted".into(),
                    detail: "the document says so".to_owned(),
                    subjects: vec!["first".to_owned(), "second".to_owned()],
                });
            }
            _ => {}
        }
        Ok(())
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
