use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::{CannotAct, Ceremony, CeremonyEvent, CeremonyStatus, SignerStatus};
use crate::SignerId;

/// Time of day at which signers are reminded of the soft deadline.
const REMINDER_TIME: Time = Time::constant(9, 0, 0, 0);
/// Time zone of the reminder time.
const REMINDER_ZONE: &str = "Europe/Vilnius";
/// Minimum time between two reminders to one signer.
const BETWEEN_REMINDERS: SignedDuration = SignedDuration::from_hours(1);

/// Reason why a signer is not reminded.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CannotRemind {
    /// The party cannot sign now.
    #[error("the party cannot sign now")]
    NotOpen,
    /// A reminder went out less than an hour ago.
    #[error("the signer was reminded already; the next reminder may go at {next}")]
    TooSoon {
        /// Earliest time of the next reminder.
        next: Timestamp,
    },
    /// The party does not exist.
    #[error("there is no such party")]
    UnknownSigner,
}

/// Time of reminders of a soft deadline: nine in the morning of its day in Vilnius.
#[must_use]
pub fn reminder_time(soft_deadline: Timestamp) -> Timestamp {
    let zone = TimeZone::get(REMINDER_ZONE).expect("the time zone is in the bundled database");
    let day = soft_deadline.to_zoned(zone.clone()).date();
    let nine = day.to_datetime(REMINDER_TIME).to_zoned(zone);
    // Past the end of representable time the reminder time does not matter.
    nine.map_or(soft_deadline, |nine| nine.timestamp())
}

impl Ceremony {
    /// The hard deadline: ends a ceremony whose time has passed, unless a
    /// device has signed already and the signature is being finished.
    #[must_use]
    pub fn expire(&mut self, now: Timestamp) -> Vec<CeremonyEvent> {
        if self.status != CeremonyStatus::Pending || self.is_live(now) {
            return Vec::new();
        }
        self.close(CeremonyStatus::Expired, SignerStatus::Expired, now);
        vec![CeremonyEvent::Expired]
    }

    /// Moves the hard deadline; also one that has passed and waits for a signature.
    ///
    /// # Errors
    /// [`CannotAct::SigningEnded`].
    pub fn change_deadline(
        &mut self,
        expires_at: Timestamp,
        now: Timestamp,
    ) -> Result<(), CannotAct> {
        if !self.is_live(now) {
            return Err(CannotAct::SigningEnded);
        }
        self.expires_at = expires_at;
        Ok(())
    }

    /// Records a reminder of a signer.
    ///
    /// # Errors
    /// [`CannotRemind`]; nothing has changed then.
    pub fn remind(&mut self, id: SignerId, now: Timestamp) -> Result<(), CannotRemind> {
        let can_sign = self.can_sign(id, now);
        let party = self.signers.iter_mut().find(|signer| signer.id == id);
        let party = party.ok_or(CannotRemind::UnknownSigner)?;
        if !can_sign {
            return Err(CannotRemind::NotOpen);
        }
        let next = party
            .reminded_at
            .and_then(|last| last.checked_add(BETWEEN_REMINDERS).ok())
            .filter(|next| now < *next);
        if let Some(next) = next {
            return Err(CannotRemind::TooSoon { next });
        }
        party.reminded_at = Some(now);
        Ok(())
    }

    /// The automatic reminder: records a reminder of every signer who can sign now, except those
    /// reminded recently, and returns their ids.
    pub fn remind_all(&mut self, now: Timestamp) -> Vec<SignerId> {
        let ids: Vec<SignerId> = self.signers.iter().map(|signer| signer.id).collect();
        ids.into_iter()
            .filter(|id| self.remind(*id, now).is_ok())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reminder(soft_deadline: &str) -> String {
        reminder_time(soft_deadline.parse().unwrap()).to_string()
    }

    #[test]
    fn the_reminder_goes_at_nine_in_vilnius_in_summer_and_winter() {
        assert_eq!(reminder("2026-01-15T12:00:00Z"), "2026-01-15T07:00:00Z");
        assert_eq!(reminder("2026-07-15T12:00:00Z"), "2026-07-15T06:00:00Z");
    }

    #[test]
    fn the_day_of_the_soft_deadline_is_the_one_in_vilnius() {
        assert_eq!(reminder("2026-07-15T22:30:00Z"), "2026-07-16T06:00:00Z");
    }

    #[test]
    fn the_reminder_keeps_its_hour_on_the_day_when_the_clocks_change() {
        assert_eq!(reminder("2026-03-29T12:00:00Z"), "2026-03-29T06:00:00Z");
        assert_eq!(reminder("2026-10-25T12:00:00Z"), "2026-10-25T07:00:00Z");
    }
}
