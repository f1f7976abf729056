//! Notices about a ceremony to the outside, noted in the commit that they are
//! about.

use parafa_domain::{CeremonyEvent, SignerId};
use parafa_platform::outbox::{self, NoticeKind, NoticeRow, Subject, send};
use parafa_store::keys::DataKey;
use parafa_store::{MasterKey, Transaction};
use serde::Serialize;
use uuid::Uuid;

use crate::error::CeremonyError;
use crate::history::record_events;
use crate::owner::Owners;
pub use crate::reader::{private_of, signer_private};
use crate::records::{CeremonyLinkRow, CeremonyRow, Delivery, MailKind, MailPayload};
use crate::{forms, links};

/// Appends each transition to the audit trail, notes mails to signers whose turn
/// has come, and lets the owner store the consequences.
pub(super) async fn record(
    tx: &mut Transaction<'_>,
    owners: &Owners,
    key: &DataKey,
    row: &CeremonyRow,
    events: &[CeremonyEvent],
) -> Result<(), CeremonyError> {
    record_events(tx, row.ceremony.id.uuid(), events).await?;
    let owner = owners.of(row)?;
    for event in events {
        if let CeremonyEvent::SignerReleased(signer) = *event
            && row.delivery == Delivery::Email
            && !owner.invite(tx, key, row, signer).await?
        {
            mail(tx, key, row, signer, MailKind::Invitation).await?;
        }
    }
    owner.changed(tx, key, row, events).await
}

/// Enqueues a mail to a party of `row`, if links are delivered by mail.
pub async fn mail(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &CeremonyRow,
    signer: SignerId,
    kind: MailKind,
) -> Result<(), CeremonyError> {
    if row.delivery == Delivery::Email {
        mail_anyway(tx, key, row, signer, kind).await?;
    }
    Ok(())
}

/// Enqueues a mail to a party, for any delivery of links.
pub async fn mail_anyway(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &CeremonyRow,
    signer: SignerId,
    kind: MailKind,
) -> Result<(), CeremonyError> {
    let notice = note_mail(tx, key, row, signer, kind).await?;
    Ok(send(tx, &[notice]).await?)
}

/// Notes a mail without sending it.
pub async fn note_mail(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &CeremonyRow,
    signer: SignerId,
    kind: MailKind,
) -> Result<Uuid, CeremonyError> {
    let payload = mail_payload(tx, key, row, signer).await?;
    let about = (kind.notice(), Some(signer));
    let mail = notice(tx, (row.data_key, key), row, about, &payload).await?;
    Ok(mail.id)
}

/// Days that a signer can read the completed document.
const COPY_DAYS: u16 = 7;

/// Notes a letter to a signer of a completed document, and opens a link for
/// reading it.
pub async fn note_done(
    tx: &mut Transaction<'_>,
    master: &MasterKey,
    key: &DataKey,
    row: &CeremonyRow,
    signer: SignerId,
) -> Result<Uuid, CeremonyError> {
    let link = CeremonyLinkRow {
        token_hash: links::copy_token(master, signer.uuid()).hash().to_string(),
        ceremony: row.ceremony.id.uuid(),
        signer: signer.uuid(),
        copy_until: Some(forms::days_after(tx.now(), COPY_DAYS)),
    };
    tx.put(&link).await?;
    note_mail(tx, key, row, signer, MailKind::Done).await
}

/// Enqueues a retraction to a party of a ceremony that is being erased, under a
/// separate key of the letter.
pub async fn retract_erased(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    own: (Uuid, &DataKey),
    row: &CeremonyRow,
    signer: SignerId,
) -> Result<(), CeremonyError> {
    let payload = mail_payload(tx, key, row, signer).await?;
    let about = (MailKind::Retraction.notice(), Some(signer));
    let mail = notice(tx, own, row, about, &payload).await?;
    Ok(send(tx, &[mail.id]).await?)
}

async fn mail_payload(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &CeremonyRow,
    signer: SignerId,
) -> Result<MailPayload, CeremonyError> {
    let about = private_of(key, row)?;
    let party = signer_private(tx, key, signer.uuid()).await?;
    let language = row.ceremony.signer(signer).map(|party| party.language);
    let language = language.ok_or(CeremonyError::Inconsistent(
        "a mail's addressee is not in its signing",
    ))?;
    Ok(MailPayload {
        email: party.email,
        name: party.name,
        language,
        title: about.title,
        document_name: about.document_name,
        subject_notice: about.subject_notice,
    })
}

/// Stores a notice about a ceremony.
pub async fn notice<T: Serialize>(
    tx: &mut Transaction<'_>,
    own: (Uuid, &DataKey),
    row: &CeremonyRow,
    (kind, signer): (NoticeKind, Option<SignerId>),
    payload: &T,
) -> Result<NoticeRow, CeremonyError> {
    let about = Subject {
        tenant: row.tenant,
        product: row.owner().product,
        mode: row.mode,
        id: row.ceremony.id.uuid(),
        party: signer.map(SignerId::uuid),
    };
    Ok(outbox::note(tx, own, about, kind, payload).await?)
}
