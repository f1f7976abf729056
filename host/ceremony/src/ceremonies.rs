//! Ceremonies: what products, signers by their links, and jobs do with them.

pub mod attempt;
mod cancel;
mod card;
mod closed;
pub mod deadline;
mod decline;
mod earlier_signatures;
pub mod erase;
mod face;
mod give_up;
mod looks;
mod members;
pub mod opening;
mod presence;
pub mod remind;
pub mod retention;
mod return_from_app;
mod signers;
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

use super::downloads::{DownloadSlots, Downloads};
use super::links::Links;
use super::owner::Owners;
use super::prompts::PromptLimits;
use super::reader::CeremonyReader;
use crate::changes::{Changes, LastStates};
use crate::waiting::Waiting;

use self::attempt::DocumentTurns;
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

/// Documents whose digests and plugins' answers are cached from the upload to the signature and
/// from one of its steps to the next: more than are being signed at the same time, beside those
/// uploaded meanwhile.
const KNOWN_DOCUMENTS: NonZeroUsize = NonZeroUsize::new(4096).expect("it is not zero");
/// Time that a link stays readable after its signer has signed.
const READABLE_AFTER_SIGNING: SignedDuration = SignedDuration::from_mins(30);

/// Clients of providers by method.
pub type Providers = BTreeMap<SigningMethod, Arc<dyn EidProvider>>;

/// An open link.
#[derive(Debug)]
pub struct OpenedLink {
    /// The ceremony's row.
    pub row: CeremonyRow,
    /// The signer.
    pub signer: Uuid,
    /// Access by the link.
    pub access: Access,
    /// End of the access, for a link to a completed document.
    pub copy_until: Option<Timestamp>,
}

/// Access by a link.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Access {
    /// Reading only: the signer has signed.
    Read,
    /// Reading and signing.
    Sign,
}

impl OpenedLink {
    /// Returns the signer of the link.
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
    records: Records,
    reader: CeremonyReader,
    owners: Owners,
    /// Service that deletes stored answers about erased ceremonies.
    idempotency: Idempotency,
    links: Links,
    /// Limits of prompts to persons.
    prompts: PromptLimits,
    /// The active plugins.
    plugins: Arc<Registry>,
    /// Source of plugins that began an attempt on another host, or long ago.
    plugin_source: Arc<dyn PluginSource>,
    /// Checks of signers' certificates.
    signer_check: SignerCheck,
    timestamps: TimestampClient,
    /// The configured providers by method.
    providers: Providers,
    /// The app that reads identity cards, without which they are not accepted.
    card_app: Option<CardApp>,
    /// The signers of a ceremony are shown to each other.
    shows_parties: bool,
    /// This host's clock, by which the validity of certificates and time-stamps is
    /// judged.
    clock: Arc<dyn Clock>,
    /// Time limit for finishing a device's signature.
    finish_within: SignedDuration,
    /// Limits of documents in memory for attempts.
    document_turns: DocumentTurns,
    downloads: Arc<Downloads>,
    /// Cache of documents' digests, and of plugins' answers about them.
    known_documents: Arc<KnownDocuments>,
    /// Cache of the validation results shown on pages.
    earlier_signatures_cache: EarlierSignaturesCache,
    /// Notifications of those who wait for a ceremony.
    changes: Changes,
    /// Limits of calls waiting on links.
    waiting: Waiting,
    /// Limits of pages' concurrent reads.
    looks: Looks,
    /// Last state sent on each link.
    last_states: LastStates,
    /// Signal to the job runner.
    work: Arc<Notify>,
    stop: CancellationToken,
}

/// Dependencies of ceremonies.
pub struct CeremonyParts {
    /// The rows with their files and keys.
    pub records: Records,
    /// Owners of ceremonies.
    pub owners: Owners,
    /// Service that deletes stored answers about erased ceremonies.
    pub idempotency: Idempotency,
    /// Signers' links.
    pub links: Links,
    /// The active plugins.
    pub plugins: Arc<Registry>,
    /// Source of plugins that began an attempt on another host, or long ago.
    pub plugin_source: Arc<dyn PluginSource>,
    /// Checks of signers' certificates.
    pub signer_check: SignerCheck,
    /// Client of the time-stamping service.
    pub timestamps: TimestampClient,
    /// The configured providers by method.
    pub providers: Providers,
    /// The app that reads identity cards, without which they are not accepted.
    pub card_app: Option<CardApp>,
    /// The signers of a ceremony are shown to each other.
    pub shows_parties: bool,
    /// This host's clock, by which the validity of certificates and time-stamps is
    /// judged. Times in records are compared with the store's time, which is the
    /// same for all hosts.
    pub clock: Arc<dyn Clock>,
    /// Time limit for finishing a device's signature.
    pub finish_within: SignedDuration,
    /// Limits of concurrent downloads.
    pub download_slots: DownloadSlots,
    /// Notifications of those who wait for a ceremony.
    pub changes: Changes,
    /// Signal to the job runner.
    pub work: Arc<Notify>,
    /// Signal of the server's shutdown.
    pub stop: CancellationToken,
}

impl Ceremonies {
    /// Creates the service with these dependencies.
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

    /// Returns the service for signers' links.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// Returns the owners of ceremonies.
    pub fn owners(&self) -> &Owners {
        &self.owners
    }

    /// Returns the service for downloads.
    pub fn downloads(&self) -> &Arc<Downloads> {
        &self.downloads
    }

    /// Returns the limits of prompts to persons.
    pub fn prompts(&self) -> &PromptLimits {
        &self.prompts
    }

    /// Returns the limits of documents in memory for attempts.
    pub fn document_turns(&self) -> &DocumentTurns {
        &self.document_turns
    }

    /// Returns the app that reads identity cards, without which they are not accepted.
    pub(crate) fn card_app(&self) -> Option<&CardApp> {
        self.card_app.as_ref()
    }

    /// Returns whether the signers of a ceremony are shown to each other.
    pub(crate) fn shows_parties(&self) -> bool {
        self.shows_parties
    }

    /// Notifies those who wait, and the job runner, of a changed ceremony.
    pub fn announce(&self, ceremony: Uuid) {
        self.changes.announce(ceremony);
        self.wake();
    }

    /// Notifies the job runner of new work.
    pub fn wake(&self) {
        self.work.notify_one();
    }

    /// Opens a link.
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
