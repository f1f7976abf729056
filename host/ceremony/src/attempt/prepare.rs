//! The plugin prepares the signature, and the device is asked for it: two
//! steps, so that what is asked for is stored before anybody is asked.

use async_trait::async_trait;
use jiff::Timestamp;
use parafa_domain::{AttemptFailure, Phase, SigningMethod};
use parafa_eid::AskedFor;
use parafa_plugin_host::{
    Answerer, CallError, ContractBreach, Fault, Need, NeedKind, Payload, Plugin, Progress, Reply,
    SignRequest,
};
use parafa_store::keys::DataKey;

use super::outcome::{Next, Running, StepOutcome, pin};
use super::{Attempts, card};
use crate::error::CeremonyError;
use crate::plugin_failure;
use crate::records::{AttemptStep, ChosenCertificate, PluginPin, PreparedSignature};

/// Longest bytes to be signed that are kept in the attempt's row, for as long as
/// a person takes; of longer ones their digest is, against which the plugin is
/// held that makes them anew.
const KEPT_BYTES: usize = 16 * 1024;

const NO_BYTES: ContractBreach =
    ContractBreach::Missing("what a person signs, in place of a digest,");
const NO_SIGNATURE_ASKED: ContractBreach = ContractBreach::Missing("a need for a signature");

impl Attempts {
    /// Has the plugin say what is to be signed.
    pub(super) async fn prepare(
        &self,
        running: &Running,
        key: &DataKey,
        chosen: ChosenCertificate,
        request: SignRequest,
    ) -> Result<StepOutcome, CeremonyError> {
        let Some(newest) = running
            .signing
            .newest()
            .filter(|newest| newest.bytes_id == running.attempt.base_version)
        else {
            return Ok(StepOutcome::Failed(AttemptFailure::DocumentChanged));
        };
        let Some(plugin) = self.plugins.by_id(&running.signing.format) else {
            tracing::error!(
                plugin.id = running.signing.format,
                "no plugin for a signing in progress"
            );
            return Ok(StepOutcome::Failed(AttemptFailure::ProviderUnavailable));
        };
        let plugin = plugin.prioritized(running.call_priority());
        let turn = self.document_turns.take(plugin.id()).await;
        let document = self.document(key, newest.bytes_id).await?;
        let suspension = match plugin
            .drive_sign(document, &request, Vec::new(), &NoAnswers)
            .await
        {
            Ok(Progress::Suspended(suspension)) => suspension,
            Ok(Progress::Done(_)) => return Ok(broken(&plugin, NO_SIGNATURE_ASKED)),
            Err(error) => return Ok(plugin_failed(error, pin(&plugin))),
        };
        drop(turn);
        let need = suspension
            .needs
            .into_iter()
            .find(|need| need.kind == NeedKind::Signature);
        let Some(need) = need else {
            return Ok(broken(&plugin, NO_SIGNATURE_ASKED));
        };
        let Payload::Bytes(_) = need.payload else {
            return Ok(broken(&plugin, NO_BYTES));
        };
        let is_card = running.attempt.method == SigningMethod::Nfc;
        let algorithm = request.signature_algorithm.digest();
        let payload = match is_card {
            true => card::kept_bytes(need.payload, &request),
            false => need.payload.at_most(KEPT_BYTES, algorithm),
        };
        let need = Need { payload, ..need };
        let prepared = PreparedSignature { request, need };
        let now = self.records.store.now().await?;
        if is_card {
            return Ok(match running.ask_card(chosen, prepared, now) {
                Some(next) => StepOutcome::Next(Box::new(Next {
                    plugin: Some(pin(&plugin)),
                    ..next
                })),
                None => {
                    tracing::error!(attempt.id = %running.attempt.id, "what is to be signed is too long for a card's app");
                    StepOutcome::Failed(AttemptFailure::DeviceError)
                }
            });
        }

        let step = AttemptStep::Ask {
            chosen,
            prepared,
            asked_at: now,
        };
        Ok(StepOutcome::Next(Box::new(Next {
            plugin: Some(pin(&plugin)),
            ..Next::new(Phase::Signing, step)
        })))
    }

    /// Asks the device for it. Whether a host that died had asked already is
    /// not known; where the provider would take a repetition for another
    /// request, nobody is asked again.
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
            Err(failure) => Ok(StepOutcome::Failed(failure)),
        }
    }
}

/// The fault of a plugin that broke its contract.
pub(super) fn broken(plugin: &Plugin, breach: ContractBreach) -> StepOutcome {
    let fault = Fault {
        plugin: plugin.id().to_owned(),
        digest: plugin.digest(),
        kind: breach.into(),
    };
    plugin_failed(fault.into(), pin(plugin))
}

/// A failure of the plugin, told to the operator.
pub(super) fn plugin_failed(error: CallError, pin: PluginPin) -> StepOutcome {
    tracing::error!(
        plugin.id = pin.id,
        plugin.digest = pin.sha256,
        failure = plugin_failure::words(&error),
        "a document that was taken in cannot be signed"
    );
    StepOutcome::PluginFailed(error, pin)
}

/// Answers nothing: somebody has to act first, for whom no document is kept in
/// memory.
pub(super) struct NoAnswers;

#[async_trait]
impl Answerer for NoAnswers {
    async fn answer(&self, _need: &Need) -> Reply {
        Reply::NotNow
    }
}
