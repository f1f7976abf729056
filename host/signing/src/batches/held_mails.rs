//! Held mails of batches: one letter to each signer with all links that open
//! together, and one with everything signed.
//!
//! Where signers take turns, the links of the next one open one after the other,
//! as the previous one signs. Each invitation waits until no other of the same
//! party is to come, for [`TOGETHER_WITHIN`] at most. So does each mail about a
//! completed signing.

use jiff::SignedDuration;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::notices::note_mail;
use parafa_ceremony::records::{CeremonyRow, MailKind};
use parafa_domain::{CeremonyStatus, SignerId, SignerStatus, SigningOrder};
use parafa_platform::jobs::TIMERS;
use parafa_platform::outbox;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob, NewJob};
use parafa_store::keys::DataKey;
use parafa_store::{StoreError, Transaction};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::SigningError;
use crate::records::{BatchRow, HeldAbout, HeldMail};
use crate::signings::Signings;

/// Kind of the job that sends mails held long enough.
pub const INVITE: &str = "invite-batch-signer";

/// Longest delay of the first mail.
const TOGETHER_WITHIN: SignedDuration = SignedDuration::from_mins(10);

#[derive(Deserialize, Serialize)]
struct Payload {
    batch: Uuid,
    party: usize,
    #[serde(default)]
    about: HeldAbout,
}

/// Notes an invitation, to be sent with the others of its party; returns false
/// for a signing outside of batches with turns.
pub(crate) async fn hold_invitation(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &CeremonyRow,
    signer: SignerId,
) -> Result<bool, CeremonyError> {
    if row.ceremony.order != SigningOrder::Sequential {
        return Ok(false);
    }
    let Some(mut batch) = batch_of(tx, row).await? else {
        return Ok(false);
    };
    let Some(party) = batch.party_of(signer.uuid()) else {
        return Ok(false);
    };
    let mail = HeldMail {
        party,
        notice: note_mail(tx, key, row, signer, MailKind::Invitation).await?,
        about: HeldAbout::Turn,
    };
    hold(tx, &mut batch, mail, row).await?;
    Ok(true)
}

/// Holds a mail about a completed signing for the others of its party; returns
/// false for a signing outside of batches.
pub(crate) async fn hold_done(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
    signer: SignerId,
    notice: Uuid,
) -> Result<bool, CeremonyError> {
    let Some(mut batch) = batch_of(tx, row).await? else {
        return Ok(false);
    };
    let Some(party) = batch.party_of(signer.uuid()) else {
        return Ok(false);
    };
    let mail = HeldMail {
        party,
        notice,
        about: HeldAbout::Done,
    };
    hold(tx, &mut batch, mail, row).await?;
    Ok(true)
}

async fn hold(
    tx: &mut Transaction<'_>,
    batch: &mut BatchRow,
    mail: HeldMail,
    row: &CeremonyRow,
) -> Result<(), CeremonyError> {
    let whose = (mail.party, mail.about);
    batch.held.push(mail);
    tx.put(batch).await?;
    if !is_more_to_come(tx, batch, whose, row).await? {
        return Ok(send(tx, batch, whose).await?);
    }
    let (party, about) = whose;
    let job = NewJob {
        lane: TIMERS,
        kind: INVITE.to_owned(),
        due: shifted(tx.now(), TOGETHER_WITHIN),
        unique: Some(unique(batch.id, whose)),
        payload: serde_json::json!({ "batch": batch.id, "party": party, "about": about }),
    };
    jobs::enqueue(tx, job).await?;
    Ok(())
}

/// Sends the mails that waited only for this signing, which has changed.
pub(crate) async fn settle(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
) -> Result<(), CeremonyError> {
    let Some(mut batch) = batch_of(tx, row).await? else {
        return Ok(());
    };
    let held = batch.held.iter();
    let mut waiting: Vec<_> = held.map(|held| (held.party, held.about)).collect();
    waiting.sort_unstable();
    waiting.dedup();
    for whose in waiting {
        if !is_more_to_come(tx, &batch, whose, row).await? {
            send(tx, &mut batch, whose).await?;
        }
    }
    Ok(())
}

impl Signings {
    /// Sends mails held long enough.
    pub async fn invite_batch_signer(&self, job: &ClaimedJob) -> Result<(), SigningError> {
        let Payload {
            batch,
            party,
            about,
        } = job.payload()?;
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    jobs::complete(tx, job).await?;
                    if let Some(mut batch) = tx.get::<BatchRow>(&batch).await? {
                        post(tx, &mut batch, (party, about)).await?;
                    }
                    Ok::<_, SigningError>(())
                })
            })
            .await?;
        self.ceremonies.wake();
        Ok(())
    }
}

async fn batch_of(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
) -> Result<Option<BatchRow>, StoreError> {
    match row.batch {
        Some(id) => tx.get::<BatchRow>(&id).await,
        None => Ok(None),
    }
}

/// Returns whether a link of this party is still to open, or a signing to be
/// completed; `row` is one of the signings, about to be stored.
async fn is_more_to_come(
    tx: &mut Transaction<'_>,
    batch: &BatchRow,
    (party, about): (usize, HeldAbout),
    row: &CeremonyRow,
) -> Result<bool, StoreError> {
    let signers = batch.parties.get(party).into_iter().flatten();
    for (signing, signer) in batch.signings.iter().zip(signers) {
        let stored = if *signing == row.ceremony.id.uuid() {
            Some(row.clone())
        } else {
            tx.get::<CeremonyRow>(signing).await?
        };
        let is_open = |row: &CeremonyRow| row.ceremony.status == CeremonyStatus::Pending;
        let waits = stored.filter(is_open).is_some_and(|row| {
            let party = row.ceremony.signer(SignerId::new(*signer));
            about == HeldAbout::Done
                || party.is_some_and(|party| party.status == SignerStatus::Waiting)
        });
        if waits {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Sends a party's held mails early.
async fn send(
    tx: &mut Transaction<'_>,
    batch: &mut BatchRow,
    whose: (usize, HeldAbout),
) -> Result<(), StoreError> {
    jobs::cancel(tx, TIMERS, &unique(batch.id, whose)).await?;
    post(tx, batch, whose).await
}

/// Enqueues one letter with a party's held mails.
async fn post(
    tx: &mut Transaction<'_>,
    batch: &mut BatchRow,
    whose: (usize, HeldAbout),
) -> Result<(), StoreError> {
    let is_whose = |held: &mut HeldMail| (held.party, held.about) == whose;
    let held = batch.held.extract_if(.., is_whose);
    let notices: Vec<Uuid> = held.map(|held| held.notice).collect();
    if notices.is_empty() {
        return Ok(());
    }
    tx.put(batch).await?;
    outbox::send(tx, &notices).await
}

fn unique(batch: Uuid, (party, about): (usize, HeldAbout)) -> String {
    match about {
        HeldAbout::Turn => format!("{INVITE}/{batch}/{party}"),
        HeldAbout::Done => format!("{INVITE}/{batch}/{party}/done"),
    }
}
