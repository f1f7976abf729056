//! The sandbox ends a signing as it is told to, without any signature.

use parafa_domain::{CannotSimulate, SignerId, Simulation};
use uuid::Uuid;

use super::accounts::Caller;
use super::change;
use super::read_signing::OpenedSigning;
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{DocumentVersion, KeyMode, SigningRow};

/// What is to be simulated.
#[derive(Clone, Debug)]
pub(crate) struct SimulationForm {
    pub(crate) action: SimulatedAction,
    /// Who declines; the first open signer if none is named.
    pub(crate) email: Option<String>,
    /// Why they decline.
    pub(crate) reason: Option<String>,
}

/// How the signing ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SimulatedAction {
    Complete,
    Decline,
    Expire,
}

impl App {
    /// Ends a sandbox signing so.
    pub(crate) async fn simulate_outcome(
        &self,
        caller: &Caller,
        id: Uuid,
        form: SimulationForm,
    ) -> Result<OpenedSigning, WorkflowError> {
        if caller.mode == KeyMode::Live {
            return Err(WorkflowError::SandboxOnly);
        }
        let key = self.key_of(caller, id).await?;
        let (under, caller, form) = (&key, *caller, &form);
        let opened = self
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let row = change::changeable(tx, &caller, id).await?;
                    if !row.signing.is_live(tx.now()) {
                        return Err(WorkflowError::SigningEnded);
                    }
                    let OpenedSigning {
                        mut row, signers, ..
                    } = OpenedSigning::read(tx, under, row).await?;
                    let emails = signers.iter().map(|signer| signer.email.as_str());
                    let named = named(&row, emails, form.email.as_deref())?;
                    let simulation = match form.action {
                        SimulatedAction::Complete => Simulation::Complete,
                        SimulatedAction::Decline => Simulation::Decline { signer: named },
                        SimulatedAction::Expire => Simulation::Expire,
                    };
                    let before = row.signing.clone();
                    let events = row
                        .signing
                        .simulate(simulation, tx.now())
                        .map_err(refusal)?;
                    if simulation == Simulation::Complete {
                        row.artifact = Some(artifact(&row)?);
                    }
                    let parties = row.signing.signers.iter().zip(&before.signers);
                    let decliner = parties
                        .filter(|(is, was)| is.status != was.status)
                        .find(|(is, _)| is.declined_at.is_some());
                    if let (Some((party, _)), Some(reason)) = (decliner, &form.reason) {
                        change::change_private(tx, under, party.id, |private| {
                            private.decline_reason = Some(reason.clone());
                        })
                        .await?;
                    }
                    change::store(tx, under, &before, &row, &events).await?;
                    OpenedSigning::read(tx, under, row).await
                })
            })
            .await?;
        tracing::info!(signing.id = %id, signing.status = ?opened.row.signing.status, "outcome simulated");
        self.changes.announce(id);
        self.work.notify_one();
        Ok(opened)
    }
}

/// What a simulated completion leaves of a document that was posted signed
/// already: the document as it is.
fn artifact(row: &SigningRow) -> Result<DocumentVersion, WorkflowError> {
    if !row.came_signed {
        return Err(WorkflowError::NotSetUp(
            "unsigned documents of this format cannot be completed in the sandbox yet",
        ));
    }
    let posted = row.newest().cloned();
    posted.ok_or(WorkflowError::Inconsistent("a signing has no document"))
}

/// The open signer with this email, whatever the action is.
fn named<'e>(
    row: &SigningRow,
    emails: impl Iterator<Item = &'e str>,
    wanted: Option<&str>,
) -> Result<Option<SignerId>, WorkflowError> {
    let Some(wanted) = wanted.map(str::to_lowercase) else {
        return Ok(None);
    };
    let mut parties = row.signing.signers.iter().zip(emails);
    let named = parties
        .find(|(party, email)| party.status.is_open() && email.to_lowercase() == wanted)
        .map(|(party, _)| party.id);
    named.map(Some).ok_or(WorkflowError::NoOpenSigner)
}

fn refusal(error: CannotSimulate) -> WorkflowError {
    match error {
        CannotSimulate::SignerNotOpen => WorkflowError::NoOpenSigner,
        CannotSimulate::SigningEnded => WorkflowError::SigningEnded,
    }
}
