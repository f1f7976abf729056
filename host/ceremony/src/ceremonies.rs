//! A signer's link: what it shows, and what the signer does there.

mod card;
mod decline;
mod earlier_signatures;
mod give_up;
mod members;
mod presence;
mod return_from_app;
mod start;
mod state;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parafa_domain::{Signer, SignerStatus};
use parafa_platform::Records;
use parafa_plugin_host::{KnownDocuments, Registry};
use parafa_store::keys::hash_token;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::attempt::Attempts;
use super::downloads::Downloads;
use super::prompts::PromptLimits;
use super::reader::SigningReader;
use crate::changes::{Changes, LastStates};
use crate::waiting::Waiting;

pub(crate) use self::card::base64;
pub use self::card::{CardRequest, Paired, Pairing, SHA_256_OID, SubmittedSignature};
pub use self::earlier_signatures::EarlierSignaturesCache;
pub(crate) use self::give_up::running_attempt;
pub use self::members::ShownMember;
pub use self::start::StartAttempt;
pub use self::state::CeremonyState;
use crate::error::CeremonyError;
use crate::records::{CeremonyLinkRow, SigningRow};

/// How long a link can be read after its signer has signed.
const READABLE_AFTER_SIGNING: SignedDuration = SignedDuration::from_mins(30);

/// A link that leads somewhere.
#[derive(Debug)]
pub struct Ceremony {
    /// As it is stored.
    pub row: SigningRow,
    /// The signer.
    pub signer: Uuid,
    /// What the link still allows.
    pub access: Access,
    /// Of a link to what all have signed: until when it leads there.
    pub copy_until: Option<Timestamp>,
}

/// What a link still allows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Access {
    /// Reading only: the signer has signed.
    Read,
    /// Everything.
    Sign,
}

impl Ceremony {
    /// The signer whose link it is.
    pub fn party(&self) -> Result<&Signer, CeremonyError> {
        let party = self
            .row
            .signing
            .signers
            .iter()
            .find(|party| party.id.uuid() == self.signer);
        party.ok_or(CeremonyError::Inconsistent(
            "a link's signer is not in its signing",
        ))
    }
}

/// What signers do on their links.
pub struct Ceremonies {
    /// The rows and what they name.
    pub records: Records,
    /// Reads signings.
    pub reader: SigningReader,
    /// Sends documents.
    pub downloads: Arc<Downloads>,
    /// Carries attempts out.
    pub attempts: Arc<Attempts>,
    /// How often persons are asked.
    pub prompts: PromptLimits,
    /// The plugins that can be called.
    pub plugins: Arc<Registry>,
    /// Spares hashing a document again.
    pub known_documents: Arc<KnownDocuments>,
    /// What pages say of the signatures that documents carry.
    pub earlier_signatures_cache: Arc<EarlierSignaturesCache>,
    /// Tells those who wait for a signing.
    pub changes: Changes,
    /// Who waits on which link.
    pub waiting: Waiting,
    /// What was last told on each link.
    pub last_states: LastStates,
    /// Wakes the job runner.
    pub work: Arc<Notify>,
    /// Told when the server is to stop.
    pub stop: CancellationToken,
}

impl Ceremonies {
    /// Where a link leads.
    pub async fn ceremony(&self, token: &str) -> Result<Ceremony, CeremonyError> {
        let link = self
            .records
            .store
            .get::<CeremonyLinkRow>(&hash_token(token).to_string())
            .await?;
        let link = link.ok_or(CeremonyError::NotFound)?;
        let row = self
            .records
            .store
            .get::<SigningRow>(&link.signing)
            .await?
            .ok_or(CeremonyError::NotFound)?;
        let now = self.records.store.now().await?;
        let access = match link.copy_until {
            None => access(&row, link.signer, now),
            Some(until) => access_to_copy(&row, until, now),
        };
        Ok(Ceremony {
            row,
            signer: link.signer,
            access: access.ok_or(CeremonyError::NotFound)?,
            copy_until: link.copy_until,
        })
    }
}

fn access_to_copy(row: &SigningRow, until: Timestamp, now: Timestamp) -> Option<Access> {
    let is_there = row.erased_at.is_none() && row.signed().is_some();
    (is_there && now < until).then_some(Access::Read)
}

fn access(row: &SigningRow, signer: Uuid, now: Timestamp) -> Option<Access> {
    if row.erased_at.is_some() {
        return None;
    }
    let party = row
        .signing
        .signers
        .iter()
        .find(|party| party.id.uuid() == signer)?;
    match party.status {
        SignerStatus::Pending => {
            let can_still_sign = row.signing.can_still_sign(party.id, now);
            can_still_sign.then_some(Access::Sign)
        }
        SignerStatus::Signed => {
            let signed_at = party.signed_at?;
            (now.duration_since(signed_at) < READABLE_AFTER_SIGNING).then_some(Access::Read)
        }
        _ => None,
    }
}
