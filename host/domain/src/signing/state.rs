use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{NewSigner, Signer, SignerRole, SignerStatus, SigningEvent};
use crate::{AttemptId, SignerId, SigningId, SigningMethod};

/// Attempts that one signer may start within an hour.
const ATTEMPTS_PER_HOUR: usize = 20;

/// The order in which signers may sign.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SigningOrder {
    /// Whoever comes first signs first.
    #[default]
    Parallel,
    /// One after the other, as listed.
    Sequential,
}

/// Where a signing stands.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SigningStatus {
    /// Retracted by the caller.
    Cancelled,
    /// Every signer signed.
    Completed,
    /// Somebody declined and nobody else can still sign.
    Declined,
    /// The window closed first.
    Expired,
    /// The signing could not be prepared.
    Failed,
    /// At least one signer can still sign.
    Pending,
}

/// How a signing was completed.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompletionMode {
    /// By humans with their eID.
    QesCeremony,
    /// By the sandbox, without a signature.
    SandboxSimulation,
}

/// A signing to be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NewSigning {
    /// Its id.
    pub id: SigningId,
    /// Parallel or sequential.
    pub order: SigningOrder,
    /// The parties as listed.
    pub signers: Vec<NewSigner>,
    /// The hard deadline.
    pub expires_at: Timestamp,
    /// The date by which it is wanted.
    pub soft_deadline_at: Option<Timestamp>,
}

/// Who is signing now. No other attempt starts before `until`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Turn {
    /// The running attempt.
    pub attempt: AttemptId,
    /// Its signer.
    pub signer: SignerId,
    /// When the turn is lost unless it was renewed.
    pub until: Timestamp,
    /// Whether the device has signed already.
    pub device_signed: bool,
}

/// One document to be signed by its signers.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Signing {
    /// Its id.
    pub id: SigningId,
    /// Where it stands.
    pub status: SigningStatus,
    /// Parallel or sequential.
    pub order: SigningOrder,
    /// The parties in the order of the queue.
    pub signers: Vec<Signer>,
    /// When it was created.
    pub created_at: Timestamp,
    /// The hard deadline.
    pub expires_at: Timestamp,
    /// The date by which it is wanted.
    pub soft_deadline_at: Option<Timestamp>,
    /// When the last signer signed.
    pub completed_at: Option<Timestamp>,
    /// How it was completed.
    pub completion_mode: Option<CompletionMode>,
    /// Who is signing now.
    pub turn: Option<Turn>,
}

/// Why an attempt cannot start.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CannotBegin {
    /// Somebody else is signing.
    #[error("another signer is signing until {until} at the latest")]
    Busy {
        /// When the other signer's turn ends at the latest.
        until: Timestamp,
    },
    /// The signer may not use this method.
    #[error("the method {0} is not allowed for this signer")]
    MethodNotAllowed(SigningMethod),
    /// The signer cannot sign now.
    #[error("the signer cannot sign now")]
    NotOpen,
    /// Too many attempts.
    #[error("too many attempts; the next may start at {next}")]
    TooManyAttempts {
        /// When the next one may start.
        next: Timestamp,
    },
}

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
    /// A pending signing: parallel signers can sign at once, of sequential ones
    /// the first.
    #[must_use]
    pub fn create(new: NewSigning, now: Timestamp) -> Self {
        let mut signing = Self {
            id: new.id,
            status: SigningStatus::Pending,
            order: new.order,
            signers: Vec::with_capacity(new.signers.len()),
            created_at: now,
            expires_at: new.expires_at,
            soft_deadline_at: new.soft_deadline_at,
            completed_at: None,
            completion_mode: None,
            turn: None,
        };
        for signer in new.signers {
            let status = match (signer.role, new.order) {
                (SignerRole::Viewer, _) => SignerStatus::Recorded,
                (SignerRole::Signer, SigningOrder::Parallel) => SignerStatus::Pending,
                (SignerRole::Signer, SigningOrder::Sequential) => SignerStatus::Waiting,
            };
            signing.signers.push(Signer::new(signer, status));
        }
        signing.release_next();
        signing
    }

    /// The party with this id.
    #[must_use]
    pub fn signer(&self, id: SignerId) -> Option<&Signer> {
        self.signers.iter().find(|signer| signer.id == id)
    }

    /// The turn that still holds at `now`.
    #[must_use]
    pub fn current_turn(&self, now: Timestamp) -> Option<&Turn> {
        self.turn.as_ref().filter(|turn| turn.until > now)
    }

    /// Whether the turn is this attempt's: nobody has taken it since, and the
    /// signing has not ended.
    #[must_use]
    pub fn has_turn(&self, attempt: AttemptId) -> bool {
        self.turn.is_some_and(|turn| turn.attempt == attempt)
    }

    /// Starts an attempt and takes the turn until `until`.
    ///
    /// # Errors
    /// [`CannotBegin`]; nothing has changed then.
    pub fn begin_attempt(
        &mut self,
        signer: SignerId,
        attempt: AttemptId,
        method: SigningMethod,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<(), CannotBegin> {
        const WINDOW: SignedDuration = SignedDuration::from_hours(1);

        if let Some(turn) = self.current_turn(now) {
            return Err(CannotBegin::Busy { until: turn.until });
        }
        let is_open = self.status == SigningStatus::Pending && now < self.expires_at;
        let party = self
            .open_signer(signer)
            .filter(|_| is_open)
            .ok_or(CannotBegin::NotOpen)?;
        if !party.methods.contains(method) {
            return Err(CannotBegin::MethodNotAllowed(method));
        }
        party
            .attempts_started
            .retain(|started| now.duration_since(*started) < WINDOW);
        if let (true, Some(oldest)) = (
            party.attempts_started.len() >= ATTEMPTS_PER_HOUR,
            party.attempts_started.first(),
        ) {
            let next = oldest.saturating_add(WINDOW).unwrap_or(Timestamp::MAX);
            return Err(CannotBegin::TooManyAttempts { next });
        }
        party.attempts_started.push(now);
        party.attempt = Some(attempt);
        self.turn = Some(Turn {
            attempt,
            signer,
            until,
            device_signed: false,
        });
        Ok(())
    }

    /// Keeps the turn until `until`.
    ///
    /// # Errors
    /// [`CannotAct::LostTurn`] when the attempt has it no more.
    pub fn renew_turn(&mut self, attempt: AttemptId, until: Timestamp) -> Result<(), CannotAct> {
        let turn = self.own_turn(attempt)?;
        turn.until = until;
        Ok(())
    }

    /// Records that the device has signed; the turn is kept until `until` so
    /// that the signature can be finished.
    ///
    /// # Errors
    /// [`CannotAct::LostTurn`] when the attempt has it no more.
    pub fn device_signed(&mut self, attempt: AttemptId, until: Timestamp) -> Result<(), CannotAct> {
        let turn = self.own_turn(attempt)?;
        turn.device_signed = true;
        turn.until = until;
        Ok(())
    }

    /// Gives the turn back; nothing happens when the attempt has it no more.
    pub fn end_turn(&mut self, attempt: AttemptId) {
        if self.has_turn(attempt) {
            self.turn = None;
        }
    }

    /// A real signature was made by this attempt and is in the document.
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
        let party = self.open_signer(signer).ok_or(CannotAct::SignerNotOpen)?;
        party.status = SignerStatus::Signed;
        party.signed_at = Some(now);
        party.actual_method = Some(method);
        party.identity_matched = party.identity_locked.then_some(true);
        self.turn = None;

        let mut events = vec![SigningEvent::SignerSigned(signer)];
        events.extend(self.release_next().map(SigningEvent::SignerReleased));
        events.extend(self.settle(now));
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
        let party = self.open_signer(signer).ok_or(CannotAct::SignerNotOpen)?;
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

    /// The hard deadline: ends a signing whose time has passed, unless a
    /// device has signed already and the signature is being finished.
    #[must_use]
    pub fn expire(&mut self, now: Timestamp) -> Vec<SigningEvent> {
        let finishing = self
            .current_turn(now)
            .is_some_and(|turn| turn.device_signed);
        if self.status != SigningStatus::Pending || now < self.expires_at || finishing {
            return Vec::new();
        }
        self.close(SigningStatus::Expired, SignerStatus::Expired);
        vec![SigningEvent::Expired]
    }

    /// Ends a pending signing that cannot be prepared or finished.
    #[must_use]
    pub fn fail(&mut self) -> Vec<SigningEvent> {
        if self.status != SigningStatus::Pending {
            return Vec::new();
        }
        self.close(SigningStatus::Failed, SignerStatus::Cancelled);
        vec![SigningEvent::Failed]
    }

    fn own_turn(&mut self, attempt: AttemptId) -> Result<&mut Turn, CannotAct> {
        self.turn
            .as_mut()
            .filter(|turn| turn.attempt == attempt)
            .ok_or(CannotAct::LostTurn)
    }

    fn open_signer(&mut self, id: SignerId) -> Option<&mut Signer> {
        self.signers
            .iter_mut()
            .find(|signer| signer.id == id && signer.status == SignerStatus::Pending)
    }

    fn release_next(&mut self) -> Option<SignerId> {
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

    fn settle(&mut self, now: Timestamp) -> Option<SigningEvent> {
        if self.signers.iter().any(|signer| signer.status.is_open()) {
            return None;
        }
        if self
            .signers
            .iter()
            .any(|signer| signer.status == SignerStatus::Declined)
        {
            self.status = SigningStatus::Declined;
            return Some(SigningEvent::Declined);
        }
        self.status = SigningStatus::Completed;
        self.completed_at = Some(now);
        self.completion_mode = Some(CompletionMode::QesCeremony);
        Some(SigningEvent::Completed)
    }

    fn close(&mut self, status: SigningStatus, open_signers: SignerStatus) {
        self.status = status;
        self.turn = None;
        self.close_open_signers(open_signers);
    }

    fn close_open_signers(&mut self, status: SignerStatus) {
        for signer in self
            .signers
            .iter_mut()
            .filter(|signer| signer.status.is_open())
        {
            signer.status = status;
        }
    }
}
