//! Ceremonies, and a signer's link: what it shows, and what the signer does there.

mod card;
mod closed;
mod decline;
mod earlier_signatures;
mod give_up;
mod looks;
mod members;
mod presence;
mod return_from_app;
mod start;
mod state;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parafa_api_ceremony::CardApp;
use parafa_domain::{Signer, SignerStatus, SigningMethod};
use parafa_eid::EidProvider;
use parafa_platform::Records;
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_host::{KnownDocuments, PluginSource, Registry};
use parafa_store::Clock;
use parafa_store::keys::hash_token;
use parafa_trust::{SignerCheck, TimestampClient};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::attempt::DocumentTurns;
use super::downloads::{DownloadSlots, Downloads};
use super::links::Links;
use super::owner::Owners;
use super::prompts::PromptLimits;
use super::reader::CeremonyReader;
use crate::changes::{Changes, LastStates};
use crate::waiting::Waiting;

pub(crate) use self::card::base64;
pub use self::card::{CardRequest, Paired, Pairing, SHA_256_OID, SubmittedSignature};
use self::earlier_signatures::EarlierSignaturesCache;
pub(crate) use self::give_up::running_attempt;
use self::looks::Looks;
pub use self::members::{LARGEST_SHOWN, ShownMember};
pub use self::start::StartAttempt;
pub use self::state::CeremonyState;
use crate::error::CeremonyError;
use crate::records::{CeremonyLinkRow, CeremonyRow};

/// Documents whose digests are remembered from one step of a signature to the
/// next: more than are being signed at one time.
const KNOWN_DOCUMENTS: NonZeroUsize = NonZeroUsize::new(1024).expect("it is not zero");
/// How long a link can be read after its signer has signed.
const READABLE_AFTER_SIGNING: SignedDuration = SignedDuration::from_mins(30);

/// The clients of providers, by the method that they serve.
pub type Providers = BTreeMap<SigningMethod, Arc<dyn EidProvider>>;

/// A link that leads somewhere.
#[derive(Debug)]
pub struct OpenedLink {
    /// As it is stored.
    pub row: CeremonyRow,
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

impl OpenedLink {
    /// The signer whose link it is.
    pub fn party(&self) -> Result<&Signer, CeremonyError> {
        let party = self
            .row
            .ceremony
            .signers
            .iter()
            .find(|party| party.id.uuid() == self.signer);
        party.ok_or(CeremonyError::Inconsistent(
            "a link's signer is not in its signing",
        ))
    }
}

/// Ceremonies: products open, change, end and erase them, and signers sign in them
/// by their links.
pub struct Ceremonies {
    pub(crate) records: Records,
    pub(crate) reader: CeremonyReader,
    pub(crate) owners: Owners,
    /// Forgets answers that tell of what is erased.
    pub(crate) idempotency: Idempotency,
    pub(crate) links: Links,
    /// How often persons are asked.
    pub(crate) prompts: PromptLimits,
    /// The plugins that can be called.
    pub(crate) plugins: Arc<Registry>,
    /// Finds those that began an attempt on another host, or long ago.
    pub(crate) plugin_source: Arc<dyn PluginSource>,
    /// Checks certificates of signers.
    pub(crate) signer_check: SignerCheck,
    pub(crate) timestamps: TimestampClient,
    /// The providers that are set up, by the method that they serve.
    pub(crate) providers: Providers,
    /// The app that reads identity cards, without which they are not accepted.
    pub(crate) card_app: Option<CardApp>,
    /// Whether signers of one ceremony are shown to each other.
    pub(crate) shows_parties: bool,
    /// This host's clock, by which certificates and time-stamps are valid.
    pub(crate) clock: Arc<dyn Clock>,
    /// How long a signature that a device has made is worth finishing.
    pub(crate) finish_within: SignedDuration,
    /// Documents that are in memory at one time for attempts.
    pub(crate) document_turns: DocumentTurns,
    downloads: Arc<Downloads>,
    /// Spares hashing a document again.
    pub(crate) known_documents: Arc<KnownDocuments>,
    /// What pages say of the signatures that documents carry.
    pub(crate) earlier_signatures_cache: EarlierSignaturesCache,
    /// Tells those who wait for a ceremony.
    pub(crate) changes: Changes,
    /// Who waits on which link.
    waiting: Waiting,
    /// Turns of pages that look at their links.
    looks: Looks,
    /// What was last told on each link.
    last_states: LastStates,
    /// Wakes the job runner.
    pub(crate) work: Arc<Notify>,
    stop: CancellationToken,
}

/// What ceremonies are held with.
pub struct CeremonyParts {
    /// The rows and what they name.
    pub records: Records,
    /// Whom ceremonies are held for.
    pub owners: Owners,
    /// Forgets answers that tell of what is erased.
    pub idempotency: Idempotency,
    /// Makes signers' links.
    pub links: Links,
    /// The plugins that can be called.
    pub plugins: Arc<Registry>,
    /// Finds those that began an attempt on another host, or long ago.
    pub plugin_source: Arc<dyn PluginSource>,
    /// Checks certificates of signers.
    pub signer_check: SignerCheck,
    /// Gets time-stamps.
    pub timestamps: TimestampClient,
    /// The providers that are set up, by the method that they serve.
    pub providers: Providers,
    /// The app that reads identity cards, without which they are not accepted.
    pub card_app: Option<CardApp>,
    /// Whether signers of one ceremony are shown to each other.
    pub shows_parties: bool,
    /// This host's clock, by which certificates and time-stamps are valid. What
    /// records say is compared with the store's time, which is one for all hosts.
    pub clock: Arc<dyn Clock>,
    /// How long a signature that a device has made is worth finishing.
    pub finish_within: SignedDuration,
    /// Documents that are sent at one time.
    pub download_slots: DownloadSlots,
    /// Tells those who wait for a ceremony.
    pub changes: Changes,
    /// Wakes the job runner.
    pub work: Arc<Notify>,
    /// Told when the server is to stop.
    pub stop: CancellationToken,
}

impl Ceremonies {
    /// Ceremonies that are held with these parts.
    pub fn new(parts: CeremonyParts) -> Self {
        let reader = CeremonyReader::new(parts.records.clone());
        let prompts = PromptLimits::new(parts.records.clone());
        let downloads = Downloads::new(reader.clone(), parts.records.clone(), parts.download_slots);
        Self {
            records: parts.records,
            reader,
            owners: parts.owners,
            idempotency: parts.idempotency,
            links: parts.links,
            prompts,
            plugins: parts.plugins,
            plugin_source: parts.plugin_source,
            signer_check: parts.signer_check,
            timestamps: parts.timestamps,
            providers: parts.providers,
            card_app: parts.card_app,
            shows_parties: parts.shows_parties,
            clock: parts.clock,
            finish_within: parts.finish_within,
            document_turns: DocumentTurns::default(),
            downloads: Arc::new(downloads),
            known_documents: Arc::new(KnownDocuments::new(KNOWN_DOCUMENTS)),
            earlier_signatures_cache: EarlierSignaturesCache::default(),
            changes: parts.changes,
            waiting: Waiting::default(),
            looks: Looks::default(),
            last_states: LastStates::default(),
            work: parts.work,
            stop: parts.stop,
        }
    }

    /// Makes signers' links.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// Whom ceremonies are held for.
    pub fn owners(&self) -> &Owners {
        &self.owners
    }

    /// Sends documents.
    pub fn downloads(&self) -> &Arc<Downloads> {
        &self.downloads
    }

    /// How often persons are asked.
    pub fn prompts(&self) -> &PromptLimits {
        &self.prompts
    }

    /// Documents that are in memory at one time for attempts.
    pub fn document_turns(&self) -> &DocumentTurns {
        &self.document_turns
    }

    /// Tells those who wait, and the job runner, that a ceremony has changed.
    pub fn announce(&self, ceremony: Uuid) {
        self.changes.announce(ceremony);
        self.wake();
    }

    /// Tells the job runner that there is something to do.
    pub fn wake(&self) {
        self.work.notify_one();
    }

    /// Where a link leads.
    pub async fn open_link(&self, token: &str) -> Result<OpenedLink, CeremonyError> {
        let (link, row) = self.stored_link(token).await?;
        let now = self.records.store.now().await?;
        let access = match link.copy_until {
            None => access(&row, link.signer, now),
            Some(until) => access_to_copy(&row, until, now),
        };
        Ok(OpenedLink {
            row,
            signer: link.signer,
            access: access.ok_or(CeremonyError::NotFound)?,
            copy_until: link.copy_until,
        })
    }

    async fn stored_link(
        &self,
        token: &str,
    ) -> Result<(CeremonyLinkRow, CeremonyRow), CeremonyError> {
        let hash = hash_token(token).to_string();
        let read = self.records.read(|tx| {
            Box::pin(async move {
                let Some(link) = tx.get::<CeremonyLinkRow>(&hash).await? else {
                    return Ok(None);
                };
                let row = tx.get::<CeremonyRow>(&link.ceremony).await?;
                Ok::<_, CeremonyError>(row.map(|row| (link, row)))
            })
        });
        read.await?.ok_or(CeremonyError::NotFound)
    }
}

fn access_to_copy(row: &CeremonyRow, until: Timestamp, now: Timestamp) -> Option<Access> {
    let is_there = row.erased_at.is_none() && row.signed().is_some();
    (is_there && now < until).then_some(Access::Read)
}

fn access(row: &CeremonyRow, signer: Uuid, now: Timestamp) -> Option<Access> {
    if row.erased_at.is_some() {
        return None;
    }
    let party = row
        .ceremony
        .signers
        .iter()
        .find(|party| party.id.uuid() == signer)?;
    match party.status {
        SignerStatus::Pending => {
            let can_still_sign = row.ceremony.can_still_sign(party.id, now);
            can_still_sign.then_some(Access::Sign)
        }
        SignerStatus::Signed => {
            let signed_at = party.signed_at?;
            (now.duration_since(signed_at) < READABLE_AFTER_SIGNING).then_some(Access::Read)
        }
        _ => None,
    }
}
