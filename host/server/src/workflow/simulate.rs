//! The sandbox ends a signing as it is told to, without any signature.

use bytes::Bytes;
use parafa_domain::{CannotSimulate, SignerId, Simulation};
use uuid::Uuid;

use super::accounts::Caller;
use super::read_signing::OpenedSigning;
use super::{change, notices, sealing};
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{DocumentVersion, KeyMode, SignerPrivateRow, SigningRow};

/// What is to be simulated.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Complete,
    Decline {
        /// Who declines; the first open signer if none is named.
        email: Option<String>,
        reason: Option<String>,
    },
    Expire,
}

impl App {
    /// Ends a sandbox signing so.
    pub(crate) async fn simulate_outcome(
        &self,
        caller: &Caller,
        id: Uuid,
        outcome: Outcome,
    ) -> Result<OpenedSigning, WorkflowError> {
        if caller.mode == KeyMode::Live {
            return Err(WorkflowError::SandboxOnly);
        }
        let row = self.signing_of(caller, id).await?;
        if !row.signing.is_live(self.clock.now()) {
            return Err(WorkflowError::SigningEnded);
        }
        let opened = self.open_signing(row).await?;
        let key = self.data_key(opened.row.data_key).await?;
        let simulation = simulation(&outcome, &opened)?;
        let artifact = match outcome {
            Outcome::Complete => Some(self.artifact(&opened.row, &key).await?),
            Outcome::Decline { .. } | Outcome::Expire => None,
        };
        let reason = match outcome {
            Outcome::Decline { reason, .. } => reason,
            Outcome::Complete | Outcome::Expire => None,
        };
        let (under, caller, made, reason) = (&key, *caller, artifact.as_ref(), &reason);
        let stored = self
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = change::changeable(tx, &caller, id).await?;
                    let before = row.signing.clone();
                    let events = row
                        .signing
                        .simulate(simulation, tx.now())
                        .map_err(refusal)?;
                    row.artifact = made.cloned();
                    if let Some(reason) = reason {
                        let decliner = row.signing.signers.iter().zip(&before.signers);
                        let decliner = decliner
                            .filter(|(is, was)| is.status != was.status)
                            .find(|(is, _)| is.declined_at.is_some());
                        if let Some((party, _)) = decliner {
                            give_reason(tx, under, party.id, reason).await?;
                        }
                    }
                    change::store(tx, under, &before, &row, &events).await?;
                    Ok::<_, WorkflowError>(row)
                })
            })
            .await;
        let row = match stored {
            Ok(row) => row,
            Err(error) => {
                if error.proves_nothing_stored() {
                    self.discard_artifact(&opened.row, artifact.as_ref()).await;
                }
                return Err(error);
            }
        };
        tracing::info!(signing.id = %id, signing.status = ?row.signing.status, "outcome simulated");
        self.changes.announce(id);
        self.work.notify_one();
        self.open_signing_under(&key, row).await
    }

    /// What a simulated completion leaves: what was posted already signed as
    /// it is, anything else marked as unsigned.
    async fn artifact(
        &self,
        row: &SigningRow,
        key: &parafa_store::DataKey,
    ) -> Result<DocumentVersion, WorkflowError> {
        let posted = row
            .newest()
            .ok_or(WorkflowError::Inconsistent("a signing has no document"))?;
        if row.came_signed {
            return Ok(posted.clone());
        }
        let content = self.files.read(key, posted.bytes_id).await?;
        let marked = self.rehearse(row, content)?;
        let written = self
            .files
            .write(key, self.store.new_id().await?, marked)
            .await?;
        Ok(DocumentVersion {
            bytes_id: written.id,
            sha256: written.sha256.to_string(),
            bytes: written.bytes,
            media_type: posted.media_type.clone(),
            created_at: self.clock.now(),
            made_by: None,
        })
    }

    /// Has the format's plugin mark a document as unsigned.
    fn rehearse(&self, row: &SigningRow, _document: Bytes) -> Result<Bytes, WorkflowError> {
        self.plugins
            .by_id(&row.format)
            .ok_or(WorkflowError::NotSetUp(
                "documents of this format cannot be worked with at the moment",
            ))?;
        Err(WorkflowError::NotSetUp(
            "unsigned documents of this format cannot be completed in the sandbox yet",
        ))
    }

    async fn discard_artifact(&self, row: &SigningRow, artifact: Option<&DocumentVersion>) {
        let is_kept = |id: Uuid| row.versions.iter().any(|version| version.bytes_id == id);
        let Some(artifact) = artifact.filter(|artifact| !is_kept(artifact.bytes_id)) else {
            return;
        };
        if let Err(error) = self.files.unlink(artifact.bytes_id).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "an artifact that was not stored is left");
        }
    }
}

fn simulation(outcome: &Outcome, opened: &OpenedSigning) -> Result<Simulation, WorkflowError> {
    Ok(match outcome {
        Outcome::Complete => Simulation::Complete,
        Outcome::Expire => Simulation::Expire,
        Outcome::Decline { email: None, .. } => Simulation::Decline { signer: None },
        Outcome::Decline {
            email: Some(email), ..
        } => {
            let email = email.to_lowercase();
            let parties = opened.row.signing.signers.iter().zip(&opened.signers);
            let named = parties
                .filter(|(party, _)| party.status.is_open())
                .find(|(_, private)| private.email.to_lowercase() == email);
            let (party, _) = named.ok_or(WorkflowError::NoOpenSigner)?;
            Simulation::Decline {
                signer: Some(party.id),
            }
        }
    })
}

async fn give_reason(
    tx: &mut parafa_store::Transaction<'_>,
    key: &parafa_store::DataKey,
    signer: SignerId,
    reason: &str,
) -> Result<(), WorkflowError> {
    let signer = signer.uuid();
    let mut private = notices::signer_private(tx, key, signer).await?;
    private.decline_reason = Some(reason.to_owned());
    let private = sealing::seal_signer(key, signer, &private)?;
    tx.put(&SignerPrivateRow { signer, private }).await?;
    Ok(())
}

fn refusal(error: CannotSimulate) -> WorkflowError {
    match error {
        CannotSimulate::SignerNotOpen => WorkflowError::NoOpenSigner,
        CannotSimulate::SigningEnded => WorkflowError::SigningEnded,
    }
}
