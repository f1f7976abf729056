//! Simulated outcomes of sandbox signings, without any signature.

use std::sync::Arc;

use jiff::Timestamp;
use parafa_api_signing::SimulatedOutcome;
use parafa_api_signing::{mailbox, requests};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::reader::UnsealedCeremony;
use parafa_ceremony::records::{CeremonyRow, DocumentVersion};
use parafa_ceremony::{change, plugin_failure, seed};
use parafa_domain::{CannotSimulate, CeremonyStatus, SignerId, SignerStatus, Simulation};
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::detached::run_detached;
use parafa_plugin_host::{
    CallError, CallPriority, Capability, DeriveRequest, MadeDocument, Refusal, Urgency,
};
use parafa_store::keys::DataKey;
use uuid::Uuid;

use super::intake::not_installed;
use super::signings::Signings;
use crate::error::SigningError;

/// Missing capability for a document that cannot be completed here.
const NO_REHEARSAL: &str = "makes unsigned copies of this format";

impl Signings {
    /// Ends a sandbox signing with an outcome.
    pub async fn simulate_outcome(
        self: &Arc<Self>,
        caller: &Caller,
        id: Uuid,
        request: requests::Simulation,
    ) -> Result<UnsealedCeremony, SigningError> {
        if caller.mode == KeyMode::Live {
            return Err(SigningError::SandboxOnly);
        }
        let row = self.reader.row_of(caller, id).await?;
        let key = self.reader.key_to(&row).await?;
        let rehearsed = match request.action {
            SimulatedOutcome::Complete => self.rehearse(row).await?,
            SimulatedOutcome::Decline | SimulatedOutcome::Expire => None,
        };
        let room = match &rehearsed {
            Some(rehearsed) => {
                let bytes = rehearsed.made.bytes.len() as u64;
                Some(self.intake.uploads.room(caller, bytes, 0).await?)
            }
            None => None,
        };
        let (signings, caller) = (Arc::clone(self), *caller);
        let simulated = async move {
            // Held until the row is stored, even if the caller is gone.
            let _room = room;
            signings
                .keep_simulation(&caller, id, &key, &request, rehearsed)
                .await
        };
        let simulated = run_detached(simulated).await;
        // A panic belongs to this request.
        let opened = simulated.unwrap_or_else(|panicked| panicked.resume())?;
        tracing::info!(signing.id = %id, signing.status = ?opened.row.ceremony.status, "outcome simulated");
        self.ceremonies.announce(id);
        Ok(opened)
    }

    /// Writes the artifact, if there is one, and ends the signing with it.
    async fn keep_simulation(
        &self,
        caller: &Caller,
        id: Uuid,
        key: &DataKey,
        request: &requests::Simulation,
        rehearsed: Option<Rehearsed>,
    ) -> Result<UnsealedCeremony, SigningError> {
        let rehearsal = match rehearsed {
            Some(rehearsed) => Some(self.write_rehearsal(key, rehearsed).await?),
            None => None,
        };
        let made = rehearsal
            .as_ref()
            .map(|rehearsal| rehearsal.version.bytes_id);
        let simulated = self
            .store_simulation(caller, id, key, request, rehearsal)
            .await;
        if let (Some(bytes), Err(error)) = (made, &simulated)
            && error.proves_nothing_stored()
        {
            self.records.discard_bytes(bytes).await;
        }
        simulated
    }

    /// Ends the signing and stores the result.
    async fn store_simulation(
        &self,
        caller: &Caller,
        id: Uuid,
        key: &DataKey,
        request: &requests::Simulation,
        rehearsal: Option<Rehearsal>,
    ) -> Result<UnsealedCeremony, SigningError> {
        let (caller, rehearsal) = (*caller, rehearsal.as_ref());
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let row = change::changeable(tx, &caller, id).await?;
                    if !row.ceremony.is_live(tx.now()) {
                        return Err(CeremonyError::SigningEnded(row.ceremony.status).into());
                    }
                    let UnsealedCeremony {
                        mut row, signers, ..
                    } = UnsealedCeremony::read(tx, key, row).await?;
                    let emails = signers.iter().map(|signer| signer.email.as_str());
                    let asked = request.signer_email.as_ref().map(AsRef::as_ref);
                    let named = named(&row, emails, asked)?;
                    let simulation = match request.action {
                        SimulatedOutcome::Complete => Simulation::Complete,
                        SimulatedOutcome::Decline => Simulation::Decline { signer: named },
                        SimulatedOutcome::Expire => Simulation::Expire,
                    };
                    let before = row.ceremony.clone();
                    let events = row
                        .ceremony
                        .simulate(simulation, tx.now())
                        .map_err(|error| refusal(error, before.status))?;
                    if simulation == Simulation::Complete {
                        row.artifact = Some(artifact(&row, rehearsal)?);
                    }
                    let parties = row.ceremony.signers.iter().zip(&before.signers);
                    let decliner = parties
                        .filter(|(is, was)| is.status != was.status)
                        .find(|(is, _)| is.declined_at.is_some());
                    if let (Some((party, _)), Some(reason)) = (decliner, &request.reason) {
                        change::change_private(tx, key, party.id, |private| {
                            private.decline_reason = Some(reason.clone());
                        })
                        .await?;
                    }
                    change::store(tx, self.ceremonies.owners(), key, &before, &row, &events)
                        .await?;
                    Ok::<_, SigningError>(UnsealedCeremony::read(tx, key, row).await?)
                })
            })
            .await
    }

    /// Makes the artifact of a simulated completion from an unsigned document:
    /// its own pages, each marked as not signed. There is none for a document
    /// that was signed when posted, or for a signing that has ended.
    async fn rehearse(&self, row: CeremonyRow) -> Result<Option<Rehearsed>, SigningError> {
        let now = self.records.store.now().await?;
        if row.came_signed || !row.ceremony.is_live(now) {
            return Ok(None);
        }
        let Some(plugin) = self.plugins.by_id(&row.format) else {
            return Err(match self.plugins.is_complete() {
                true => cannot(not_installed(NO_REHEARSAL)),
                false => {
                    let (format, done) = (row.format, "completed in the sandbox");
                    CeremonyError::OutOfUse { format, done }.into()
                }
            });
        };
        if !plugin.capabilities().contains(&Capability::Rehearse) {
            return Err(cannot(not_installed(NO_REHEARSAL)));
        }
        let priority = CallPriority::new(Urgency::Background, row.tenant.as_u128());
        let plugin = plugin.prioritized(priority);
        let posted = row.document()?;
        let document = self.reader.version_bytes(&row, posted).await?;
        let request = DeriveRequest {
            time: now.as_second(),
            seed: seed()?,
            params: Vec::new(),
        };
        let rehearsed = plugin.rehearse(document, &request).await;
        let rehearsed = rehearsed.and_then(|made| {
            let (was, is) = (&posted.media_type, &made.media_type);
            plugin.check_same_media_type(Capability::Rehearse, was, is)?;
            Ok(made)
        });
        let made = match rehearsed {
            Ok(made) => made,
            Err(CallError::Fault(fault)) => {
                return Err(CeremonyError::Plugin(Box::new(fault)).into());
            }
            Err(CallError::Refused(refusal)) => {
                tracing::error!(
                    plugin.digest = %plugin.digest(),
                    failure = plugin_failure::words(&refusal.clone().into()),
                    "an accepted document cannot be simulated"
                );
                return Err(cannot(refusal));
            }
        };
        Ok(Some(Rehearsed {
            of: posted.bytes_id,
            made,
            at: now,
        }))
    }

    async fn write_rehearsal(
        &self,
        key: &DataKey,
        rehearsed: Rehearsed,
    ) -> Result<Rehearsal, SigningError> {
        let Rehearsed { of, made, at } = rehearsed;
        let written = self
            .records
            .files
            .write(key, self.records.store.new_id().await?, made.bytes);
        let written = written.await?;
        Ok(Rehearsal {
            of,
            version: DocumentVersion::of(written, made.media_type, at, None),
        })
    }
}

/// An unsigned artifact not written yet, with the version that it was made of.
struct Rehearsed {
    of: Uuid,
    made: MadeDocument,
    at: Timestamp,
}

/// An unsigned artifact, with the version that it was made of.
struct Rehearsal {
    of: Uuid,
    version: DocumentVersion,
}

/// Returns the artifact of a simulated completion: the rehearsal of an unsigned
/// document, or an unchanged document that was signed when posted.
fn artifact(
    row: &CeremonyRow,
    rehearsal: Option<&Rehearsal>,
) -> Result<DocumentVersion, SigningError> {
    let posted = row.document()?;
    match rehearsal {
        Some(rehearsal) if rehearsal.of == posted.bytes_id => Ok(rehearsal.version.clone()),
        None if row.came_signed => Ok(posted.clone()),
        Some(_) | None => Err(CeremonyError::Inconsistent(
            "a sandbox signing has another document than it had",
        )
        .into()),
    }
}

/// Returns the error for a document that the sandbox cannot complete.
fn cannot(refusal: Refusal) -> SigningError {
    SigningError::FileRefused {
        pointer: requests::Simulation::ACTION_POINTER.to_owned(),
        refusal,
    }
}

/// Returns the signer with this email whose turn it is, for any action.
fn named<'e>(
    row: &CeremonyRow,
    emails: impl Iterator<Item = &'e str>,
    wanted: Option<&str>,
) -> Result<Option<SignerId>, SigningError> {
    let Some(wanted) = wanted.map(mailbox) else {
        return Ok(None);
    };
    let mut parties = row.ceremony.signers.iter().zip(emails);
    let named = parties
        .find(|(party, email)| party.status == SignerStatus::Pending && mailbox(email) == wanted)
        .map(|(party, _)| party.id);
    named.map(Some).ok_or(SigningError::NoOpenSigner)
}

fn refusal(error: CannotSimulate, status: CeremonyStatus) -> SigningError {
    match error {
        CannotSimulate::SignerNotOpen => SigningError::NoOpenSigner,
        CannotSimulate::SigningEnded => CeremonyError::SigningEnded(status).into(),
    }
}
