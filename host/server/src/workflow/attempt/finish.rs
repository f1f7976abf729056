//! The device has signed: time-stamp, embed, check, store. Nothing here asks
//! the signer for anything, and it is tried again for a day.

use async_trait::async_trait;
use jiff::SignedDuration;
use parafa_domain::{AttemptFailure, AttemptId, CannotAct, Phase};
use parafa_plugin_host::{
    Answer, Answerer, DigestAlgorithm, Need, NeedKind, PluginDigest, Progress, Reply,
};
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::{Transaction, audit};
use sha2::{Digest, Sha256};

use super::prepare::plugin_failed;
use super::{FINISH_WITHIN, Running, StepOutcome, after, store_failure};
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{AttemptRow, DocumentVersion, MadeBy, PreparedSignature, SigningRow};
use crate::workflow::history::record_events;

/// How long to wait before the n-th try, in seconds; the last one repeats.
const PAUSES: [i64; 6] = [2, 5, 15, 60, 180, 600];

/// A new version, written but not yet anybody's.
pub(super) struct SignedVersion {
    version: DocumentVersion,
}

impl SignedVersion {
    /// Tells the operator which code made the version.
    pub(super) fn log(&self, running: &Running) {
        let made_by = self.version.made_by.as_ref();
        tracing::info!(
            signing.id = %running.attempt.signing,
            attempt.id = %running.attempt.id,
            document.sha256 = self.version.sha256,
            document.level = made_by.map(|made_by| made_by.level.as_str()),
            plugin.digest = made_by.map(|made_by| made_by.plugin.sha256.as_str()),
            "document signed"
        );
    }
}

/// How long to wait after so many tries.
pub(super) fn pause(tries: u32) -> SignedDuration {
    let tries = usize::try_from(tries).unwrap_or(usize::MAX);
    SignedDuration::from_secs(
        PAUSES
            .get(tries)
            .copied()
            .unwrap_or(PAUSES[PAUSES.len() - 1]),
    )
}

impl App {
    /// Finishes what the device has signed.
    pub(super) async fn finish(
        &self,
        running: &Running,
        prepared: PreparedSignature,
        value: Vec<u8>,
    ) -> Result<StepOutcome, WorkflowError> {
        let now = self.clock.now();
        let pinned = running.attempt.plugin.as_ref();
        let pinned = pinned.ok_or(WorkflowError::Inconsistent(
            "an attempt that is being finished has no plugin",
        ))?;
        let digest = pinned.sha256.parse::<PluginDigest>();
        let digest =
            digest.map_err(|_| WorkflowError::Inconsistent("a pinned plugin has no digest"))?;
        let Ok(plugin) = self.plugins.by_digest(digest) else {
            tracing::error!(plugin.digest = %digest, "the plugin that prepared a signature is not in use any more");
            return Ok(StepOutcome::Failed(AttemptFailure::ProviderUnavailable));
        };
        let newest = running
            .signing
            .newest()
            .filter(|newest| newest.bytes_id == running.attempt.base_version);
        let Some(newest) = newest else {
            return Ok(StepOutcome::Failed(AttemptFailure::DocumentChanged));
        };
        let document = self.files.read(&running.key, newest.bytes_id).await?;
        let answers = vec![Answer {
            need: prepared.need,
            outcome: Ok(value),
        }];
        let signed = match plugin
            .drive_sign(document, &prepared.request, answers, &TimestampsOf(self))
            .await
        {
            Ok(Progress::Done(signed)) => signed,
            Ok(Progress::Suspended(_))
                if now.duration_since(running.attempt.started_at) < FINISH_WITHIN =>
            {
                return Ok(StepOutcome::Again(after(now, pause(running.attempt.tries))));
            }
            Ok(Progress::Suspended(_)) => {
                return Ok(StepOutcome::Failed(AttemptFailure::TimestampUnavailable));
            }
            Err(error) => return Ok(plugin_failed(error, pinned.clone())),
        };
        let stored = self
            .files
            .write(&running.key, self.store.new_id().await?, signed.bytes)
            .await?;
        Ok(StepOutcome::Signed(SignedVersion {
            version: DocumentVersion {
                bytes_id: stored.id,
                sha256: stored.sha256.to_string(),
                bytes: stored.bytes,
                media_type: signed.outcome.media_type,
                created_at: now,
                made_by: Some(MadeBy {
                    attempt: running.attempt.id,
                    plugin: pinned.clone(),
                    level: signed.outcome.level,
                }),
            },
        }))
    }
}

/// Adds the version and moves the signing, if the attempt still has its turn.
pub(super) async fn store(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    mut attempt: AttemptRow,
    mut signing: SigningRow,
    signed: &SignedVersion,
) -> Result<(), WorkflowError> {
    let now = tx.now();
    if signing
        .newest()
        .is_none_or(|newest| newest.bytes_id != attempt.base_version)
    {
        return store_failure(tx, job, attempt, signing, AttemptFailure::DocumentChanged).await;
    }
    let events = match signing
        .signing
        .sign(AttemptId::new(attempt.id), attempt.method, now)
    {
        Ok(events) => events,
        Err(
            CannotAct::LostTurn
            | CannotAct::SignerNotOpen
            | CannotAct::SigningEnded
            | CannotAct::SignatureUnderWay,
        ) => {
            return store_failure(tx, job, attempt, signing, AttemptFailure::Cancelled).await;
        }
    };
    signing.versions.push(signed.version.clone());
    signing.plugin_faults = None;
    attempt.phase = Phase::Done;
    attempt.ended_at = Some(now);
    attempt.step = None;
    attempt.step_number += 1;
    tx.put(&attempt).await?;
    tx.put(&signing).await?;

    let mut fields = audit::Fields::new()
        .reference("attempt", attempt.id)
        .reference("signer", attempt.signer)
        .reference("document", &signed.version.sha256);
    if let Some(made_by) = &signed.version.made_by {
        fields = fields
            .reference("level", &made_by.level)
            .reference("plugin", &made_by.plugin.id)
            .reference("plugin-version", &made_by.plugin.version)
            .reference("plugin-sha256", &made_by.plugin.sha256)
            .reference("contract", &made_by.plugin.contract);
    }
    audit::append(tx, attempt.signing, "document.version", fields).await?;
    record_events(tx, attempt.signing, &events).await?;
    Ok(jobs::complete(tx, job).await?)
}

/// Gets time-stamps.
struct TimestampsOf<'a>(&'a App);

#[async_trait]
impl Answerer for TimestampsOf<'_> {
    async fn answer(&self, need: &Need) -> Reply {
        if need.kind != NeedKind::Timestamp
            || need.digest_algorithm != Some(DigestAlgorithm::Sha256)
        {
            return Reply::Answered(Err("unavailable".into()));
        }
        let imprint: [u8; 32] = Sha256::digest(&need.payload).into();
        match self
            .0
            .timestamps
            .timestamp(&imprint, self.0.clock.now())
            .await
        {
            Ok(token) => Reply::Answered(Ok(token.der)),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "no time-stamp; it is asked for again later"
                );
                Reply::NotNow
            }
        }
    }
}
