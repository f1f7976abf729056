//! Reminders: the caller's, and the automatic one at the soft deadline.

use jiff::Timestamp;
use parafa_domain::{CannotRemind, Ceremony, SignerId, reminder_time};
use parafa_platform::accounts::Caller;
use parafa_platform::jobs::TIMERS;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::keys::DataKey;
use parafa_store::{Transaction, audit};
use uuid::Uuid;

use super::Ceremonies;
use crate::error::{CeremonyError, unless_unreadable};
use crate::reader::UnsealedSigner;
use crate::records::{CeremonyJob, CeremonyRow, Delivery, MailKind};
use crate::{change, notices};

/// Kind of the job.
pub const REMIND: &str = "remind-signers";

/// Schedules the reminder of signers on the day of the soft deadline, if there
/// is one.
pub(super) async fn schedule(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
) -> Result<(), CeremonyError> {
    let Some(soft_deadline) = row.ceremony.soft_deadline_at else {
        return Ok(());
    };
    let ceremony = row.ceremony.id.uuid();
    let (due, payload) = (
        reminder_time(soft_deadline),
        serde_json::json!({ "signing": ceremony }),
    );
    Ok(jobs::schedule(tx, (TIMERS, REMIND), ceremony, due, payload).await?)
}

impl Ceremonies {
    /// Sends a signer the invitation again.
    pub async fn remind_signer(
        &self,
        caller: &Caller,
        id: Uuid,
        signer: Uuid,
    ) -> Result<UnsealedSigner, CeremonyError> {
        let key = self.reader.key_of(caller, id).await?;
        let (under, caller, signer) = (&key, *caller, SignerId::new(signer));
        let reminded = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    let mut row = change::changeable(tx, &caller, id).await?;
                    if row.ceremony.signer(signer).is_none() {
                        return Err(CeremonyError::NotFound);
                    }
                    if row.delivery == Delivery::Link {
                        return Err(CeremonyError::NotRemindable(None));
                    }
                    row.ceremony
                        .remind(signer, now)
                        .map_err(|error| refusal(error, &row.ceremony, signer, now))?;
                    tx.put(&row).await?;
                    note(tx, &row, signer).await?;
                    notices::mail(tx, under, &row, signer, MailKind::Reminder).await?;
                    UnsealedSigner::read(tx, under, &row, signer).await
                })
            })
            .await?;
        self.work.notify_one();
        Ok(reminded)
    }

    /// Sends the automatic reminder. There are none about a ceremony that can
    /// no longer be read.
    pub async fn remind_signers(&self, job: &ClaimedJob) -> Result<(), CeremonyError> {
        let CeremonyJob { ceremony } = job.payload()?;
        let reminded = match self.reader.key(ceremony).await {
            Ok(key) => self.remind(job, ceremony, key.as_ref()).await,
            Err(error) => Err(error),
        };
        let what = "no reminder is sent: the signing cannot be read";
        if unless_unreadable(reminded, ceremony, what)?.is_none() {
            self.remind(job, ceremony, None).await?;
        }
        self.work.notify_one();
        Ok(())
    }

    async fn remind(
        &self,
        job: &ClaimedJob,
        ceremony: Uuid,
        key: Option<&DataKey>,
    ) -> Result<(), CeremonyError> {
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let row = tx.get::<CeremonyRow>(&ceremony).await?;
                    let row = row.filter(|row| row.erased_at.is_none());
                    if let (Some(mut row), Some(key)) = (row, key) {
                        let reminded = row.ceremony.remind_all(tx.now());
                        if !reminded.is_empty() {
                            tx.put(&row).await?;
                        }
                        for signer in reminded {
                            note(tx, &row, signer).await?;
                            let kind = MailKind::Reminder;
                            notices::mail_anyway(tx, key, &row, signer, kind).await?;
                        }
                    }
                    Ok::<_, CeremonyError>(jobs::complete(tx, job).await?)
                })
            })
            .await
    }
}

async fn note(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
    signer: SignerId,
) -> Result<(), CeremonyError> {
    let fields = audit::Fields::new().reference("signer", signer);
    audit::append(
        tx,
        row.ceremony.id.uuid(),
        "signing.signer_reminded",
        fields,
    )
    .await?;
    Ok(())
}

fn refusal(
    error: CannotRemind,
    ceremony: &Ceremony,
    signer: SignerId,
    now: Timestamp,
) -> CeremonyError {
    match error {
        CannotRemind::NotOpen => {
            CeremonyError::NotRemindable(ceremony.signer(signer).map(|signer| signer.status))
        }
        CannotRemind::TooSoon { next } => CeremonyError::ReminderTooSoon {
            retry_after: parafa_platform::seconds_until(next, now),
        },
        CannotRemind::UnknownSigner => CeremonyError::NotFound,
    }
}
