//! Input and outcome of a step.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use parafa_domain::{AttemptFailure, AttemptId, Language, Phase, Signer, Turn};
use parafa_plugin_host::{CallError, CallPriority, Plugin, SignRequest, Urgency};

use crate::error::CeremonyError;
use crate::metrics::{SIGNED, attempt_ended};
use crate::records::{
    AttemptRow, AttemptStep, CeremonyRow, ChosenCertificate, DocumentVersion, OpenDeviceLink,
    PluginPin,
};
use parafa_platform::polling::Poll;
use parafa_store::jobs::ClaimedJob;

/// Time limit for an attempt until the device has signed. Providers end their sessions well
/// before; this ends what no provider ends.
const ASK_WITHIN: SignedDuration = SignedDuration::from_mins(15);

/// Longest turn of an attempt until the device has signed.
pub(crate) const TURN: SignedDuration = ASK_WITHIN;

/// Failure of an attempt whose signature was not finished in time.
pub(super) const TOO_LATE: AttemptFailure = AttemptFailure::TimestampUnavailable;

/// Retries, a second apart, of an attempt that waits for its turn. The signer's app is open
/// meanwhile, and is not prompted until then.
const MAX_TURN_RETRIES: u32 = 120;

/// Input of a step.
pub(super) struct Running {
    pub(super) attempt: AttemptRow,
    pub(super) ceremony: CeremonyRow,
    /// Number of claims of this step, including this one.
    pub(super) claims: u32,
    /// Time limit for finishing a device's signature.
    pub(super) finish_within: SignedDuration,
}

impl Running {
    /// Returns the priority of calls of plugins for it: a person waits.
    pub(super) fn call_priority(&self) -> CallPriority {
        CallPriority::new(Urgency::Signing, self.ceremony.tenant.as_u128())
    }

    /// Returns the language of texts about the attempt: that of the page where it began, or
    /// else the signer's own.
    pub(super) fn language(&self) -> Language {
        let own = || self.party().and_then(|party| party.language);
        self.attempt.language.or_else(own).unwrap_or_default()
    }

    /// Returns the signer.
    pub(super) fn party(&self) -> Option<&Signer> {
        let mut signers = self.ceremony.ceremony.signers.iter();
        signers.find(|party| party.id.uuid() == self.attempt.signer)
    }

    /// Returns the failure that makes further steps pointless, if any: the turn is lost, the
    /// deadline came before the signature, or it takes too long.
    pub(super) fn over(&self, now: Timestamp) -> Option<AttemptFailure> {
        let ceremony = &self.ceremony.ceremony;
        if !self.attempt.goes_on_in(ceremony) {
            return Some(self.attempt.loss_in(ceremony));
        }
        let turn = self.turn();
        if turn.is_some_and(|turn| turn.device_signed) {
            return None;
        }
        if now >= ceremony.expires_at {
            return Some(AttemptFailure::Cancelled);
        }
        let is_late = match turn {
            Some(turn) => now >= turn.until,
            None => self.age(now) >= ASK_WITHIN,
        };
        is_late.then_some(AttemptFailure::Timeout)
    }

    /// Returns whether the card's signature, or the app's return, has come since the step
    /// began. A step that has not seen it ends nothing.
    pub(super) fn has_signed_since(&self, now: &AttemptRow, ceremony: &CeremonyRow) -> bool {
        let had_signed = self.attempt.has_signed_in(&self.ceremony.ceremony);
        !had_signed && now.has_signed_in(&ceremony.ceremony)
    }

    /// Waits until no other signer has the turn, which may be soon. The next store takes the
    /// turn, and retries if it is taken.
    pub(super) fn await_turn(
        &self,
        chosen: ChosenCertificate,
        request: SignRequest,
        now: Timestamp,
    ) -> StepOutcome {
        if self.attempt.tries >= MAX_TURN_RETRIES {
            return StepOutcome::Unasked(AttemptFailure::SigningInProgress);
        }
        // Not earlier than the signature that was waited for.
        let time = now.as_second();
        let request = SignRequest { time, ..request };
        Next::step(Phase::Signing, AttemptStep::Prepare { chosen, request })
    }

    /// Returns whether the time limit for finishing a signature is over.
    pub(super) fn is_late(&self, now: Timestamp) -> bool {
        let device_signed = self.turn().is_some_and(|turn| turn.device_signed);
        device_signed && self.age(now) >= self.finish_within
    }

    /// Returns whether another request might prompt the signer twice. A host that died may
    /// have made the request since `since`. The provider recognises a repetition for some time
    /// only.
    pub(super) fn may_ask_twice(
        &self,
        since: Timestamp,
        now: Timestamp,
        repeats_within: Duration,
    ) -> bool {
        let window = SignedDuration::try_from(repeats_within).unwrap_or(SignedDuration::MAX);
        self.claims > 1 && now.duration_since(since) >= window
    }

    /// Returns the outcome of a step, unless it failed and it is too late for another attempt.
    /// A signature is tried at least once, however long the host was away.
    pub(super) fn conclusive(
        &self,
        outcome: Result<StepOutcome, CeremonyError>,
        now: Timestamp,
    ) -> Result<StepOutcome, CeremonyError> {
        if !self.is_late(now) {
            return outcome;
        }
        match outcome {
            Ok(
                outcome @ (StepOutcome::Signed(_)
                | StepOutcome::Failed(_)
                | StepOutcome::Unasked(_)
                | StepOutcome::Next(_)),
            ) => Ok(outcome),
            Ok(StepOutcome::PluginFailed(..)) => {
                Ok(StepOutcome::Failed(AttemptFailure::PluginFailed))
            }
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(attempt.id = %self.attempt.id, error, "the last try to finish a signature failed");
                Ok(StepOutcome::Failed(TOO_LATE))
            }
            Ok(_) => Ok(StepOutcome::Failed(TOO_LATE)),
        }
    }

    /// Returns the turn, if it is this attempt's.
    fn turn(&self) -> Option<&Turn> {
        let id = AttemptId::new(self.attempt.id);
        let turn = self.ceremony.ceremony.turn.as_ref();
        turn.filter(|turn| turn.attempt == id)
    }

    fn age(&self, now: Timestamp) -> SignedDuration {
        now.duration_since(self.attempt.started_at)
    }
}

pub(super) enum StepOutcome {
    /// The step failed; it is retried after this time.
    Again(SignedDuration),
    /// The attempt has ended without a signature.
    Failed(AttemptFailure),
    /// The attempt has ended without a signature, and the person's device was never prompted.
    Unasked(AttemptFailure),
    /// The next step follows, now.
    Next(Box<Next>),
    /// The plugin refuses this document, or has crashed on it.
    PluginFailed(CallError, PluginPin),
    /// The document is signed.
    Signed(SignedVersion),
    /// Someone else must act first; the same step is repeated at the next poll.
    Waiting(Poll),
    /// The card's app must submit something first; the same step is repeated when it does, or
    /// at this time.
    WaitingForCard(Timestamp),
    /// The app must return first; the same step is repeated when it does, or at this time.
    WaitingForReturn(Timestamp),
}

/// Stored part of an outcome.
pub(super) enum Stored {
    /// The outcome was stored.
    Outcome,
    /// The outcome was stored, and this host continues with this claim.
    GoesOn(Box<ClaimedJob>),
    /// Instead, or because of it, the end of the attempt was stored.
    Ended(AttemptFailure),
    /// Nothing was stored: the attempt has ended or progressed meanwhile.
    Nothing,
}

/// The next step.
pub(super) struct Next {
    pub(super) phase: Phase,
    pub(super) step: AttemptStep,
    pub(super) verification_code: Option<String>,
    pub(super) plugin: Option<PluginPin>,
    pub(super) device_link: Option<OpenDeviceLink>,
    /// Keyed digest of the person to be prompted, known by the certificate.
    pub(super) person: Option<String>,
}

impl Next {
    pub(super) fn step(phase: Phase, step: AttemptStep) -> StepOutcome {
        StepOutcome::Next(Box::new(Self::new(phase, step)))
    }

    /// Creates a step without further data.
    pub(super) fn new(phase: Phase, step: AttemptStep) -> Self {
        Self {
            phase,
            step,
            verification_code: None,
            plugin: None,
            device_link: None,
            person: None,
        }
    }
}

impl Stored {
    /// Logs the attempt's progress or end, and counts its end.
    pub(super) fn tell(&self, running: &Running, outcome: &StepOutcome) {
        let (ceremony, attempt) = (running.attempt.ceremony, running.attempt.id);
        match (self, outcome) {
            (Self::Ended(failure), _) => tell_end(&running.attempt, *failure),
            (Self::Outcome | Self::GoesOn(_), StepOutcome::Next(next)) => {
                tracing::debug!(signing.id = %ceremony, attempt.id = %attempt, phase = next.phase.name(), "attempt goes on");
            }
            (Self::Outcome, StepOutcome::Signed(signed)) => {
                signed.log(running);
                attempt_ended(running.attempt.method, SIGNED);
            }
            (Self::Outcome | Self::GoesOn(_) | Self::Nothing, _) => {}
        }
    }
}

/// Logs and counts the end of an attempt without a signature, once it is committed.
pub(crate) fn tell_end(attempt: &AttemptRow, failure: AttemptFailure) {
    let (ceremony, id) = (attempt.ceremony, attempt.id);
    tracing::info!(signing.id = %ceremony, attempt.id = %id, failure = failure.code(), "attempt ended");
    attempt_ended(attempt.method, failure.code());
}

/// A new version that is written, and not named by a row yet.
pub(super) struct SignedVersion {
    pub(super) version: DocumentVersion,
}

impl SignedVersion {
    /// Logs which code made the version.
    fn log(&self, running: &Running) {
        let made_by = self.version.made_by.as_ref();
        tracing::info!(
            signing.id = %running.attempt.ceremony,
            attempt.id = %running.attempt.id,
            document.sha256 = self.version.sha256,
            document.level = made_by.map(|made_by| made_by.level.as_str()),
            plugin.digest = made_by.map(|made_by| made_by.plugin.sha256.as_str()),
            "document signed"
        );
    }
}

/// Identifies the code of a plugin.
pub fn pin(plugin: &Plugin) -> PluginPin {
    PluginPin {
        id: plugin.id().to_owned(),
        version: plugin.version().to_owned(),
        sha256: plugin.digest().to_string(),
        contract: plugin.contract_version(),
    }
}
