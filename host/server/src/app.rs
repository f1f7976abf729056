use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::SignedDuration;
use parafa_domain::SigningMethod;
use parafa_eid::smart_id::SmartIdClient;
use parafa_outbound::AddressPolicy;
use parafa_plugin_host::{Document, KnownDocuments, Registry};
use parafa_store::keys::{DataKey, Token};
use parafa_store::{ByteFiles, Clock, DataKeys, MasterKey, Store, StoreError};
use parafa_trust::{SignerCheck, TimestampClient, ValidationData};
use serde::de::DeserializeOwned;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use url::Url;
use uuid::Uuid;

use crate::changes::{Changes, Told};
use crate::config::Billing;
use crate::error::WorkflowError;
use crate::mail::MailSender;
use crate::operate::Desk;
use crate::records::{NoticeRow, SigningRow};
use crate::shelf::Shelf;
use crate::waiting::Waiting;
use crate::webhooks::WebhookSender;
use crate::workflow::archive::ArchiveTurns;
use crate::workflow::attempt::DocumentTurns;
use crate::workflow::ceremony::Advices;
use crate::workflow::downloads::Places;
use crate::workflow::quota::Uploads;
use crate::workflow::sealing;

/// Everything that the workflows work with: the five doors, opened.
pub(crate) struct App {
    pub(crate) store: Store,
    pub(crate) files: ByteFiles,
    pub(crate) keys: DataKeys,
    pub(crate) master: Arc<MasterKey>,
    /// This host's clock, for what the outside world dates: certificates and
    /// time-stamps. What records say is compared with the store's time, which
    /// is one for all hosts.
    pub(crate) clock: Arc<dyn Clock>,
    /// The data folder.
    pub(crate) data: PathBuf,
    /// The plugins that can be called.
    pub(crate) plugins: Arc<Registry>,
    /// Where operators change which these are.
    pub(crate) shelf: Shelf,
    pub(crate) signer_check: SignerCheck,
    pub(crate) timestamps: TimestampClient,
    /// Gets what an archive is completed with.
    pub(crate) validation_data: ValidationData,
    pub(crate) smart_id: Option<SmartIdClient>,
    /// Where webhooks may go.
    pub(crate) webhook_policy: AddressPolicy,
    /// What holds for workspaces that have nothing of their own set.
    pub(crate) billing: Billing,
    /// Spares hashing a document again when it is read for the next step of a
    /// signature, by the id of its bytes.
    pub(crate) known_documents: KnownDocuments,
    /// Lets documents in as long as there is room for them.
    pub(crate) uploads: Uploads,
    /// Stored files that are in memory at one time to be signed.
    pub(crate) file_loads: Semaphore,
    /// Archives that are made at one time.
    pub(crate) archive_turns: ArchiveTurns,
    /// Documents that are in memory at one time for attempts.
    pub(crate) document_turns: DocumentTurns,
    /// Documents that go out to whoever asked for them, at one time.
    pub(crate) download_places: Places,
    /// How long a stored file is kept.
    pub(crate) keep_files: SignedDuration,
    /// How long a signature that a device has made is worth finishing.
    pub(crate) finish_within: SignedDuration,
    /// The way out for events.
    pub(crate) webhooks: WebhookSender,
    /// Hands letters in, where a mail server is set up.
    pub(crate) mailer: Option<MailSender>,
    /// Public base URL, without a slash at the end.
    pub(crate) base_url: Url,
    pub(crate) changes: Changes,
    /// Who waits on which link.
    pub(crate) waiting: Waiting,
    pub(crate) told: Told,
    /// What pages say of the signatures that documents carry.
    pub(crate) advices: Advices,
    /// Wakes the job runner.
    pub(crate) work: Notify,
    /// Told when the server is to stop.
    pub(crate) stop: CancellationToken,
}

impl App {
    /// Methods that can be used here, whoever the signer is.
    pub(crate) fn methods_set_up(&self) -> BTreeSet<SigningMethod> {
        self.smart_id
            .iter()
            .map(|_| SigningMethod::SmartId)
            .collect()
    }

    /// Where operators' commands are carried out.
    pub(crate) fn desk(&self) -> Desk<'_> {
        Desk {
            store: &self.store,
            keys: &self.keys,
            master: &self.master,
            files: &self.files,
            data: &self.data,
            shelf: &self.shelf,
            billing: &self.billing,
        }
    }

    /// Random bytes from which a plugin derives the identifiers of one document.
    pub(crate) fn seed() -> Result<[u8; 32], WorkflowError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|_| StoreError::Random)?;
        Ok(seed)
    }

    /// Removes bytes that have become nobody's. What cannot be removed now is
    /// swept later.
    pub(crate) async fn discard_bytes(&self, bytes: Uuid) {
        if let Err(error) = self.files.unlink(bytes).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "bytes that are nobody's are left");
        }
    }

    /// The token of a signer's link.
    pub(crate) fn ceremony_token(&self, signer: Uuid) -> Token {
        const GENERATION: u32 = 0;

        self.master.token("ceremony", signer, GENERATION)
    }

    /// An absolute address below the public base URL; `path` begins with a
    /// slash.
    pub(crate) fn address(&self, path: &str) -> String {
        format!("{}{path}", self.base_url.as_str().trim_end_matches('/'))
    }

    /// A document for plugins. Its bytes are written once, under an id of their
    /// own that they are sealed with.
    pub(crate) async fn document(
        &self,
        key: &DataKey,
        bytes: Uuid,
    ) -> Result<Document, WorkflowError> {
        let read = self.files.read(key, bytes).await?;
        Ok(self.known_documents.document(bytes.as_u128(), read))
    }

    /// The key under which a signing's personal data are.
    pub(crate) async fn data_key(&self, id: Uuid) -> Result<DataKey, WorkflowError> {
        Ok(self.keys.open(id).await?)
    }

    /// What a notice is to say; none once its key is erased, and where it can
    /// never be read again.
    pub(crate) async fn notice_unless_lost<T: DeserializeOwned>(
        &self,
        notice: &NoticeRow,
    ) -> Result<Option<T>, WorkflowError> {
        let payload = match self.data_key(notice.data_key).await {
            Ok(key) => sealing::open_notice(&key, notice.id, &notice.payload),
            Err(error) => Err(error),
        };
        match payload {
            Ok(payload) => Ok(Some(payload)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) if error.is_unreadable() => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(notice.id = %notice.id, error, "a notice is lost: it cannot be read");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The data key of a signing; none if there is no such signing, or if it
    /// was erased.
    pub(crate) async fn signing_key(&self, id: Uuid) -> Result<Option<DataKey>, WorkflowError> {
        let row = self.store.get::<SigningRow>(&id).await?;
        match row.filter(|row| row.erased_at.is_none()) {
            Some(row) => Ok(Some(self.data_key(row.data_key).await?)),
            None => Ok(None),
        }
    }
}
