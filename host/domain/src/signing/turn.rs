use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{CannotAct, Signing};
use crate::{AttemptId, SignerId, SigningMethod};

/// Attempts that one signer may start within an hour.
const ATTEMPTS_PER_HOUR: usize = 20;

/// Who is signing now. No other attempt starts before `until`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Turn {
    /// The running attempt.
    pub attempt: AttemptId,
    /// Its signer.
    pub signer: SignerId,
    /// When the turn is lost unless it was renewed, or the device has signed.
    pub until: Timestamp,
    /// Whether the device has signed already.
    pub device_signed: bool,
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

impl Signing {
    /// The turn that still holds at `now`. Once the device has signed it holds
    /// until the attempt itself ends it, however long a host is away.
    #[must_use]
    pub fn current_turn(&self, now: Timestamp) -> Option<&Turn> {
        self.turn
            .as_ref()
            .filter(|turn| turn.device_signed || turn.until > now)
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
        let is_open = self.is_open(now);
        let party = self
            .pending_signer(signer)
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

    /// Records that the device has signed; from now on the turn is kept, and
    /// the deadline held up, until the attempt ends.
    ///
    /// # Errors
    /// [`CannotAct::LostTurn`] when the attempt has it no more, and
    /// [`CannotAct::SigningEnded`] when the deadline came before the signature.
    pub fn device_signed(&mut self, attempt: AttemptId, now: Timestamp) -> Result<(), CannotAct> {
        let expires_at = self.expires_at;
        let turn = self.own_turn(attempt)?;
        if !turn.device_signed && now >= expires_at {
            return Err(CannotAct::SigningEnded);
        }
        turn.device_signed = true;
        Ok(())
    }

    /// Gives the turn back; nothing happens when the attempt has it no more.
    pub fn end_turn(&mut self, attempt: AttemptId) {
        if self.has_turn(attempt) {
            self.turn = None;
        }
    }

    pub(super) fn own_turn(&mut self, attempt: AttemptId) -> Result<&mut Turn, CannotAct> {
        self.turn
            .as_mut()
            .filter(|turn| turn.attempt == attempt)
            .ok_or(CannotAct::LostTurn)
    }
}
