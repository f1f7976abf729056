use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{CannotAct, Ceremony};
use crate::{AttemptId, SignerId, SigningMethod};

/// Attempts that one signer may start within an hour.
pub const ATTEMPTS_PER_HOUR: usize = 20;

/// Time for which a turn holds after the last heartbeat of its signer's page, until the device is
/// asked to sign.
pub const MAX_ABSENCE: SignedDuration = SignedDuration::from_secs(30);
/// Remaining part of [`MAX_ABSENCE`] at which a heartbeat is recorded again.
const ABSENCE_LEFT: SignedDuration = SignedDuration::from_secs(20);

/// The turn to sign.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Turn {
    /// The running attempt.
    pub attempt: AttemptId,
    /// Its signer.
    pub signer: SignerId,
    /// Latest end of the turn, unless the device has signed.
    pub until: Timestamp,
    /// End of the turn for want of heartbeats of the signer's page. `None` once the device is asked
    /// to sign, because it may answer without the page.
    #[serde(default)]
    pub present_until: Option<Timestamp>,
    /// True if the device has signed.
    pub device_signed: bool,
}

impl Turn {
    /// Latest time at which another signer can have the turn. `None` once the device has signed:
    /// that signature is finished first.
    #[must_use]
    pub fn free_by(&self) -> Option<Timestamp> {
        (!self.device_signed).then_some(self.until)
    }

    fn holds(&self, now: Timestamp) -> bool {
        let is_present = self.present_until.is_none_or(|until| now < until);
        self.device_signed || (is_present && now < self.until)
    }

    fn wants_presence(&self, now: Timestamp) -> bool {
        // A time recorded by a clock that is ahead is recorded again.
        let is_noted = |until: Timestamp| {
            let left = until.duration_since(now);
            ABSENCE_LEFT < left && left <= MAX_ABSENCE
        };
        self.present_until.is_some_and(|until| !is_noted(until))
    }
}

/// Reason why an attempt cannot start or take the turn.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CannotBegin {
    /// Another signer has the turn.
    #[error("another signer is signing")]
    Busy,
    /// The signer may not use this method.
    #[error("the method {0} is not allowed for this signer")]
    MethodNotAllowed(SigningMethod),
    /// The signer cannot sign now.
    #[error("the signer cannot sign now")]
    NotOpen,
    /// Too many attempts.
    #[error("too many attempts; the next may start at {next}")]
    TooManyAttempts {
        /// Earliest start of the next one.
        next: Timestamp,
    },
}

impl Ceremony {
    /// The turn that still holds at `now`. A lapsed turn remains its attempt's until another takes
    /// it. Once the device has signed, the turn holds until the attempt itself ends it, however
    /// long a host is down.
    #[must_use]
    pub fn current_turn(&self, now: Timestamp) -> Option<&Turn> {
        self.turn.as_ref().filter(|turn| turn.holds(now))
    }

    /// Returns true if the attempt has the turn: no other has taken it since, and the ceremony has
    /// not ended.
    #[must_use]
    pub fn has_turn(&self, attempt: AttemptId) -> bool {
        self.turn.is_some_and(|turn| turn.attempt == attempt)
    }

    /// Starts an attempt, which has no turn yet, in place of the signer's earlier
    /// one.
    ///
    /// # Errors
    /// [`CannotBegin`]; nothing has changed then.
    pub fn begin_attempt(
        &mut self,
        signer: SignerId,
        attempt: AttemptId,
        method: SigningMethod,
        now: Timestamp,
    ) -> Result<(), CannotBegin> {
        const WINDOW: SignedDuration = SignedDuration::from_hours(1);

        if self.current_turn(now).is_some() {
            return Err(CannotBegin::Busy);
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
        // A lapsed turn may still be stored.
        self.turn = self.turn.filter(|turn| turn.signer != signer);
        Ok(())
    }

    /// Gives the turn to the newest attempt of a signer, until `until` at the latest.
    ///
    /// # Errors
    /// [`CannotBegin::Busy`] while another attempt has it, and [`CannotBegin::NotOpen`] if the
    /// attempt is over or its signer cannot sign now; nothing has changed then.
    pub fn take_turn(
        &mut self,
        attempt: AttemptId,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<(), CannotBegin> {
        if self.current_turn(now).is_some() {
            return Err(CannotBegin::Busy);
        }
        let mut signers = self.signers.iter();
        let signer = signers
            .find(|party| party.attempt == Some(attempt))
            .filter(|party| self.can_sign(party.id, now))
            .ok_or(CannotBegin::NotOpen)?;
        self.turn = Some(Turn {
            attempt,
            signer: signer.id,
            until,
            present_until: Some(absent_by(now)),
            device_signed: false,
        });
        Ok(())
    }

    /// Returns true if [`Self::note_presence`] would change anything.
    #[must_use]
    pub fn wants_presence(&self, signer: SignerId, now: Timestamp) -> bool {
        let turn = self.turn.filter(|turn| turn.signer == signer);
        turn.is_some_and(|turn| turn.wants_presence(now))
    }

    /// Records a heartbeat of a signer's page, without which the turn ends.
    pub fn note_presence(&mut self, signer: SignerId, now: Timestamp) {
        if self.wants_presence(signer, now)
            && let Some(turn) = &mut self.turn
        {
            turn.present_until = Some(absent_by(now));
        }
    }

    /// Records that the device is asked to sign. It may answer until the turn ends, even if the
    /// page is closed, but not after `until`.
    ///
    /// # Errors
    /// [`CannotAct::LostTurn`] if the attempt no longer has the turn.
    pub fn ask_device(
        &mut self,
        attempt: AttemptId,
        until: Option<Timestamp>,
    ) -> Result<(), CannotAct> {
        let turn = self.own_turn(attempt)?;
        turn.present_until = None;
        turn.until = until.map_or(turn.until, |until| until.min(turn.until));
        Ok(())
    }

    /// Records that the device has signed. From now on the turn holds, and the deadline waits,
    /// until the attempt ends.
    ///
    /// # Errors
    /// [`CannotAct::LostTurn`] if the attempt no longer has the turn, and
    /// [`CannotAct::SigningEnded`] if the deadline came before the signature.
    pub fn device_signed(&mut self, attempt: AttemptId, now: Timestamp) -> Result<(), CannotAct> {
        let expires_at = self.expires_at;
        let turn = self.own_turn(attempt)?;
        if !turn.device_signed && now >= expires_at {
            return Err(CannotAct::SigningEnded);
        }
        turn.device_signed = true;
        Ok(())
    }

    /// Ends the turn; does nothing if the attempt no longer has it.
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

/// Time at which a signer counts as gone whose last heartbeat was at `now`.
fn absent_by(now: Timestamp) -> Timestamp {
    now.saturating_add(MAX_ABSENCE).unwrap_or(Timestamp::MAX)
}
