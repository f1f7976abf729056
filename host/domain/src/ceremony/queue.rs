use jiff::Timestamp;

use super::{Ceremony, CeremonyEvent, NewSigner, Signer, SignerRole, SignerStatus, SigningOrder};
use crate::{MethodSet, SignerId};

/// Parties that one ceremony may have.
pub const MAX_PARTIES: usize = 20;

/// Reason why the parties cannot be changed so.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CannotChange {
    /// No other party could sign.
    #[error("the last party of role signer cannot be removed")]
    LastSigner,
    /// The party is signing, or the one remaining signer is: with that signature the ceremony would
    /// end.
    #[error("a signature is being made")]
    SignatureUnderWay,
    /// The party has finished, or has nothing that could change.
    #[error("the party cannot be changed any more")]
    SignerNotOpen,
    /// The ceremony has ended, or its deadline has passed for the party to be added and waits only
    /// for a signature.
    #[error("the signing has ended")]
    SigningEnded,
    /// The ceremony has the maximum number of parties.
    #[error("the signing has {MAX_PARTIES} parties already")]
    TooManyParties,
    /// The party does not exist.
    #[error("there is no such party")]
    UnknownSigner,
}

impl Ceremony {
    /// Adds a party at the end of the queue: a parallel signer can sign at
    /// once, a sequential one waits.
    ///
    /// # Errors
    /// [`CannotChange`]; nothing has changed then.
    pub fn add_signer(&mut self, new: NewSigner, now: Timestamp) -> Result<(), CannotChange> {
        if !self.is_open(now) {
            return Err(CannotChange::SigningEnded);
        }
        if self.signers.len() >= MAX_PARTIES {
            return Err(CannotChange::TooManyParties);
        }
        let signing_now = self.current_turn(now).map(|turn| turn.signer);
        let others_open = self
            .open_signers()
            .any(|signer| Some(signer.id) != signing_now);
        if signing_now.is_some() && !others_open {
            return Err(CannotChange::SignatureUnderWay);
        }
        self.enqueue(new);
        Ok(())
    }

    /// Removes a party that has not finished. The next waiting signer is released; if only finished
    /// signers are left, the ceremony ends.
    ///
    /// # Errors
    /// [`CannotChange`]; nothing has changed then.
    pub fn remove_signer(
        &mut self,
        id: SignerId,
        now: Timestamp,
    ) -> Result<Vec<CeremonyEvent>, CannotChange> {
        let party = self.party_of_live(id, now)?;
        let role = party.role;
        if role == SignerRole::Signer {
            self.check_changeable(party, now)?;
        }
        if role == SignerRole::Signer && self.count_of_role(role) == 1 {
            return Err(CannotChange::LastSigner);
        }
        self.signers.retain(|signer| signer.id != id);
        // A lapsed turn may still be stored.
        if self.turn.is_some_and(|turn| turn.signer == id) {
            self.turn = None;
        }
        let mut events = Vec::new();
        events.extend(self.release_next().map(CeremonyEvent::SignerReleased));
        events.extend(self.settle(now));
        Ok(events)
    }

    /// Replaces the methods of a signer who has not finished.
    ///
    /// # Errors
    /// [`CannotChange`]; nothing has changed then.
    pub fn change_methods(
        &mut self,
        id: SignerId,
        methods: &MethodSet,
        now: Timestamp,
    ) -> Result<(), CannotChange> {
        let party = self.party_of_live(id, now)?;
        self.check_changeable(party, now)?;
        for signer in self.signers.iter_mut().filter(|signer| signer.id == id) {
            signer.methods.clone_from(methods);
        }
        Ok(())
    }

    pub(super) fn enqueue(&mut self, new: NewSigner) {
        let status = match (new.role, self.order) {
            (SignerRole::Viewer, _) => SignerStatus::Recorded,
            (SignerRole::Signer, SigningOrder::Parallel) => SignerStatus::Pending,
            (SignerRole::Signer, SigningOrder::Sequential) => SignerStatus::Waiting,
        };
        self.signers.push(Signer::new(new, status));
    }

    /// Releases the next waiting signer, unless another can sign now.
    pub(super) fn release_next(&mut self) -> Option<SignerId> {
        if self
            .signers
            .iter()
            .any(|signer| signer.status == SignerStatus::Pending)
        {
            return None;
        }
        let next = self
            .signers
            .iter_mut()
            .find(|signer| signer.status == SignerStatus::Waiting)?;
        next.status = SignerStatus::Pending;
        Some(next.id)
    }

    /// A party of a ceremony that has not ended. Its parties end with a ceremony; the refusal is
    /// then that it has ended.
    fn party_of_live(&self, id: SignerId, now: Timestamp) -> Result<&Signer, CannotChange> {
        let party = self.signer(id).ok_or(CannotChange::UnknownSigner)?;
        if !self.is_live(now) {
            return Err(CannotChange::SigningEnded);
        }
        Ok(party)
    }

    fn check_changeable(&self, party: &Signer, now: Timestamp) -> Result<(), CannotChange> {
        if !party.status.is_open() {
            return Err(CannotChange::SignerNotOpen);
        }
        let turn = self.current_turn(now);
        if turn.is_some_and(|turn| turn.signer == party.id) {
            return Err(CannotChange::SignatureUnderWay);
        }
        Ok(())
    }
}
