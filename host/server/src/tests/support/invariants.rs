//! Invariants of hosts, and detection of the broken one.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

thread_local! {
    static BROKEN: Cell<Option<Invariant>> = const { Cell::new(None) };
}

/// An invariant that hosts always keep.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Invariant {
    /// A signing, attempt, version or audit event is never lost.
    NothingIsLost,
    /// A signing, its signers and attempts make only the listed transitions.
    OnlyListedTransitions,
    /// A turn belongs to one running attempt.
    OneTurn,
    /// Each version has one more signature than the version before it, from
    /// which it was made by an attempt of its own.
    OneSignatureOnOneBase,
    /// Statements to clients stay true.
    WhatWasToldHolds,
    /// A signature made on the device that shows the page counts only once the
    /// app of that attempt has come back to the page.
    NobodySignsForAnother,
    /// A phone gets at most one prompt per attempt and purpose.
    PhonesRingOnce,
    /// Everything begun ends, and leaves no unreferenced data.
    EverythingEnds,
}

/// An invariant under check: a panic before the drop counts as breaking it.
pub(crate) struct CheckedInvariant(Invariant);

impl Invariant {
    pub(crate) fn checked(self) -> CheckedInvariant {
        CheckedInvariant(self)
    }

    /// Panics if the invariant does not hold.
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

/// Outcome of a play.
pub(crate) enum Outcome {
    Kept,
    Broken(Invariant),
    /// The play failed without breaking an invariant.
    Failed(Box<dyn Any + Send>),
}

/// Plays, and detects a broken invariant.
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
