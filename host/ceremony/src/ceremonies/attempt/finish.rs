//! Finishing a device's signature: time-stamp, embed, check, store. Nothing here
//! needs the signer, and it is retried for a day.

use std::sync::Arc;

use jiff::Timestamp;
use parafa_domain::AttemptFailure;
use parafa_platform::plugins::is_disabled;
use parafa_plugin_host::{
    Answer, Capability, ContractBreach, DigestAlgorithm, HostPayload, LookupError, Need, NeedKind,
    Plugin, PluginDigest, Progress, SignedDocument, Suspension, reason,
};
use parafa_store::keys::DataKey;
use parafa_store::{Sha256Digest, Transaction};
use parafa_trust::TimestampToken;

use super::outcome::{Running, SignedVersion, StepOutcome, Stored, pin};
use super::prepare::{NoAnswers, broken, plugin_failed};
use super::transition::pause;
use crate::ceremonies::Ceremonies;
use crate::error::CeremonyError;
use crate::records::{DocumentVersion, MadeBy, PreparedSignature, SignedWith};
use crate::sealing;

/// Most calls of the plugin for one signature, each with the answers to the previous
/// one's needs.
const MOST_ROUNDS: u32 = 8;

impl Ceremonies {
    /// Finishes the device's signature.
    pub(super) async fn finish(
        &self,
        running: &Running,
        key: &DataKey,
        prepared: PreparedSignature,
        value: Vec<u8>,
    ) -> Result<StepOutcome, CeremonyError> {
        let now = self.records.store.now().await?;
        let plugin = match self.finisher(running).await? {
            Ok(plugin) => plugin.prioritized(running.call_priority()),
            Err(error @ LookupError::Disabled(_)) => {
                tracing::error!(%error, "an unfinished signature is given up");
                return Ok(StepOutcome::Failed(AttemptFailure::PluginFailed));
            }
            // An operator may install one.
            Err(error) => {
                tracing::error!(%error, "a signature waits for its plugin");
                return Ok(StepOutcome::Again(pause(running.attempt.tries)));
            }
        };
        let newest = running
            .ceremony
            .newest()
            .filter(|newest| newest.bytes_id == running.attempt.base_version);
        let Some(newest) = newest else {
            return Ok(StepOutcome::Failed(AttemptFailure::DocumentChanged));
        };
        let mut answers = vec![Answer {
            need: prepared.need,
            outcome: Ok(value),
        }];
        let mut time_stamped_at = None;
        for _ in 0..MOST_ROUNDS {
            let turn = self.document_turns.take(plugin.id()).await;
            let document = self.read_document(key, newest.bytes_id).await?;
            let request = &prepared.request;
            let progress = plugin.drive_sign(document, request, answers, &NoAnswers);
            let suspension = match progress.await {
                Ok(Progress::Done(signed)) => {
                    let (was, is) = (&newest.media_type, &signed.outcome.media_type);
                    if let Err(fault) = plugin.check_same_media_type(Capability::Sign, was, is) {
                        return Ok(plugin_failed(fault.into(), pin(&plugin)));
                    }
                    let signer = request.signer_chain.first();
                    let signed_with = signer.map(|certificate| SignedWith {
                        certificate_sha256: Sha256Digest::of(certificate).to_string(),
                        time_stamped_at,
                    });
                    let written = self.written(running, key, &plugin, *signed, now, signed_with);
                    return written.await;
                }
                Ok(Progress::Suspended(suspension)) => suspension,
                Err(error) => return Ok(plugin_failed(error, pin(&plugin))),
            };
            // The services to query may take long to answer.
            drop(turn);
            answers = match self.answered(suspension, &mut time_stamped_at).await {
                Some(answers) => answers,
                None => {
                    return Ok(StepOutcome::Again(pause(running.attempt.tries)));
                }
            };
        }
        let breach = ContractBreach::TooManyRounds(MOST_ROUNDS);
        Ok(broken(&plugin, breach))
    }

    /// Stores the bytes of a signed document, before a row names them.
    async fn written(
        &self,
        running: &Running,
        key: &DataKey,
        plugin: &Plugin,
        signed: SignedDocument,
        now: Timestamp,
        signed_with: Option<SignedWith>,
    ) -> Result<StepOutcome, CeremonyError> {
        let id = self.records.store.new_id().await?;
        let document = signed.document;
        // The document begins with bytes that were hashed for the signature.
        let digest = move |_: &[u8]| Sha256Digest::from(document.sha256());
        let files = &self.records.files;
        let stored = files.write_digested(key, id, signed.bytes, digest).await?;
        let signed_with = signed_with
            .map(|signed_with| sealing::seal(key, stored.id, &signed_with))
            .transpose()?;
        let outcome = signed.outcome;
        let made_by = MadeBy {
            attempt: Some(running.attempt.id),
            plugin: pin(plugin),
            level: outcome.level,
            signed_with,
        };
        Ok(StepOutcome::Signed(SignedVersion {
            version: DocumentVersion::of(stored, outcome.media_type, now, Some(made_by)),
        }))
    }

    /// Returns the plugin that prepared the signature, or its replacement if it has
    /// failed at this document or is no longer available. The host checks either
    /// plugin's output against the same prepared bytes. A disabled plugin is not
    /// replaced, and one that cannot be fetched now is waited for.
    pub(super) async fn finisher(
        &self,
        running: &Running,
    ) -> Result<Result<Arc<Plugin>, LookupError>, CeremonyError> {
        let pinned = running.attempt.plugin.as_ref();
        let pinned = pinned.ok_or(CeremonyError::Inconsistent(
            "an attempt that is being finished has no plugin",
        ))?;
        let digest = pinned.sha256.parse::<PluginDigest>();
        let digest =
            digest.map_err(|_| CeremonyError::Inconsistent("a pinned plugin has no digest"))?;
        let found = self.plugin_source.plugin(digest).await?;
        let faults = running.ceremony.plugin_faults.as_ref();
        let has_failed = faults.is_some_and(|faults| {
            faults.version == running.attempt.base_version && faults.is_by(&pinned.sha256)
        });
        let wants_stand_in = match &found {
            Ok(_) => has_failed,
            Err(LookupError::Disabled(_)) => false,
            Err(_) => true,
        };
        let stand_in = wants_stand_in.then(|| self.plugins.by_id(&pinned.id));
        Ok(stand_in.flatten().map_or(found, Ok))
    }
}

/// Returns whether the plugin that made a version was disabled, on any host, while
/// it waited for a time-stamp.
pub(super) async fn is_withdrawn(
    tx: &mut Transaction<'_>,
    signed: &SignedVersion,
) -> Result<bool, CeremonyError> {
    let Some(made_by) = &signed.version.made_by else {
        return Ok(false);
    };
    let digest = &made_by.plugin.sha256;
    let is_withdrawn = is_disabled(tx, digest).await?;
    if is_withdrawn {
        tracing::error!(
            plugin.digest = digest,
            "a signature that a disabled plugin made is given up"
        );
    }
    Ok(is_withdrawn)
}

impl Ceremonies {
    /// Removes the bytes of a signed version that is known not to be stored. Where
    /// that is unknown, they are kept, or swept later.
    pub(super) async fn discard_what_is_lost(
        &self,
        stored: &Result<Stored, CeremonyError>,
        outcome: &StepOutcome,
    ) {
        let StepOutcome::Signed(signed) = outcome else {
            return;
        };
        let is_lost = match stored {
            Ok(Stored::Outcome | Stored::GoesOn(_)) => false,
            Ok(Stored::Ended(_) | Stored::Nothing) => true,
            Err(error) => error.proves_nothing_stored(),
        };
        if is_lost {
            self.records.discard_bytes(signed.version.bytes_id).await;
        }
    }
}

impl Ceremonies {
    /// Answers a plugin's needs, and notes the time of a time-stamp among them;
    /// `None` while a service is down.
    async fn answered(
        &self,
        suspension: Suspension,
        time_stamped_at: &mut Option<Timestamp>,
    ) -> Option<Vec<Answer>> {
        let Suspension { needs, mut answers } = suspension;
        for need in needs {
            let token = self.time_stamp(&need).await?;
            if let Ok(token) = &token {
                *time_stamped_at = Some(token.gen_time);
            }
            let outcome = token.map(|token| token.der);
            answers.push(Answer { need, outcome });
        }
        Some(answers)
    }

    /// Returns a time-stamp, or the reason why there will never be one; `None` while
    /// the service is down.
    async fn time_stamp(&self, need: &Need) -> Option<Result<TimestampToken, String>> {
        if need.kind != NeedKind::Timestamp
            || need.digest_algorithm != Some(DigestAlgorithm::Sha256)
        {
            return Some(Err(reason::UNAVAILABLE.into()));
        }
        let imprint = need.payload.digest(DigestAlgorithm::Sha256);
        let Some(imprint) = imprint.and_then(|imprint| imprint.try_into().ok()) else {
            return Some(Err(reason::UNAVAILABLE.into()));
        };
        match self.timestamps.timestamp(&imprint, self.clock.now()).await {
            Ok(token) => Some(Ok(token)),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "no time-stamp; retrying later"
                );
                None
            }
        }
    }
}
