//! Orders of identification packages.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An order to identify a person who claims a role in an entity.
///
/// The subject signs in a ceremony, which has a deadline of its own. The signature is then
/// verified, and only then can a package be delivered.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct KycOrder {
    state: State,
    /// Time of the last change.
    updated_at: Timestamp,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "is")]
enum State {
    AwaitingSubject,
    Verifying,
    Delivered,
    IdentityMismatch,
    Refused { reason: KycRefusal },
    Expired,
    Failed,
}

/// Status of an order.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KycStatus {
    /// The subject has not finished the ceremony.
    AwaitingSubject,
    /// The subject has signed; the signature is not verified yet.
    Verifying,
    /// The evidence is there.
    Delivered,
    /// The signer is not the person in the register.
    IdentityMismatch,
    /// Nothing can be confirmed.
    Refused,
    /// The subject did not sign in time.
    Expired,
    /// The service could not do it.
    Failed,
}

/// Reason why an accepted order is refused.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KycRefusal {
    /// The subject declined.
    SubjectDeclined,
    /// The subject gave up the role after the order was made.
    RoleNoLongerHeld,
    /// The subject's certificate carries an identifier that is no Lithuanian
    /// personal code.
    OutOfScopeIdentifier,
}

/// Verdict of the verification of a signature.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum KycVerdict {
    /// The identity is the one of the register, and the evidence is ready.
    Delivered,
    /// The signer is another person.
    IdentityMismatch,
    /// Nothing can be confirmed.
    Refused(KycRefusal),
    /// The verification failed to reach a verdict.
    Failed,
}

/// Reason why a step is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CannotIdentify {
    /// The order has ended.
    #[error("the order has ended")]
    Ended,
    /// The subject has signed already.
    #[error("the subject has signed already")]
    Signed,
    /// The subject has not signed yet.
    #[error("the subject has not signed yet")]
    NotSigned,
}

impl KycStatus {
    /// Returns true if the status is final.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::AwaitingSubject | Self::Verifying)
    }
}

impl KycOrder {
    /// A new order, which waits for its subject.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self {
            state: State::AwaitingSubject,
            updated_at: now,
        }
    }

    /// Status.
    #[must_use]
    pub fn status(&self) -> KycStatus {
        match self.state {
            State::AwaitingSubject => KycStatus::AwaitingSubject,
            State::Verifying => KycStatus::Verifying,
            State::Delivered => KycStatus::Delivered,
            State::IdentityMismatch => KycStatus::IdentityMismatch,
            State::Refused { .. } => KycStatus::Refused,
            State::Expired => KycStatus::Expired,
            State::Failed => KycStatus::Failed,
        }
    }

    /// Reason for the refusal, if it is refused.
    #[must_use]
    pub fn refusal(&self) -> Option<KycRefusal> {
        match self.state {
            State::Refused { reason } => Some(reason),
            _ => None,
        }
    }

    /// Time of the last change.
    #[must_use]
    pub fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    /// The subject has signed.
    ///
    /// # Errors
    /// [`CannotIdentify`]; nothing changes.
    pub fn sign(&mut self, now: Timestamp) -> Result<(), CannotIdentify> {
        self.leave_ceremony(State::Verifying, now)
    }

    /// Records that the subject declined.
    ///
    /// # Errors
    /// [`CannotIdentify`]; nothing changes.
    pub fn decline(&mut self, now: Timestamp) -> Result<(), CannotIdentify> {
        let reason = KycRefusal::SubjectDeclined;
        self.leave_ceremony(State::Refused { reason }, now)
    }

    /// The ceremony's deadline has passed.
    ///
    /// # Errors
    /// [`CannotIdentify`]; nothing changes.
    pub fn expire(&mut self, now: Timestamp) -> Result<(), CannotIdentify> {
        self.leave_ceremony(State::Expired, now)
    }

    /// Records that the ceremony cannot go on, whatever the cause.
    ///
    /// # Errors
    /// [`CannotIdentify`]; nothing changes.
    pub fn abort(&mut self, now: Timestamp) -> Result<(), CannotIdentify> {
        self.leave_ceremony(State::Failed, now)
    }

    /// Records the verdict on the signature, or that there can be none.
    ///
    /// # Errors
    /// [`CannotIdentify`]; nothing changes.
    pub fn conclude(&mut self, verdict: KycVerdict, now: Timestamp) -> Result<(), CannotIdentify> {
        match self.state {
            State::Verifying => {}
            State::AwaitingSubject => return Err(CannotIdentify::NotSigned),
            _ => return Err(CannotIdentify::Ended),
        }
        let state = match verdict {
            KycVerdict::Delivered => State::Delivered,
            KycVerdict::IdentityMismatch => State::IdentityMismatch,
            KycVerdict::Refused(reason) => State::Refused { reason },
            KycVerdict::Failed => State::Failed,
        };
        self.go(state, now);
        Ok(())
    }

    fn leave_ceremony(&mut self, state: State, now: Timestamp) -> Result<(), CannotIdentify> {
        match self.state {
            State::AwaitingSubject => {
                self.go(state, now);
                Ok(())
            }
            State::Verifying => Err(CannotIdentify::Signed),
            _ => Err(CannotIdentify::Ended),
        }
    }

    /// Moves to `state`. Reported times never go back, though clocks may.
    fn go(&mut self, state: State, now: Timestamp) {
        self.state = state;
        self.updated_at = self.updated_at.max(now);
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Sign,
        Decline,
        Expire,
        Abort,
        Conclude(KycVerdict),
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second)
    }

    fn take(order: &mut KycOrder, step: Step, now: Timestamp) -> Result<(), CannotIdentify> {
        match step {
            Step::Sign => order.sign(now),
            Step::Decline => order.decline(now),
            Step::Expire => order.expire(now),
            Step::Abort => order.abort(now),
            Step::Conclude(verdict) => order.conclude(verdict, now),
        }
    }

    fn verdict() -> impl Strategy<Value = KycVerdict> {
        prop_oneof![
            Just(KycVerdict::Delivered),
            Just(KycVerdict::IdentityMismatch),
            Just(KycVerdict::Refused(KycRefusal::RoleNoLongerHeld)),
            Just(KycVerdict::Refused(KycRefusal::OutOfScopeIdentifier)),
            Just(KycVerdict::Failed),
        ]
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            Just(Step::Sign),
            Just(Step::Decline),
            Just(Step::Expire),
            Just(Step::Abort),
            verdict().prop_map(Step::Conclude),
        ]
    }

    #[test]
    fn a_signature_is_verified_before_anything_is_delivered() {
        let mut order = KycOrder::new(at(0));
        assert_eq!(
            order.conclude(KycVerdict::Delivered, at(1)),
            Err(CannotIdentify::NotSigned)
        );

        order.sign(at(2)).unwrap();
        assert_eq!(order.status(), KycStatus::Verifying);
        assert_eq!(order.expire(at(3)), Err(CannotIdentify::Signed));

        order.conclude(KycVerdict::Delivered, at(4)).unwrap();
        assert_eq!(order.status(), KycStatus::Delivered);
        assert_eq!(order.updated_at(), at(4));
    }

    #[test]
    fn whoever_declines_is_told_apart_from_who_is_refused_later() {
        let mut declined = KycOrder::new(at(0));
        declined.decline(at(1)).unwrap();
        assert_eq!(declined.refusal(), Some(KycRefusal::SubjectDeclined));

        let mut refused = KycOrder::new(at(0));
        refused.sign(at(1)).unwrap();
        let reason = KycRefusal::OutOfScopeIdentifier;
        refused
            .conclude(KycVerdict::Refused(reason), at(2))
            .unwrap();
        assert_eq!(refused.refusal(), Some(reason));
    }

    proptest! {
        #[test]
        fn an_ended_order_never_changes(steps in prop::collection::vec(step(), 0..12)) {
            let mut order = KycOrder::new(at(0));
            for (second, step) in (1..).zip(steps) {
                let before = order;
                let taken = take(&mut order, step, at(second));
                if before.status().is_terminal() {
                    prop_assert_eq!(taken, Err(CannotIdentify::Ended));
                }
                if taken.is_err() {
                    prop_assert_eq!(order, before);
                }
            }
        }

        #[test]
        fn nothing_is_delivered_without_a_signature(steps in prop::collection::vec(step(), 0..12)) {
            let mut order = KycOrder::new(at(0));
            let mut signed = false;
            for (second, step) in (1..).zip(steps) {
                let taken = take(&mut order, step, at(second));
                signed |= matches!(step, Step::Sign) && taken.is_ok();
            }
            let needs_signature = [KycStatus::Delivered, KycStatus::IdentityMismatch, KycStatus::Verifying];
            prop_assert!(signed || !needs_signature.contains(&order.status()));
            prop_assert_eq!(order.refusal().is_some(), order.status() == KycStatus::Refused);
        }

        #[test]
        fn a_clock_that_is_set_back_does_not_set_an_order_back(first in 0_i64..100, then in 0_i64..100) {
            let mut order = KycOrder::new(at(first));
            order.sign(at(then)).unwrap();
            prop_assert_eq!(order.updated_at(), at(first.max(then)));
        }

        #[test]
        fn an_order_reads_back_as_it_was_stored(steps in prop::collection::vec(step(), 0..6)) {
            let mut order = KycOrder::new(at(0));
            for (second, step) in (1..).zip(steps) {
                let _ = take(&mut order, step, at(second));
            }
            let stored = serde_json::to_string(&order).unwrap();
            prop_assert_eq!(serde_json::from_str::<KycOrder>(&stored).unwrap(), order);
        }
    }
}
