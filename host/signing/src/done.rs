//! Letters to signers after the last signature.

use parafa_ceremony::CeremonyError;
use parafa_ceremony::notices::note_done;
use parafa_ceremony::records::{CeremonyRow, Delivery};
use parafa_domain::{CompletionMode, SignerStatus};
use parafa_platform::face::{DoneMail, FaceRow};
use parafa_platform::outbox;
use parafa_store::keys::DataKey;
use parafa_store::{MasterKey, Transaction};

use crate::batches::held_mails;

/// Notes letters to all signers of a completed document, if links are mailed and
/// the workspace wants it. Documents completed by the sandbox's simulation are
/// not signed.
pub(crate) async fn tell_signers(
    tx: &mut Transaction<'_>,
    master: &MasterKey,
    key: &DataKey,
    row: &CeremonyRow,
) -> Result<(), CeremonyError> {
    let is_signed = row.ceremony.completion_mode == Some(CompletionMode::QesCeremony);
    if row.delivery != Delivery::Email || !is_signed {
        return Ok(());
    }
    let face = tx.get::<FaceRow>(&row.tenant).await?;
    if face.is_some_and(|face| face.done_mail == DoneMail::None) {
        return Ok(());
    }
    for party in &row.ceremony.signers {
        if party.status != SignerStatus::Signed {
            continue;
        }
        let notice = note_done(tx, master, key, row, party.id).await?;
        if !held_mails::hold_done(tx, row, party.id, notice).await? {
            outbox::send(tx, &[notice]).await?;
        }
    }
    Ok(())
}
