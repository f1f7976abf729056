//! Preparation by the plugin and request to the device: two steps, so that the
//! request is stored before the signer is prompted.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use parafa_domain::{AttemptFailure, Phase, SigningMethod};
use parafa_eid::AskedFor;
use parafa_eid::card::verification_code;
use parafa_plugin_host::{
    Answerer, CallError, ContractBreach, Fault, HostPayload, Need, NeedKind, Payload, Plugin,
    Progress, Reply, SignRequest,
};
use parafa_store::keys::DataKey;
use uuid::Uuid;

use super::card;
use super::outcome::{Next, Running, StepOutcome, pin};
use crate::ceremonies::Ceremonies;
use crate::error::CeremonyError;
use crate::plugin_failure;
use crate::records::{AttemptStep, ChosenCertificate, PluginPin, PreparedSignature};

/// Most bytes to be signed that are kept in the attempt's row while a person
/// decides. Of longer ones only the digest is kept, and the plugin must make the
/// same bytes again.
const KEPT_BYTES: usize = 16 * 1024;

const NO_BYTES: ContractBreach =
    ContractBreach::Missing("what a person signs, in place of a digest,");
const NO_SIGNATURE_ASKED: ContractBreach = ContractBreach::Missing("a need for a signature");
const OTHERWISE: &str = "a plugin prepares a signature otherwise than it did";

impl Ceremonies {
    /// Lets the plugin prepare the bytes to be signed.
    pub(super) async fn prepare_attempt(
        &self,
        running: &Running,
        key: &DataKey,
        chosen: ChosenCertificate,
        request: SignRequest,
    ) -> Result<StepOutcome, CeremonyError> {
        let Some(newest) = running
            .ceremony
            .newest()
            .filter(|newest| newest.bytes_id == running.attempt.base_version)
        else {
            return Ok(StepOutcome::Failed(AttemptFailure::DocumentChanged));
        };
        let Some(plugin) = self.plugins.by_id(&running.ceremony.format) else {
            tracing::error!(
                plugin.id = running.ceremony.format,
                "no plugin for a signing in progress"
            );
            return Ok(StepOutcome::Failed(AttemptFailure::PluginFailed));
        };
        let plugin = plugin.prioritized(running.call_priority());
        let asked = self.asked(&plugin, key, newest.bytes_id, &request).await?;
        let need = match asked {
            Ok(need) => need,
            Err(error) => return Ok(plugin_failed(error, pin(&plugin))),
        };
        let Some(bytes) = need.payload.as_bytes() else {
            return Ok(broken(&plugin, NO_BYTES));
        };
        let code = verification_code(bytes);
        let algorithm = request.signature_algorithm.digest();
        let payload = need.payload.at_most(KEPT_BYTES, algorithm);
        let need = Need { payload, ..need };
        let prepared = PreparedSignature { request, need };
        let now = self.records.store.now().await?;
        let next = match running.attempt.method {
            SigningMethod::Nfc => card::ask(chosen, prepared, code, now),
            _ => Next::new(
                Phase::Signing,
                AttemptStep::Ask {
                    chosen,
                    prepared,
                    asked_at: now,
                },
            ),
        };
        Ok(StepOutcome::Next(Box::new(Next {
            plugin: Some(pin(&plugin)),
            ..next
        })))
    }

    /// Returns the signature that the plugin needs.
    async fn asked(
        &self,
        plugin: &Plugin,
        key: &DataKey,
        document: Uuid,
        request: &SignRequest,
    ) -> Result<Result<Need, CallError>, CeremonyError> {
        let _turn = self.document_turns.take(plugin.id()).await;
        let document = self.read_document(key, document).await?;
        let progress = plugin.drive_sign(document, request, Vec::new(), &NoAnswers);
        let needs = match progress.await {
            Ok(Progress::Suspended(suspension)) => suspension.needs,
            Ok(Progress::Done(_)) => Vec::new(),
            Err(error) => return Ok(Err(error)),
        };
        let mut needs = needs.into_iter();
        let need = needs.find(|need| need.kind == NeedKind::Signature);
        Ok(need.ok_or_else(|| fault_of(plugin, NO_SIGNATURE_ASKED)))
    }

    /// Returns the bytes to be signed, made again if they are too long to be
    /// kept; different ones are an error.
    pub(crate) async fn to_be_signed(
        &self,
        attempt: Uuid,
        key: &DataKey,
        prepared: PreparedSignature,
    ) -> Result<Vec<u8>, CeremonyError> {
        let PreparedSignature { request, need } = prepared;
        let kept = match need.payload {
            Payload::Bytes(bytes) => return Ok(bytes),
            digest => digest,
        };
        let running = self.running(attempt, 0).await?;
        let running = running.ok_or(CeremonyError::NotFound)?;
        let plugin = self.finisher(&running).await?;
        let plugin = plugin.map_err(|_| CeremonyError::OutOfUse {
            format: running.ceremony.format.clone(),
            done: "prepared for a card",
        })?;
        let plugin = plugin.prioritized(running.call_priority());
        let document = running.attempt.base_version;
        let made = match self.asked(&plugin, key, document, &request).await? {
            Ok(need) => need.payload,
            Err(CallError::Fault(fault)) => return Err(CeremonyError::Plugin(Box::new(fault))),
            Err(CallError::Refused(_)) => return Err(CeremonyError::Inconsistent(OTHERWISE)),
        };
        let is_same = made.is_of_same_bytes(&kept);
        match made {
            Payload::Bytes(bytes) if is_same => Ok(bytes),
            _ => Err(CeremonyError::Inconsistent(OTHERWISE)),
        }
    }

    /// Requests the signature from the device. It is unknown whether a host that
    /// died had requested it already. Where the provider would take a repetition
    /// for a new request, the signer is not prompted again.
    pub(super) async fn ask(
        &self,
        running: &Running,
        chosen: &ChosenCertificate,
        prepared: PreparedSignature,
        asked_at: Timestamp,
    ) -> Result<StepOutcome, CeremonyError> {
        let provider = self.provider(running)?;
        let window = provider.repeats_within(AskedFor::Signature);
        if running.may_ask_twice(asked_at, self.records.store.now().await?, window) {
            return Ok(StepOutcome::Failed(AttemptFailure::Timeout));
        }
        match self.request_signature(running, chosen, &prepared).await? {
            Ok(asked) => Ok(StepOutcome::Next(Box::new(Next {
                verification_code: asked.verification_code,
                ..Next::new(
                    Phase::WaitingForUser,
                    AttemptStep::AwaitSignature {
                        session: asked.session,
                        prepared,
                        must_return: provider.is_on_same_device(&chosen.certificate),
                    },
                )
            }))),
            // The certificate was not requested either.
            Err(failure) if provider.repeats_within(AskedFor::Certificate) == Duration::MAX => {
                Ok(StepOutcome::Unasked(failure))
            }
            Err(failure) => Ok(StepOutcome::Failed(failure)),
        }
    }
}

/// Returns the failure of a plugin that broke its contract.
pub(super) fn broken(plugin: &Plugin, breach: ContractBreach) -> StepOutcome {
    plugin_failed(fault_of(plugin, breach), pin(plugin))
}

fn fault_of(plugin: &Plugin, breach: ContractBreach) -> CallError {
    let fault = Fault {
        plugin: plugin.id().to_owned(),
        digest: plugin.digest(),
        kind: breach.into(),
    };
    fault.into()
}

/// Logs a failure of the plugin and returns the outcome.
pub(super) fn plugin_failed(error: CallError, pin: PluginPin) -> StepOutcome {
    tracing::error!(
        plugin.id = pin.id,
        plugin.digest = pin.sha256,
        failure = plugin_failure::words(&error),
        "an accepted document cannot be signed"
    );
    StepOutcome::PluginFailed(error, pin)
}

/// Source of no answers: someone must act first, and the document is not kept in
/// memory meanwhile.
pub(super) struct NoAnswers;

#[async_trait]
impl Answerer for NoAnswers {
    async fn answer(&self, _need: &Need) -> Reply {
        Reply::NotNow
    }
}
