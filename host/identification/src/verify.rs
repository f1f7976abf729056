//! Verification of a subject's signature, and delivery.

use jiff::SignedDuration;
use parafa_ceremony::CeremonyError;
use parafa_domain::{KycRefusal, KycStatus, KycVerdict};
use parafa_platform::accounts::KeyMode;
use parafa_platform::is_away;
use parafa_platform::jobs::hold;
use parafa_platform::plugins::is_disabled;
use parafa_plugin_host::CallError;
use parafa_register_data::{HolderIdentity, RoleHolder};
use parafa_store::Transaction;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::keys::DataKey;
use uuid::Uuid;

use crate::Identifications;
use crate::accounts;
use crate::error::IdentificationError;
use crate::evidence::{Confirmation, Evidence, EvidenceError, Identified};
use crate::facts::Asked;
use crate::identity::{MatchLevel, Matched, Subject, matched};
use crate::outcome::{self, Payload};
use crate::records::{Artifact, DeliveredPackage, IdentifiedRow, OrderRow, SignedEvidence};

/// Pauses after failed attempts; after the last one an order is given up.
const PAUSES: [SignedDuration; 7] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_secs(30),
    SignedDuration::from_mins(2),
    SignedDuration::from_mins(10),
    SignedDuration::from_mins(30),
    SignedDuration::from_hours(1),
    SignedDuration::from_hours(2),
];

/// Outcome of judging a signature.
enum Judgement {
    /// The order ends without evidence.
    Ended(KycVerdict),
    /// There is evidence.
    Confirmed(SignedEvidence),
}

/// Reason why an order was not verified this time.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotVerified {
    #[error("what was signed cannot be read")]
    Signed(#[source] IdentificationError),
    #[error("what was signed does not verify: {0}")]
    Unverified(&'static str),
    #[error("the plugin does not verify what was signed")]
    Plugin(#[source] CallError),
    #[error("a register does not answer")]
    Register(#[source] IdentificationError),
    #[error("there is no evidence")]
    Evidence(#[source] EvidenceError),
    #[error("the outcome cannot be stored")]
    Store(#[source] IdentificationError),
}

impl Identifications {
    /// Verifies a signature and stores the outcome.
    ///
    /// # Errors
    /// When not even a failure can be stored now, or when the storage is
    /// unavailable, which is not a failure; other failures are retried.
    pub async fn verify(&self, job: &mut ClaimedJob) -> Result<(), IdentificationError> {
        let Payload { order } = job.payload()?;
        let row = self.records.store.get::<OrderRow>(&order).await?;
        let row = row.filter(|row| row.order.status() == KycStatus::Verifying);
        let Some(row) = row else {
            return Ok(self.records.complete(job).await?);
        };
        match self.bring_to_an_end(job, &row).await {
            Ok(()) => {
                tracing::info!(order.id = %order, "order verified");
                Ok(())
            }
            Err(error) if is_away(&error) => Err(IdentificationError::Away(Box::new(error))),
            Err(error) => self.put_off(job, &row, &error).await,
        }
    }

    async fn bring_to_an_end(
        &self,
        job: &mut ClaimedJob,
        row: &OrderRow,
    ) -> Result<(), NotVerified> {
        let stored = |result: Result<(), _>| result.map_err(NotVerified::Store);
        if let Some(evidence) = &row.evidence {
            return stored(self.deliver(job, row, evidence).await);
        }
        let judged = hold(&self.records.store, job, self.judge(row)).await;
        match judged.map_err(|error| NotVerified::Store(error.into()))?? {
            Judgement::Confirmed(evidence) => stored(self.deliver(job, row, &evidence).await),
            Judgement::Ended(verdict) => stored(self.end(job, row, verdict).await),
        }
    }

    async fn judge(&self, row: &OrderRow) -> Result<Judgement, NotVerified> {
        let dossier = self.signed(row).await.map_err(NotVerified::Signed)?;
        // Checked first: evidence must not be signed if it could not be stored.
        let key = self.records.data_key(row.data_key).await;
        let key = key.map_err(|error| NotVerified::Store(error.into()))?;
        let pdf = self.pdf(row.tenant).map_err(NotVerified::Signed)?;
        let signature = match row.mode {
            KeyMode::Live => Some(Self::signature(&pdf, dossier.clone()).await?),
            // The sandbox has no signature.
            KeyMode::Test => None,
        };
        let subject = signature
            .as_ref()
            .map(|signature| Subject::of(&signature.certificate));
        if let Some(None) = subject {
            return Ok(refused(KycRefusal::OutOfScopeIdentifier));
        }
        let facts = self.facts(&Asked::again(row)).await;
        let facts = facts.map_err(NotVerified::Register)?;
        let Some(facts) = facts.filter(|facts| !facts.holders.is_empty()) else {
            return Ok(refused(KycRefusal::RoleNoLongerHeld));
        };
        let identified = match subject.flatten() {
            Some(subject) => {
                let before = self.holders_before(row, &key).await;
                let before = before.map_err(NotVerified::Signed)?;
                match compared(subject, &facts.holders, &before) {
                    Ok(identified) => identified,
                    Err(verdict) => return Ok(Judgement::Ended(verdict)),
                }
            }
            None => match simulated(&facts.holders) {
                Some(identified) => identified,
                None => return Ok(refused(KycRefusal::OutOfScopeIdentifier)),
            },
        };
        let (dossier, signature) = match signature {
            Some(signature) => {
                let (dossier, signature) = self.raised(row, &pdf, dossier, signature).await?;
                (dossier, Some(signature))
            }
            None => (dossier, None),
        };
        let now = self.records.store.now().await;
        let now = now.map_err(|error| NotVerified::Signed(error.into()))?;
        let confirmation = Confirmation {
            order: row,
            identified: &identified,
            signature: signature.as_ref(),
            facts: &facts,
            dossier,
            pdf: &pdf,
            at: now,
        };
        let evidence = self.evidence(&confirmation).await;
        let evidence = evidence.map_err(NotVerified::Evidence)?;
        let digest = self.digest(row, &identified);
        let kept = self.keep(row.id, &key, evidence, digest).await;
        Ok(Judgement::Confirmed(kept.map_err(NotVerified::Store)?))
    }

    /// Returns the role's holders when the order was created.
    async fn holders_before(
        &self,
        row: &OrderRow,
        key: &DataKey,
    ) -> Result<Vec<RoleHolder>, IdentificationError> {
        let Some(file) = row.holders else {
            return Ok(row.unseal(key)?.holders);
        };
        let kept = self.records.files.read(key, file).await?;
        let holders = serde_json::from_slice(&kept)
            .map_err(|_| CeremonyError::Inconsistent("holders of a role are no JSON"))?;
        Ok(holders)
    }

    /// Stores evidence as soon as it is signed, so that it is not signed again if
    /// its delivery fails. If another host was faster, its evidence counts.
    /// Evidence made with a plugin that is disabled by then is discarded.
    async fn keep(
        &self,
        order: Uuid,
        key: &DataKey,
        evidence: Evidence,
        digest: Option<String>,
    ) -> Result<SignedEvidence, IdentificationError> {
        let Evidence { container, made_by } = evidence;
        let id = self.records.store.new_id().await?;
        let written = self.records.files.write(key, id, container).await?;
        let evidence = SignedEvidence {
            artifact: Artifact {
                bytes_id: written.id,
                sha256: written.sha256.to_string(),
                bytes: written.bytes,
            },
            digest,
        };
        let made = &evidence;
        let kept: Result<SignedEvidence, IdentificationError> = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let row = tx.get::<OrderRow>(&order).await?;
                    let mut row = row.ok_or(IdentificationError::NotFound)?;
                    let status = row.order.status();
                    if status != KycStatus::Verifying {
                        return Err(IdentificationError::OrderEnded(status));
                    }
                    if let Some(kept) = row.evidence {
                        return Ok(kept);
                    }
                    for plugin in made_by {
                        if is_disabled(tx, &plugin.to_string()).await? {
                            return Err(IdentificationError::SignerOutOfService);
                        }
                    }
                    row.evidence = Some(made.clone());
                    tx.put(&row).await?;
                    Ok(made.clone())
                })
            })
            .await;
        let is_unused = match &kept {
            Ok(kept) => kept.artifact != evidence.artifact,
            Err(error) => error.proves_nothing_stored(),
        };
        if is_unused {
            self.records.discard_bytes(evidence.artifact.bytes_id).await;
        }
        kept
    }

    /// Returns the keyed digest of a person in an entity, as identified for one
    /// workspace.
    fn digest(&self, row: &OrderRow, identified: &Identified) -> Option<String> {
        let code = identified.personal_code.as_ref()?;
        let live = row.mode == KeyMode::Live;
        let value = format!("{}\n{live}\n{}\n{}", row.tenant, row.entity, code.as_str());
        Some(
            self.records
                .master
                .index("kyc-identified", &value)
                .to_string(),
        )
    }

    /// Delivers, charges and notes the callback in one commit.
    async fn deliver(
        &self,
        job: &ClaimedJob,
        row: &OrderRow,
        evidence: &SignedEvidence,
    ) -> Result<(), IdentificationError> {
        let key = &self.records.data_key(row.data_key).await?;
        let order = row.id;
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    let row = tx.get::<OrderRow>(&order).await?;
                    let mut row = row.ok_or(IdentificationError::NotFound)?;
                    if row.order.conclude(KycVerdict::Delivered, now).is_ok() {
                        let digest = evidence.digest.as_ref();
                        let reverification = identified_before(tx, order, digest).await?;
                        let price = accounts::charge(tx, &row, reverification).await?;
                        row.delivered = Some(DeliveredPackage {
                            artifact: evidence.artifact.clone(),
                            at: now,
                            reverification,
                            price,
                            identified: evidence.digest.clone(),
                        });
                        outcome::store(tx, Some(key), &mut row).await?;
                    }
                    Ok::<_, IdentificationError>(jobs::complete(tx, job).await?)
                })
            })
            .await?;
        self.announce(order);
        Ok(())
    }

    /// Ends an order without evidence, free of charge.
    async fn end(
        &self,
        job: &ClaimedJob,
        row: &OrderRow,
        verdict: KycVerdict,
    ) -> Result<(), IdentificationError> {
        let key = match self.records.data_key(row.data_key).await {
            Ok(key) => Some(key),
            Err(error) if error.is_unreadable() => None,
            Err(error) => return Err(error.into()),
        };
        let (key, order) = (key.as_ref(), row.id);
        let unused: Option<SignedEvidence> = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    let row = tx.get::<OrderRow>(&order).await?;
                    let mut row = row.ok_or(IdentificationError::NotFound)?;
                    let evidence = row.evidence.clone();
                    let is_ended = row.order.conclude(verdict, now).is_ok();
                    if is_ended {
                        outcome::store(tx, key, &mut row).await?;
                    }
                    jobs::complete(tx, job).await?;
                    Ok::<_, IdentificationError>(evidence.filter(|_| is_ended))
                })
            })
            .await?;
        if let Some(evidence) = unused {
            self.records.discard_bytes(evidence.artifact.bytes_id).await;
        }
        self.announce(order);
        Ok(())
    }

    pub(crate) fn announce(&self, order: Uuid) {
        self.changes.announce(order);
        self.ceremonies.wake();
    }

    /// Retries a failed verification later, or gives the order up.
    async fn put_off(
        &self,
        job: &ClaimedJob,
        row: &OrderRow,
        error: &NotVerified,
    ) -> Result<(), IdentificationError> {
        let failures = usize::try_from(job.failures).unwrap_or(usize::MAX);
        let pause = PAUSES.get(failures).copied();
        tracing::warn!(
            order.id = %row.id,
            error = error as &dyn std::error::Error,
            given_up = pause.is_none(),
            "an order cannot be verified now"
        );
        match pause {
            Some(pause) => self.give_back(job, pause).await,
            None => self.end(job, row, KycVerdict::Failed).await,
        }
    }

    async fn give_back(
        &self,
        job: &ClaimedJob,
        pause: SignedDuration,
    ) -> Result<(), IdentificationError> {
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let due = shifted(tx.now(), pause);
                    Ok(jobs::give_back(tx, job, due).await?)
                })
            })
            .await
    }
}

/// Returns whether a person was identified for an entity before, and notes this
/// time.
async fn identified_before(
    tx: &mut Transaction<'_>,
    order: Uuid,
    digest: Option<&String>,
) -> Result<bool, IdentificationError> {
    let Some(digest) = digest else {
        return Ok(false);
    };
    let known = tx.get::<IdentifiedRow>(digest).await?;
    let is_known = known.is_some();
    let mut identified = known.unwrap_or_else(|| IdentifiedRow {
        digest: digest.clone(),
        order,
        packages: 0,
    });
    identified.packages += 1;
    tx.put(&identified).await?;
    Ok(is_known)
}

fn refused(reason: KycRefusal) -> Judgement {
    Judgement::Ended(KycVerdict::Refused(reason))
}

/// Compares the signer with the role's present holders. A signer who held the role
/// only when the order was created is not a mismatch.
fn compared(
    subject: Subject,
    holders: &[RoleHolder],
    before: &[RoleHolder],
) -> Result<Identified, KycVerdict> {
    match matched(&subject, holders) {
        Some(matched) => Ok(Identified {
            given_name: subject.given_name,
            surname: subject.surname,
            personal_code: Some(subject.personal_code),
            matched,
        }),
        None if matched(&subject, before).is_some() => {
            Err(KycVerdict::Refused(KycRefusal::RoleNoLongerHeld))
        }
        None => Err(KycVerdict::IdentityMismatch),
    }
}

/// Picks a holder as the simulated signer, except those with another state's
/// identifier, who could not sign.
fn simulated(holders: &[RoleHolder]) -> Option<Identified> {
    holders.iter().find_map(|holder| {
        let (personal_code, level) = match &holder.identity {
            HolderIdentity::PersonalCode { code } => (Some(code.clone()), MatchLevel::PersonalCode),
            HolderIdentity::BirthDate { .. } => (None, MatchLevel::NameBirthDate),
            HolderIdentity::Foreign { .. } => return None,
        };
        Some(Identified {
            given_name: holder.given_name.clone(),
            surname: holder.surname.clone(),
            personal_code,
            matched: Matched {
                level,
                records: vec![holder.clone()],
            },
        })
    })
}
