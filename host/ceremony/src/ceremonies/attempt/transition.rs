//! Stores the outcome of a step: attempt, ceremony, job and audit event change together.

use jiff::{SignedDuration, Timestamp};
use parafa_domain::{AttemptFailure, AttemptId, CannotBegin, Phase};
use parafa_platform::jobs::LEASE;
use parafa_plugin_host::{CallError, FaultKind};
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::keys::DataKey;
use parafa_store::{Transaction, audit};

use super::card;
use super::end::{end, forget};
use super::outcome::{Next, SignedVersion, Stored, TURN};
use crate::error::CeremonyError;
use crate::owner::Owners;
use crate::records::{AttemptRow, CeremonyRow, PluginFaults, PluginPin};
use crate::{change, deadline, notices, prompts, sealing};

/// Interval between checks for a free turn.
const TURN_PAUSE: SignedDuration = SignedDuration::from_secs(1);
/// Failures of one plugin at one version after which the ceremony fails.
const MAX_PLUGIN_FAULTS: u32 = 3;
/// Pause after such a failure once the device has signed: an operator may replace the plugin
/// meanwhile.
const AFTER_PLUGIN_FAULT: SignedDuration = SignedDuration::from_mins(5);

/// Pauses before the n-th retry, in seconds; the last one repeats.
const PAUSES: [i64; 6] = [2, 5, 15, 60, 180, 600];

/// Returns the pause after this many attempts.
pub(super) fn pause(tries: u32) -> SignedDuration {
    let tries = usize::try_from(tries).unwrap_or(usize::MAX);
    SignedDuration::from_secs(
        PAUSES
            .get(tries)
            .copied()
            .unwrap_or(PAUSES[PAUSES.len() - 1]),
    )
}

/// Gives an attempt its turn, to sign the present newest version.
pub(crate) fn take_turn(
    attempt: &mut AttemptRow,
    row: &mut CeremonyRow,
    now: Timestamp,
) -> Result<(), CannotBegin> {
    let id = AttemptId::new(attempt.id);
    row.ceremony.take_turn(id, now, shifted(now, TURN))?;
    attempt.awaits_turn = false;
    if let Some(newest) = row.newest() {
        attempt.base_version = newest.bytes_id;
    }
    Ok(())
}

pub(super) async fn store_again(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    mut attempt: AttemptRow,
    tries: u32,
    due: Timestamp,
) -> Result<Stored, CeremonyError> {
    attempt.tries = tries;
    tx.put(&attempt).await?;
    jobs::retry(tx, job, due).await?;
    Ok(Stored::Outcome)
}

pub(super) async fn store_next(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    key: &DataKey,
    mut attempt: AttemptRow,
    mut row: CeremonyRow,
    next: &Next,
) -> Result<Stored, CeremonyError> {
    let now = tx.now();
    let id = AttemptId::new(attempt.id);
    if attempt.awaits_turn && next.step.needs_turn() {
        match take_turn(&mut attempt, &mut row, now) {
            Ok(()) => {}
            Err(CannotBegin::Busy) => {
                let (tries, due) = (attempt.tries + 1, shifted(now, TURN_PAUSE));
                return store_again(tx, job, attempt, tries, due).await;
            }
            Err(_) => {
                let failure = AttemptFailure::Cancelled;
                return store_failure(tx, job, attempt, row, failure).await;
            }
        }
    }
    // A lapsed turn does not prevent an archive from becoming the newest version.
    if next.step.needs_turn() && !row.is_newest(attempt.base_version) {
        let failure = AttemptFailure::DocumentChanged;
        return store_failure(tx, job, attempt, row, failure).await;
    }
    let kept = if next.step.holds_signature() {
        // Earlier failures did not concern this signature.
        row.plugin_faults = None;
        row.ceremony.device_signed(id, now)
    } else if next.step.asks_device() {
        row.ceremony.ask_device(id, next.step.answer_until())
    } else {
        Ok(())
    };
    if kept.is_err() {
        return store_failure(tx, job, attempt, row, AttemptFailure::Cancelled).await;
    }
    if !attempt.phase.may_become(next.phase) {
        return Err(CeremonyError::Inconsistent(
            "an attempt went from one phase to one that cannot follow",
        ));
    }
    if next.step.holds_signature() {
        prompts::end(tx, &mut attempt, true).await?;
    } else if attempt.person.is_none()
        && let Some(person) = &next.person
        && prompts::begin(tx, &mut attempt, person).await?.is_some()
    {
        let failure = AttemptFailure::TooManyAttempts;
        return store_failure(tx, job, attempt, row, failure).await;
    }
    attempt.phase = next.phase;
    attempt.step = Some(sealing::seal(key, attempt.id, &next.step)?);
    attempt.step_number += 1;
    attempt.tries = 0;
    attempt.card_submission = None;
    if next.verification_code.is_some() {
        attempt
            .verification_code
            .clone_from(&next.verification_code);
    }
    if next.plugin.is_some() {
        attempt.plugin.clone_from(&next.plugin);
    }
    if let Some(link) = &next.device_link {
        attempt.device_link = Some(sealing::seal(key, attempt.id, link)?);
    }
    tx.put(&attempt).await?;
    tx.put(&row).await?;
    if let Some(until) = next.step.answer_until() {
        // A card's app brings it forward when it submits its signature.
        jobs::retry(tx, job, until).await?;
        return Ok(Stored::Outcome);
    }
    // If a provider is queried next, the claim shows the next host after a crash that the signer
    // may have been prompted.
    let claim = jobs::go_on(tx, job, LEASE).await?;
    Ok(claim.map_or(Stored::Outcome, |claim| Stored::GoesOn(Box::new(claim))))
}

pub(super) async fn store_failure(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    attempt: AttemptRow,
    mut row: CeremonyRow,
    failure: AttemptFailure,
) -> Result<Stored, CeremonyError> {
    row.ceremony.end_turn(AttemptId::new(attempt.id));
    tx.put(&row).await?;
    end(tx, attempt, failure).await?;
    // The ceremony may have failed with it, for all who have shown a code.
    change::settle_attempts(tx, &row).await?;
    deadline::wait_no_longer(tx, &row).await?;
    jobs::complete(tx, job).await?;
    Ok(Stored::Ended(failure))
}

/// Stores the outcome of a plugin's failure. During preparation, a refusal ends the ceremony, and a
/// failure the attempt. Once the device has signed, the call is retried. A reproducible failure
/// ends the ceremony after three times; a failure that the host or its load may have caused never
/// does.
pub(super) async fn store_plugin_failure(
    tx: &mut Transaction<'_>,
    owners: &Owners,
    job: &ClaimedJob,
    key: &DataKey,
    attempt: AttemptRow,
    mut row: CeremonyRow,
    (error, pin): (&CallError, &PluginPin),
) -> Result<Stored, CeremonyError> {
    let is_finishing = attempt.phase == Phase::Completing;
    let is_counted = is_deterministic(error);
    let faults = if is_counted {
        count_fault(&mut row, &attempt, pin)
    } else {
        0
    };
    let is_refused_at_first = matches!(error, CallError::Refused(_)) && !is_finishing;
    if is_refused_at_first || faults >= MAX_PLUGIN_FAULTS {
        let events = row.ceremony.fail(tx.now());
        row.detail = Some(detail(error));
        notices::record(tx, owners, key, &row, &events).await?;
    } else if is_finishing {
        let pause = if is_counted {
            AFTER_PLUGIN_FAULT
        } else {
            pause(attempt.tries)
        };
        let (tries, again) = (attempt.tries + 1, shifted(tx.now(), pause));
        tx.put(&row).await?;
        return store_again(tx, job, attempt, tries, again).await;
    }
    let failure = AttemptFailure::PluginFailed;
    store_failure(tx, job, attempt, row, failure).await
}

/// Returns whether the same call would fail in the same way on an idle host.
fn is_deterministic(error: &CallError) -> bool {
    match error {
        CallError::Refused(_) => true,
        CallError::Fault(fault) => !matches!(
            fault.kind,
            FaultKind::Host(_) | FaultKind::MemoryLimit { .. } | FaultKind::TimedOut { .. }
        ),
    }
}

/// Counts a failure of this plugin at the attempt's version; returns the count.
fn count_fault(row: &mut CeremonyRow, attempt: &AttemptRow, pin: &PluginPin) -> u32 {
    let version = attempt.base_version;
    let earlier = row
        .plugin_faults
        .take()
        .filter(|faults| faults.version == version);
    let by_preparer = attempt.plugin.as_ref().is_some_and(|preparer| {
        let before = earlier.as_ref();
        preparer.sha256 == pin.sha256 || before.is_some_and(|faults| faults.is_by(&preparer.sha256))
    });
    let same = earlier.filter(|faults| faults.plugin_sha256 == pin.sha256);
    let count = same.map_or(0, |faults| faults.count) + 1;
    row.plugin_faults = Some(PluginFaults {
        version,
        plugin_sha256: pin.sha256.clone(),
        count,
        by_preparer,
    });
    count
}

/// Describes the failure of a ceremony to the caller.
fn detail(error: &CallError) -> String {
    match error {
        CallError::Refused(refusal) => {
            format!("The document cannot be signed ({}).", code(&refusal.code))
        }
        CallError::Fault(_) => "The document could not be processed for signing.".to_owned(),
    }
}

/// Returns a refusal's code, or a substitute if it is not in the catalogue's form: the rest of a
/// refusal may quote the document.
fn code(code: &str) -> &str {
    let is_code = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    if code.len() <= 64 && code.bytes().all(is_code) {
        code
    } else {
        "refused"
    }
}

/// Adds the version and advances the ceremony, if the attempt still has its turn.
pub(super) async fn store_signed(
    tx: &mut Transaction<'_>,
    owners: &Owners,
    job: &ClaimedJob,
    key: &DataKey,
    mut attempt: AttemptRow,
    mut row: CeremonyRow,
    signed: &SignedVersion,
) -> Result<Stored, CeremonyError> {
    let now = tx.now();
    if !row.is_newest(attempt.base_version) {
        return store_failure(tx, job, attempt, row, AttemptFailure::DocumentChanged).await;
    }
    let id = AttemptId::new(attempt.id);
    let Ok(events) = row.ceremony.sign(id, attempt.method, now) else {
        return store_failure(tx, job, attempt, row, AttemptFailure::Cancelled).await;
    };
    row.versions.push(signed.version.clone());
    row.plugin_faults = None;
    attempt.phase = Phase::Done;
    attempt.ended_at = Some(now);
    prompts::end(tx, &mut attempt, true).await?;
    card::unlink(tx, &mut attempt).await?;
    forget(&mut attempt);
    tx.put(&attempt).await?;
    tx.put(&row).await?;

    let mut fields = audit::Fields::new()
        .reference("attempt", attempt.id)
        .reference("signer", attempt.signer)
        .reference("document", &signed.version.sha256);
    if let Some(made_by) = &signed.version.made_by {
        fields = made_by.audited(fields);
    }
    audit::append(tx, attempt.ceremony, "document.version", fields).await?;
    change::settle_attempts(tx, &row).await?;
    deadline::wait_no_longer(tx, &row).await?;
    notices::record(tx, owners, key, &row, &events).await?;
    jobs::complete(tx, job).await?;
    Ok(Stored::Outcome)
}
