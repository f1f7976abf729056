use jiff::Timestamp;

use super::{CompletionMode, SignerStatus, Signing, SigningEvent, SigningOrder, SigningStatus};
use crate::{AttemptId, SignerId, SigningMethod};

/// Why a transition is not possible.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CannotAct {
    /// The attempt has lost its turn.
    #[error("the attempt has lost its turn")]
    LostTurn,
    /// The party is not one that can do this now.
    #[error("the signer cannot do this now")]
    SignerNotOpen,
    /// The party's signature is being finished.
    #[error("the signer's signature is being finished")]
    SignatureUnderWay,
    /// The signing has ended.
    #[error("the signing has ended")]
    SigningEnded,
}

impl Signing {
    /// A real signature was made by this attempt and is in the document. A
    /// deadline that waited for it ends the signing, unless nobody is left who
    /// could sign.
    ///
    /// # Errors
    /// [`CannotAct`]; nothing has changed then.
    pub fn sign(
        &mut self,
        attempt: AttemptId,
        method: SigningMethod,
        now: Timestamp,
    ) -> Result<Vec<SigningEvent>, CannotAct> {
        if self.status != SigningStatus::Pending {
            return Err(CannotAct::SigningEnded);
        }
        let signer = self.own_turn(attempt)?.signer;
        let party = self
            .pending_signer(signer)
            .ok_or(CannotAct::SignerNotOpen)?;
        party.status = SignerStatus::Signed;
        party.signed_at = Some(now);
        party.actual_method = Some(method);
        party.identity_matched = party.identity_locked.then_some(true);
        self.turn = None;

        let mut events = vec![SigningEvent::SignerSigned(signer)];
        events.extend(self.settle(now));
        events.extend(self.expire(now));
        events.extend(self.release_next().map(SigningEvent::SignerReleased));
        Ok(events)
    }

    /// A signer declines.
    ///
    /// # Errors
    /// [`CannotAct`]; nothing has changed then.
    pub fn decline(
        &mut self,
        signer: SignerId,
        now: Timestamp,
    ) -> Result<Vec<SigningEvent>, CannotAct> {
        if self.status != SigningStatus::Pending {
            return Err(CannotAct::SigningEnded);
        }
        if self
            .turn
            .is_some_and(|turn| turn.signer == signer && turn.device_signed)
        {
            return Err(CannotAct::SignatureUnderWay);
        }
        if now >= self.expires_at {
            return Err(CannotAct::SigningEnded);
        }
        let party = self
            .pending_signer(signer)
            .ok_or(CannotAct::SignerNotOpen)?;
        party.status = SignerStatus::Declined;
        party.declined_at = Some(now);
        if self.turn.is_some_and(|turn| turn.signer == signer) {
            self.turn = None;
        }
        if self.order == SigningOrder::Sequential {
            self.close_open_signers(SignerStatus::Cancelled);
        }

        let mut events = vec![SigningEvent::SignerDeclined(signer)];
        events.extend(self.settle(now));
        Ok(events)
    }

    /// The caller retracts it. Signatures that were made stay.
    ///
    /// # Errors
    /// [`CannotAct::SigningEnded`].
    pub fn cancel(&mut self, now: Timestamp) -> Result<Vec<SigningEvent>, CannotAct> {
        if !self.is_live(now) {
            return Err(CannotAct::SigningEnded);
        }
        self.close(SigningStatus::Cancelled, SignerStatus::Cancelled, now);
        Ok(vec![SigningEvent::Cancelled])
    }

    /// Ends it, if it has not ended, because everything about it is erased; a
    /// signature that is being finished is not waited for.
    #[must_use]
    pub fn end_for_erasure(&mut self, now: Timestamp) -> Vec<SigningEvent> {
        let expired = self.expire(now);
        if !expired.is_empty() {
            return expired;
        }
        self.cancel(now).unwrap_or_default()
    }

    /// Ends a pending signing that cannot be prepared or finished.
    #[must_use]
    pub fn fail(&mut self, now: Timestamp) -> Vec<SigningEvent> {
        if self.status != SigningStatus::Pending {
            return Vec::new();
        }
        self.close(SigningStatus::Failed, SignerStatus::Cancelled, now);
        vec![SigningEvent::Failed]
    }

    /// Ends it when nobody can sign any more.
    pub(super) fn settle(&mut self, now: Timestamp) -> Option<SigningEvent> {
        if self.open_signers().next().is_some() {
            return None;
        }
        let declined = self
            .signers
            .iter()
            .any(|signer| signer.status == SignerStatus::Declined);
        if declined {
            self.end(SigningStatus::Declined, now);
            return Some(SigningEvent::Declined);
        }
        self.complete(CompletionMode::QesCeremony, now);
        Some(SigningEvent::Completed)
    }

    pub(super) fn complete(&mut self, mode: CompletionMode, now: Timestamp) {
        self.end(SigningStatus::Completed, now);
        self.completed_at = Some(now);
        self.completion_mode = Some(mode);
    }

    pub(super) fn close(
        &mut self,
        status: SigningStatus,
        open_signers: SignerStatus,
        now: Timestamp,
    ) {
        self.close_open_signers(open_signers);
        self.end(status, now);
    }

    pub(super) fn close_open_signers(&mut self, status: SignerStatus) {
        for signer in self
            .signers
            .iter_mut()
            .filter(|signer| signer.status.is_open())
        {
            signer.status = status;
        }
    }

    fn end(&mut self, status: SigningStatus, now: Timestamp) {
        self.status = status;
        self.ended_at = Some(now);
        self.turn = None;
    }
}
