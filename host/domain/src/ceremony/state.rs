use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    CeremonyStatus, CompletionMode, NewSigner, Signer, SignerRole, SignerStatus, SigningOrder, Turn,
};
use crate::{CeremonyId, SignerId};

/// A ceremony to be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NewCeremony {
    /// Its id.
    pub id: CeremonyId,
    /// Parallel or sequential.
    pub order: SigningOrder,
    /// The parties as listed.
    pub signers: Vec<NewSigner>,
    /// The hard deadline.
    pub expires_at: Timestamp,
    /// Requested signing date.
    pub soft_deadline_at: Option<Timestamp>,
}

/// One document to be signed by its signers.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Ceremony {
    /// Its id.
    pub id: CeremonyId,
    /// Status.
    pub status: CeremonyStatus,
    /// Parallel or sequential.
    pub order: SigningOrder,
    /// The parties in the order of the queue.
    pub signers: Vec<Signer>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The hard deadline.
    pub expires_at: Timestamp,
    /// Requested signing date.
    pub soft_deadline_at: Option<Timestamp>,
    /// Time of the last signature.
    pub completed_at: Option<Timestamp>,
    /// Time of its end, however it ended.
    pub ended_at: Option<Timestamp>,
    /// Mode of completion.
    pub completion_mode: Option<CompletionMode>,
    /// The current turn to sign.
    pub turn: Option<Turn>,
}

impl Ceremony {
    /// A pending ceremony: all parallel signers can sign at once, the first of sequential ones.
    #[must_use]
    pub fn create(new: NewCeremony, now: Timestamp) -> Self {
        let mut signing = Self {
            id: new.id,
            status: CeremonyStatus::Pending,
            order: new.order,
            signers: Vec::with_capacity(new.signers.len()),
            created_at: now,
            expires_at: new.expires_at,
            soft_deadline_at: new.soft_deadline_at,
            completed_at: None,
            ended_at: None,
            completion_mode: None,
            turn: None,
        };
        for signer in new.signers {
            signing.enqueue(signer);
        }
        signing.release_next();
        signing
    }

    /// The party with this id.
    #[must_use]
    pub fn signer(&self, id: SignerId) -> Option<&Signer> {
        self.signers.iter().find(|signer| signer.id == id)
    }

    /// Returns true if it has not ended at `now`. It is pending, and its deadline has not passed or
    /// waits for a signature that a device has made.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.status == CeremonyStatus::Pending
            && (now < self.expires_at || self.is_being_finished())
    }

    /// Returns true if signers can come to sign at `now`. A deadline that waits for one signature
    /// has passed for everybody else.
    #[must_use]
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.status == CeremonyStatus::Pending && now < self.expires_at
    }

    /// Returns true if the party can sign at `now`.
    #[must_use]
    pub fn can_sign(&self, id: SignerId, now: Timestamp) -> bool {
        self.is_open(now)
            && self
                .signer(id)
                .is_some_and(|signer| signer.status == SignerStatus::Pending)
    }

    /// Returns true if the party may still come to sign, now or later. They have not finished, and
    /// the deadline has not passed or waits for their signature.
    #[must_use]
    pub fn can_still_sign(&self, id: SignerId, now: Timestamp) -> bool {
        let is_awaited = || {
            self.turn
                .is_some_and(|turn| turn.signer == id && turn.device_signed)
        };
        let is_unfinished = self
            .signer(id)
            .is_some_and(|signer| signer.status.is_open());
        is_unfinished && (self.is_open(now) || (self.is_live(now) && is_awaited()))
    }

    /// Returns true if a device has signed and the signature is not in the document yet.
    pub(super) fn is_being_finished(&self) -> bool {
        self.turn.is_some_and(|turn| turn.device_signed)
    }

    pub(super) fn open_signers(&self) -> impl Iterator<Item = &Signer> {
        self.signers.iter().filter(|signer| signer.status.is_open())
    }

    pub(super) fn pending_signer(&mut self, id: SignerId) -> Option<&mut Signer> {
        self.signers
            .iter_mut()
            .find(|signer| signer.id == id && signer.status == SignerStatus::Pending)
    }

    pub(super) fn count_of_role(&self, role: SignerRole) -> usize {
        self.signers
            .iter()
            .filter(|signer| signer.role == role)
            .count()
    }
}
