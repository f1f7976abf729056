//! Device links to the signer's app, without a personal code: a code to scan, or
//! a link on the same device.

use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use parafa_domain::{AttemptFailure, Phase};
use parafa_eid::{ChoiceLinks, DeviceLinks, OpenedChoice, ProviderSession, SessionState};
use parafa_store::StoreError;
use parafa_store::clock::shifted;
use parafa_store::keys::DataKey;
use url::Url;

use super::device::{RETURN_WITHIN, failure, language_code, request_key};
use super::outcome::{Next, Running, StepOutcome};
use crate::ceremonies::Ceremonies;
use crate::error::CeremonyError;
use crate::records::{
    AttemptRow, AttemptStep, ChosenCertificate, OpenDeviceLink, PreparedSignature,
};
use crate::sealing;
use parafa_platform::polling::{POLL, Poll};

/// Least setback of a clock that is detected during a poll: the two clocks are
/// not read at the same instant.
const LEAST_SET_BACK: SignedDuration = SignedDuration::from_secs(1);

impl Running {
    /// Waits for the app's return to the page: a signature made on the same
    /// device counts only after it, so that a person who got another's link does
    /// not sign for them.
    pub(super) fn await_return(
        &self,
        prepared: PreparedSignature,
        value: Vec<u8>,
        until: Timestamp,
        now: Timestamp,
    ) -> StepOutcome {
        if self.attempt.returned {
            return Next::step(Phase::Completing, AttemptStep::Finish { prepared, value });
        }
        if now >= until {
            return StepOutcome::Failed(AttemptFailure::Timeout);
        }
        let latest = shifted(now, RETURN_WITHIN);
        if until > latest {
            // The clock was set back: the app has the usual time.
            let until = latest;
            let step = AttemptStep::AwaitReturn {
                prepared,
                value,
                until,
            };
            return Next::step(Phase::WaitingForUser, step);
        }
        StepOutcome::WaitingForReturn(until)
    }

    fn open_device_link(&self, key: &DataKey) -> Result<OpenDeviceLink, CeremonyError> {
        let sealed = self.attempt.device_link.as_ref();
        let sealed = sealed.ok_or(CeremonyError::Inconsistent("a device link is not open"))?;
        sealing::open(key, self.attempt.id, sealed)
    }
}

/// Returns the same step with another opening time of its link.
fn reopened(open: OpenDeviceLink, session: ProviderSession, opened_at: Timestamp) -> StepOutcome {
    let step = AttemptStep::AwaitDeviceLink { session };
    StepOutcome::Next(Box::new(Next {
        device_link: Some(OpenDeviceLink { opened_at, ..open }),
        ..Next::new(Phase::Certificate, step)
    }))
}

/// Returns whether the clock shows less than `asked_at` plus the elapsed time.
fn was_set_back(asked_at: Timestamp, held: SignedDuration, now: Timestamp) -> bool {
    now.duration_since(asked_at) + LEAST_SET_BACK < held
}

/// Error for a stored link that is not in its provider's form.
const UNUSABLE: CeremonyError = CeremonyError::Inconsistent("a device link cannot be read");

impl Ceremonies {
    /// Opens the choice of a certificate by any follower of the link. It may be
    /// reopened: a link that was not stored has not been shown.
    pub(super) async fn request_device_link(
        &self,
        running: &Running,
    ) -> Result<StepOutcome, CeremonyError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|_| StoreError::Random)?;
        let key = request_key(running.attempt.id, "device-link");
        let callback = self.callback(running)?;
        let links = self.links_of(&running.attempt)?;
        let OpenedChoice { choice, session } = match links.open(&key, &callback, random).await {
            Ok(opened) => opened,
            Err(error) => {
                let provider = self.provider(running)?;
                return Ok(StepOutcome::Unasked(failure(running, provider, &error)));
            }
        };
        Ok(StepOutcome::Next(Box::new(Next {
            device_link: Some(OpenDeviceLink {
                session: choice,
                opened_at: self.records.store.now().await?,
            }),
            ..Next::new(Phase::Certificate, AttemptStep::AwaitDeviceLink { session })
        })))
    }

    /// Waits for a follower of the link to choose. Codes to scan continue
    /// unchanged if the clock is set back during a poll that is answered. If it
    /// is set back at another time, they lag by as much, or restart where the
    /// clock shows a time before the opening.
    pub(super) async fn await_device_link(
        &self,
        running: &Running,
        key: &DataKey,
        session: ProviderSession,
    ) -> Result<StepOutcome, CeremonyError> {
        let (asked_at, asked) = (self.records.store.now().await?, Instant::now());
        let open = running.open_device_link(key)?;
        if asked_at < open.opened_at {
            return Ok(reopened(open, session, asked_at));
        }
        match self
            .provider(running)?
            .poll_certificate(&session, POLL)
            .await
        {
            Ok(SessionState::Running) => {
                let now = self.records.store.now().await?;
                let held = asked.elapsed().try_into().unwrap_or_default();
                if was_set_back(asked_at, held, now) {
                    let open_for = asked_at.duration_since(open.opened_at) + held;
                    return Ok(reopened(open, session, shifted(now, -open_for)));
                }
                Ok(StepOutcome::Waiting(Poll::since(asked)))
            }
            Ok(SessionState::Complete(certificate)) => Ok(Next::step(
                Phase::Certificate,
                AttemptStep::CheckCertificate {
                    person: None,
                    chosen: ChosenCertificate {
                        certificate,
                        choice: Some(session),
                    },
                },
            )),
            Err(error) => self.poll_failed(running, &error).await,
        }
    }

    /// Returns the link of an attempt that waits for a follower.
    pub(crate) fn device_link(
        &self,
        key: &DataKey,
        attempt: &AttemptRow,
        language: parafa_domain::Language,
        now: Timestamp,
    ) -> Result<Option<ChoiceLinks>, CeremonyError> {
        let sealed = attempt.device_link.as_ref();
        let Some(sealed) = sealed.filter(|_| attempt.awaits_device_link()) else {
            return Ok(None);
        };
        let open: OpenDeviceLink = sealing::open(key, attempt.id, sealed)?;
        let elapsed = now.duration_since(open.opened_at);
        let elapsed = elapsed.try_into().unwrap_or_default();
        let links = self.links_of(attempt)?;
        let links = links.links(&open.session, elapsed, language_code(language));
        Ok(Some(links.map_err(|_| UNUSABLE)?))
    }

    /// Returns whether the app came back from the link of an attempt.
    pub(crate) fn admits_callback(
        &self,
        attempt: &AttemptRow,
        open: &OpenDeviceLink,
        value: &str,
        session_secret_digest: &str,
    ) -> Result<bool, CeremonyError> {
        let links = self.links_of(attempt)?;
        let admitted = links.admits_callback(&open.session, value, session_secret_digest);
        admitted.map_err(|_| UNUSABLE)
    }

    fn links_of(&self, attempt: &AttemptRow) -> Result<&dyn DeviceLinks, CeremonyError> {
        let links = self.provider_of(attempt)?.device_links();
        links.ok_or(CeremonyError::Inconsistent(
            "a method without device links has one open",
        ))
    }

    /// Returns the address for the app's return, which includes the language of
    /// the page.
    fn callback(&self, running: &Running) -> Result<Url, CeremonyError> {
        let token = self.links.ceremony_token(running.attempt.signer);
        let language = running.language().tag();
        let address = self
            .links
            .address(&format!("/c/{}/callback?lang={language}", token.reveal()));
        Url::parse(&address).map_err(|_| CeremonyError::Inconsistent("the public address is none"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_by_less_than_a_poll_lasts_is_noticed() {
        let asked_at: Timestamp = "2026-01-01T12:00:20Z".parse().unwrap();
        let held = SignedDuration::from_secs(10);
        let set_back = |seconds: i64| {
            let now = asked_at + held - SignedDuration::from_secs(seconds);
            was_set_back(asked_at, held, now)
        };

        assert!(!set_back(0));
        assert!(!set_back(1), "the clocks are not looked at at once");
        assert!(set_back(2));
        assert!(set_back(8));
        assert!(set_back(1800));
        assert!(!set_back(-60), "it was set ahead");
    }
}
