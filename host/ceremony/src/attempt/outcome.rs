//! What a step works with, and what it comes to.

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

/// How long an attempt may take until the device has signed. Providers end
/// their sessions well before; this ends what no provider ends.
pub(crate) const ASK_WITHIN: SignedDuration = SignedDuration::from_mins(15);

/// How long an attempt has its turn at most until the device has signed.
pub(crate) const TURN: SignedDuration = ASK_WITHIN;

/// How an attempt ends whose signature was not finished in time.
pub(super) const TOO_LATE: AttemptFailure = AttemptFailure::TimestampUnavailable;

/// Retries, a second apart, of an attempt that waits for its turn. The signer's
/// app is open meanwhile, and is not asked until then.
const MAX_TURN_RETRIES: u32 = 120;

/// All that a step works with.
pub(super) struct Running {
    pub(super) attempt: AttemptRow,
    pub(super) ceremony: CeremonyRow,
    /// How often this step was claimed, this time included.
    pub(super) claims: u32,
    /// How long a signature that a device has made is worth finishing.
    pub(super) finish_within: SignedDuration,
}

impl Running {
    /// When calls of plugins for it have their turns: a person waits.
    pub(super) fn call_priority(&self) -> CallPriority {
        CallPriority::new(Urgency::Signing, self.ceremony.tenant.as_u128())
    }

    /// In which the signer is told of the attempt: that of the page that it was
    /// begun on, or else their own.
    pub(super) fn language(&self) -> Language {
        let own = || self.party().and_then(|party| party.language);
        self.attempt.language.or_else(own).unwrap_or_default()
    }

    /// Who signs.
    pub(super) fn party(&self) -> Option<&Signer> {
        let mut signers = self.ceremony.ceremony.signers.iter();
        signers.find(|party| party.id.uuid() == self.attempt.signer)
    }

    /// Why no further step is worth doing, if so: the turn is lost, the
    /// deadline came before the signature, or it takes too long.
    pub(super) fn over(&self, now: Timestamp) -> Option<AttemptFailure> {
        let signing = &self.ceremony.ceremony;
        if !self.attempt.goes_on_in(signing) {
            return Some(self.attempt.loss_in(signing));
        }
        let turn = self.turn();
        if turn.is_some_and(|turn| turn.device_signed) {
            return None;
        }
        if now >= signing.expires_at {
            return Some(AttemptFailure::Cancelled);
        }
        let is_late = match turn {
            Some(turn) => now >= turn.until,
            None => self.age(now) >= ASK_WITHIN,
        };
        is_late.then_some(AttemptFailure::Timeout)
    }

    /// Whether the card's signature, or the app's return, has come since the step was begun. A
    /// step that has not seen it ends nothing.
    pub(super) fn has_signed_since(&self, now: &AttemptRow, ceremony: &CeremonyRow) -> bool {
        let had_signed = self.attempt.has_signed_in(&self.ceremony.ceremony);
        !had_signed && now.has_signed_in(&ceremony.ceremony)
    }

    /// Waits until no other signer has the turn: the one who has it may be quick.
    /// What is stored next takes it, and looks again where it is not free.
    pub(super) fn await_turn(
        &self,
        chosen: ChosenCertificate,
        request: SignRequest,
        now: Timestamp,
    ) -> StepOutcome {
        if self.attempt.tries >= MAX_TURN_RETRIES {
            return StepOutcome::Unasked(AttemptFailure::SigningInProgress);
        }
        // Not before the signature that was waited for.
        let time = now.as_second();
        let request = SignRequest { time, ..request };
        Next::step(Phase::Signing, AttemptStep::Prepare { chosen, request })
    }

    /// Whether the time is over in which a signature is worth finishing.
    pub(super) fn is_late(&self, now: Timestamp) -> bool {
        let device_signed = self.turn().is_some_and(|turn| turn.device_signed);
        device_signed && self.age(now) >= self.finish_within
    }

    /// Whether the signer may have been asked since `since` by a host that died
    /// before it could say so, and would be asked a second time now: the
    /// provider may not take the same request for a repetition any more, as it
    /// surely does for some time.
    pub(super) fn may_ask_twice(
        &self,
        since: Timestamp,
        now: Timestamp,
        repeats_within: Duration,
    ) -> bool {
        let window = SignedDuration::try_from(repeats_within).unwrap_or(SignedDuration::MAX);
        self.claims > 1 && now.duration_since(since) >= window
    }

    /// What a step came to, unless it came to nothing and it is too late for
    /// another try. A signature is not given up untried, however long the host
    /// was away.
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

    /// The turn, if it is this attempt's.
    fn turn(&self) -> Option<&Turn> {
        let id = AttemptId::new(self.attempt.id);
        let turn = self.ceremony.ceremony.turn.as_ref();
        turn.filter(|turn| turn.attempt == id)
    }

    fn age(&self, now: Timestamp) -> SignedDuration {
        now.duration_since(self.attempt.started_at)
    }
}

/// What a step came to.
pub(super) enum StepOutcome {
    /// It went wrong; the same step again, after so long.
    Again(SignedDuration),
    /// The attempt has ended without a signature.
    Failed(AttemptFailure),
    /// The same, and the person's device was never asked.
    Unasked(AttemptFailure),
    /// The next step, now.
    Next(Box<Next>),
    /// The plugin refuses this document, or has crashed on it.
    PluginFailed(CallError, PluginPin),
    /// The document is signed.
    Signed(SignedVersion),
    /// Somebody else has to act first; the same step again, as the poll for it
    /// allows.
    Waiting(Poll),
    /// The card's app has to hand something over first; the same step again when
    /// it does, or then.
    WaitingForCard(Timestamp),
    /// The app has to come back first; the same step again when it does, or
    /// then.
    WaitingForReturn(Timestamp),
}

/// What was stored of an outcome.
pub(super) enum Stored {
    /// What the step came to.
    Outcome,
    /// The same, and this host goes on with it by this claim.
    GoesOn(Box<ClaimedJob>),
    /// Instead, or because of it, the end of the attempt.
    Ended(AttemptFailure),
    /// Nothing: the attempt has ended or got on meanwhile.
    Nothing,
}

/// The next step.
pub(super) struct Next {
    pub(super) phase: Phase,
    pub(super) step: AttemptStep,
    pub(super) verification_code: Option<String>,
    pub(super) plugin: Option<PluginPin>,
    pub(super) device_link: Option<OpenDeviceLink>,
    /// Keyed digest of the person who will be asked, known by their certificate.
    pub(super) person: Option<String>,
}

impl Next {
    pub(super) fn step(phase: Phase, step: AttemptStep) -> StepOutcome {
        StepOutcome::Next(Box::new(Self::new(phase, step)))
    }

    /// A step that brings nothing along.
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
    /// One line for the operator when the attempt has got on or has ended, and
    /// its end counted.
    pub(super) fn tell(&self, running: &Running, outcome: &StepOutcome) {
        let (signing, attempt) = (running.attempt.ceremony, running.attempt.id);
        match (self, outcome) {
            (Self::Ended(failure), _) => tell_end(&running.attempt, *failure),
            (Self::Outcome | Self::GoesOn(_), StepOutcome::Next(next)) => {
                tracing::debug!(signing.id = %signing, attempt.id = %attempt, phase = next.phase.name(), "attempt goes on");
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
    let (signing, id) = (attempt.ceremony, attempt.id);
    tracing::info!(signing.id = %signing, attempt.id = %id, failure = failure.code(), "attempt ended");
    attempt_ended(attempt.method, failure.code());
}

/// A new version, written but not yet anybody's.
pub(super) struct SignedVersion {
    pub(super) version: DocumentVersion,
}

impl SignedVersion {
    /// Tells the operator which code made the version.
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

/// Which code a plugin is.
pub fn pin(plugin: &Plugin) -> PluginPin {
    PluginPin {
        id: plugin.id().to_owned(),
        version: plugin.version().to_owned(),
        sha256: plugin.digest().to_string(),
        contract: plugin.contract_version(),
    }
}
