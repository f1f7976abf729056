//! What is told of a ceremony outside of it, noted in the commit that it is
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

/// Appends each transition to the audit trail, has signers mailed whose turn has
/// come, and lets the owner store what follows from it.
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

/// Has a party of `row` mailed, if links are delivered so.
pub async fn mail(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    row: &CeremonyRow,
    signer: SignerId,
    kind: MailKind,
) -> Result<(), CeremonyError> {
    if row.delivery == Delivery::Email {
        let notice = note_mail(tx, key, row, signer, kind).await?;
        send(tx, &[notice]).await?;
    }
    Ok(())
}

/// Has a party mailed, however links are delivered.
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

/// Notes a mail without having it sent.
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

/// How long a signer can read what all have signed, from when they have.
const COPY_DAYS: u16 = 7;

/// Notes a letter to somebody who has signed what all have signed by now, and
/// opens a link on which they can read it.
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

/// Has a party mailed that a ceremony which is being erased asks for nothing any
/// more, under a key of the letter's own.
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
