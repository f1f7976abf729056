//! Simulated outcomes of sandbox orders, without signatures.

use std::time::Duration;

use parafa_ceremony::records::{CeremonyRow, DocumentVersion};
use parafa_ceremony::{CeremonyError, change, seed};
use parafa_domain::{CannotSimulate, KycStatus, KycVerdict, Simulation};
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_plugin_host::{CallError, DeriveRequest};
use parafa_store::keys::DataKey;
use parafa_store::{Transaction, jobs};
use tokio::time::timeout;
use uuid::Uuid;

use crate::Identifications;
use crate::error::IdentificationError;
use crate::outcome::{self, IDENTIFICATIONS};
use crate::reading::Order;
use crate::records::OrderRow;

/// Simulated outcome of a sandbox order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SimulatedOutcome {
    /// A holder of the role signs.
    Complete,
    /// A person without the role signs.
    Mismatch,
    /// The subject declines.
    Decline,
    /// The deadline passes.
    Expire,
    /// The service cannot verify the signature.
    Fail,
}

impl SimulatedOutcome {
    fn of_ceremony(self) -> Simulation {
        match self {
            Self::Complete | Self::Mismatch | Self::Fail => Simulation::Complete,
            Self::Decline => Simulation::Decline { signer: None },
            Self::Expire => Simulation::Expire,
        }
    }

    /// Returns the verdict of the verification, for outcomes without a real one.
    fn verdict(self) -> Option<KycVerdict> {
        match self {
            Self::Mismatch => Some(KycVerdict::IdentityMismatch),
            Self::Fail => Some(KycVerdict::Failed),
            Self::Complete | Self::Decline | Self::Expire => None,
        }
    }
}

/// Interval of polls for the end of an order.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

impl Identifications {
    /// Ends an order of the sandbox. A completed order is verified and packed
    /// like a real one; [`Self::end_of`] waits for that.
    ///
    /// # Errors
    /// [`IdentificationError::SandboxOnly`], [`IdentificationError::OrderEnded`],
    /// [`IdentificationError::BeingVerified`].
    pub async fn simulate(
        &self,
        caller: &Caller,
        id: Uuid,
        how: SimulatedOutcome,
    ) -> Result<Order, IdentificationError> {
        if caller.mode == KeyMode::Live {
            return Err(IdentificationError::SandboxOnly);
        }
        let order = self.records.store.get::<OrderRow>(&id).await?;
        let order = order.filter(|row| row.is_of(caller));
        let order = order.ok_or(IdentificationError::NotFound)?;
        awaits_subject(&order)?;
        let ceremony = self.reader.row_of(caller, order.ceremony).await?;
        let key = self.reader.key_to(&ceremony).await?;
        let artifact = match how {
            SimulatedOutcome::Complete => Some(self.rehearse(&key, &ceremony).await?),
            _ => None,
        };
        let stored = self.end_ceremony(caller, &order, &key, how, artifact.as_ref());
        let stored = stored.await;
        if let (Some(artifact), Err(error)) = (&artifact, &stored)
            && error.proves_nothing_stored()
        {
            self.records.discard_bytes(artifact.bytes_id).await;
        }
        stored?;
        tracing::info!(order.id = %id, outcome = ?how, "outcome simulated");
        self.ceremonies.announce(order.ceremony);
        self.announce(id);
        self.order(caller, id).await
    }

    /// Returns the order once it has ended, or its state at the timeout.
    ///
    /// # Errors
    /// [`IdentificationError::NotFound`].
    pub async fn end_of(
        &self,
        caller: &Caller,
        id: Uuid,
        at_most: Duration,
    ) -> Result<Order, IdentificationError> {
        let mut changes = self.changes.listen(id);
        let ended = timeout(at_most, async {
            loop {
                let order = self.order(caller, id).await?;
                if order.status.is_terminal() {
                    return Ok(order);
                }
                // Another host may have ended it.
                let _ = timeout(LOOK_AGAIN, changes.changed()).await;
            }
        });
        match ended.await {
            Ok(ended) => ended,
            Err(_) => self.order(caller, id).await,
        }
    }

    async fn end_ceremony(
        &self,
        caller: &Caller,
        order: &OrderRow,
        key: &DataKey,
        how: SimulatedOutcome,
        artifact: Option<&DocumentVersion>,
    ) -> Result<(), IdentificationError> {
        let under = self.records.data_key(order.data_key).await?;
        let under = &under;
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.get::<OrderRow>(&order.id).await?;
                    awaits_subject(&now.ok_or(IdentificationError::NotFound)?)?;
                    let mut row = change::changeable(tx, caller, order.ceremony).await?;
                    let before = row.ceremony.clone();
                    let events = row.ceremony.simulate(how.of_ceremony(), tx.now());
                    let events = events.map_err(|refusal| match refusal {
                        CannotSimulate::SigningEnded | CannotSimulate::SignerNotOpen => {
                            IdentificationError::OrderEnded(order.order.status())
                        }
                    })?;
                    row.artifact = artifact.cloned();
                    let owners = self.ceremonies.owners();
                    change::store(tx, owners, key, &before, &row, &events).await?;
                    match how.verdict() {
                        Some(verdict) => conclude(tx, under, order.id, verdict).await,
                        None => Ok(()),
                    }
                })
            })
            .await
    }

    /// Returns the dossier with the banner that it is not signed.
    async fn rehearse(
        &self,
        key: &DataKey,
        ceremony: &CeremonyRow,
    ) -> Result<DocumentVersion, IdentificationError> {
        let posted = ceremony.document()?;
        let document = self.reader.version_bytes(ceremony, posted).await?;
        let plugin = self.pdf(ceremony.tenant)?;
        let now = self.records.store.now().await?;
        let request = DeriveRequest {
            time: now.as_second(),
            seed: seed()?,
            params: Vec::new(),
        };
        let made = match plugin.rehearse(document, &request).await {
            Ok(made) => made,
            Err(CallError::Fault(fault)) => {
                return Err(CeremonyError::Plugin(Box::new(fault)).into());
            }
            Err(CallError::Refused(refusal)) => {
                tracing::error!(code = &*refusal.code, "a dossier cannot be rehearsed");
                return Err(CeremonyError::NoDocuments.into());
            }
        };
        let id = self.records.store.new_id().await?;
        let written = self.records.files.write(key, id, made.bytes).await?;
        Ok(DocumentVersion::of(written, made.media_type, now, None))
    }
}

/// Refuses an order that no longer waits for its subject.
fn awaits_subject(order: &OrderRow) -> Result<(), IdentificationError> {
    match order.order.status() {
        KycStatus::AwaitingSubject => Ok(()),
        KycStatus::Verifying => Err(IdentificationError::BeingVerified),
        status @ (KycStatus::Delivered
        | KycStatus::IdentityMismatch
        | KycStatus::Refused
        | KycStatus::Expired
        | KycStatus::Failed) => Err(IdentificationError::OrderEnded(status)),
    }
}

/// Ends the verification with a simulated verdict.
async fn conclude(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    order: Uuid,
    verdict: KycVerdict,
) -> Result<(), IdentificationError> {
    let now = tx.now();
    let row = tx.get::<OrderRow>(&order).await?;
    let mut row = row.ok_or(IdentificationError::NotFound)?;
    let concluded = row.order.conclude(verdict, now);
    concluded.map_err(|_| IdentificationError::OrderEnded(row.order.status()))?;
    jobs::cancel(
        tx,
        IDENTIFICATIONS,
        &jobs::unique_key(outcome::VERIFY, order),
    )
    .await?;
    outcome::store(tx, Some(key), &mut row).await
}
