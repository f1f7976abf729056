//! Invariants of hosts, and which of them was broken.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

thread_local! {
    static BROKEN: Cell<Option<Invariant>> = const { Cell::new(None) };
}

/// An invariant that hosts keep whatever happens.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Invariant {
    /// No signing, attempt, version or audit event is ever lost.
    NothingIsLost,
    /// A signing, its signers and attempts change only as they may.
    OnlyListedTransitions,
    /// A turn is one running attempt's.
    OneTurn,
    /// Each version holds one signature more, made from the version before it
    /// by an attempt of its own.
    OneSignatureOnOneBase,
    /// What a client was told stays true.
    WhatWasToldHolds,
    /// What was signed on the device that shows the page counts only once the app
    /// of that attempt has come back to the page.
    NobodySignsForAnother,
    /// A phone is asked once an attempt for each thing.
    PhonesRingOnce,
    /// Whatever has begun ends, and leaves nothing that is nobody's.
    EverythingEnds,
}

/// An invariant that is being looked at: a panic until this is dropped breaks it.
pub(crate) struct CheckedInvariant(Invariant);

impl Invariant {
    pub(crate) fn checked(self) -> CheckedInvariant {
        CheckedInvariant(self)
    }

    /// Panics if it is not.
    #[track_caller]
    pub(crate) fn holds(self, so: bool, otherwise: &str) {
        let _invariant = self.checked();
        assert!(so, "{otherwise}");
    }
}

impl Drop for CheckedInvariant {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("an invariant is broken: {:?}", self.0);
            BROKEN.set(Some(self.0));
        }
    }
}

/// How a play ends.
pub(crate) enum Outcome {
    Kept,
    Broken(Invariant),
    /// Something else than an invariant broke.
    Failed(Box<dyn Any + Send>),
}

/// Plays, and tells whether an invariant was broken.
pub(crate) fn played(play: impl FnOnce()) -> Outcome {
    BROKEN.set(None);
    match catch_unwind(AssertUnwindSafe(play)) {
        Ok(()) => Outcome::Kept,
        Err(panic) => match BROKEN.take() {
            Some(invariant) => Outcome::Broken(invariant),
            None => Outcome::Failed(panic),
        },
    }
}

#[test]
fn a_promise_is_broken_by_a_panic_while_it_is_at_stake_and_by_no_other() {
    let broken = played(|| {
        let _invariant = Invariant::OneTurn.checked();
        panic!("two turns");
    });
    let failed = played(|| {
        drop(Invariant::OneTurn.checked());
        panic!("no test");
    });

    assert!(matches!(broken, Outcome::Broken(Invariant::OneTurn)));
    assert!(matches!(failed, Outcome::Failed(_)));
    assert!(matches!(played(|| ()), Outcome::Kept));
}
