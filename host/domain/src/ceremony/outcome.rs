use jiff::Timestamp;

use super::{Ceremony, CeremonyEvent, CeremonyStatus, CompletionMode, SignerStatus, SigningOrder};
use crate::{AttemptId, SignerId, SigningMethod};

/// Reason why a transition is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CannotAct {
    /// The attempt has lost its turn.
    #[error("the attempt has lost its turn")]
    LostTurn,
    /// The party cannot do this now.
    #[error("the signer cannot do this now")]
    SignerNotOpen,
    /// The party's signature is being finished.
    #[error("the signer's signature is being finished")]
    SignatureUnderWay,
    /// The ceremony has ended.
    #[error("the signing has ended")]
    SigningEnded,
}

impl Ceremony {
    /// Records that this attempt made a real signature and that it is in the document. A deadline
    /// that waited for it ends the ceremony, unless no party is left to sign.
    ///
    /// # Errors
    /// [`CannotAct`]; nothing has changed then.
    pub fn sign(
        &mut self,
        attempt: AttemptId,
        method: SigningMethod,
        now: Timestamp,
    ) -> Result<Vec<CeremonyEvent>, CannotAct> {
        if self.status != CeremonyStatus::Pending {
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

        let mut events = vec![CeremonyEvent::SignerSigned(signer)];
        events.extend(self.settle(now));
        events.extend(self.expire(now));
        events.extend(self.release_next().map(CeremonyEvent::SignerReleased));
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
    ) -> Result<Vec<CeremonyEvent>, CannotAct> {
        if self.status != CeremonyStatus::Pending {
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

        let mut events = vec![CeremonyEvent::SignerDeclined(signer)];
        events.extend(self.settle(now));
        Ok(events)
    }

    /// The caller retracts it. Signatures that were made stay.
    ///
    /// # Errors
    /// [`CannotAct::SigningEnded`].
    pub fn cancel(&mut self, now: Timestamp) -> Result<Vec<CeremonyEvent>, CannotAct> {
        if !self.is_live(now) {
            return Err(CannotAct::SigningEnded);
        }
        self.close(CeremonyStatus::Cancelled, SignerStatus::Cancelled, now);
        Ok(vec![CeremonyEvent::Cancelled])
    }

    /// Ends it, if it has not ended, because everything about it is erased; a
    /// signature that is being finished is not waited for.
    #[must_use]
    pub fn end_for_erasure(&mut self, now: Timestamp) -> Vec<CeremonyEvent> {
        let expired = self.expire(now);
        if !expired.is_empty() {
            return expired;
        }
        self.cancel(now).unwrap_or_default()
    }

    /// Ends a pending ceremony that cannot be prepared or finished.
    #[must_use]
    pub fn fail(&mut self, now: Timestamp) -> Vec<CeremonyEvent> {
        if self.status != CeremonyStatus::Pending {
            return Vec::new();
        }
        self.close(CeremonyStatus::Failed, SignerStatus::Cancelled, now);
        vec![CeremonyEvent::Failed]
    }

    /// Ends the ceremony if no party can sign any more.
    pub(super) fn settle(&mut self, now: Timestamp) -> Option<CeremonyEvent> {
        if self.open_signers().next().is_some() {
            return None;
        }
        let declined = self
            .signers
            .iter()
            .any(|signer| signer.status == SignerStatus::Declined);
        if declined {
            self.end(CeremonyStatus::Declined, now);
            return Some(CeremonyEvent::Declined);
        }
        self.complete(CompletionMode::QesCeremony, now);
        Some(CeremonyEvent::Completed)
    }

    pub(super) fn complete(&mut self, mode: CompletionMode, now: Timestamp) {
        self.end(CeremonyStatus::Completed, now);
        self.completed_at = Some(now);
        self.completion_mode = Some(mode);
    }

    pub(super) fn close(
        &mut self,
        status: CeremonyStatus,
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

    fn end(&mut self, status: CeremonyStatus, now: Timestamp) {
        self.status = status;
        self.ended_at = Some(now);
        self.turn = None;
    }
}
