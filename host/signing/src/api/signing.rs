use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::body::Body;
use bytes::Bytes;
use jiff::Timestamp;
use parafa_api_signing::requests::{
    BulkErasure, CreateBatch, CreateSigning, ListQuery, NewComment, NewFile, NewSigner, Simulation,
    UpdateDeadline, UpdateSigner,
};
use parafa_api_signing::{
    Api, BatchId, CallersDeliveries, ContainerFormat, Credentials, DeliveriesApi, DocumentDownload,
    FileToken, IdempotentRequest, Presence, Problem, ProblemKind, Record, Reservation, SignerId,
    SigningApi, SigningEventKind, SigningId, SigningMethod, WireName, views as api,
};
use parafa_ceremony::Ceremonies;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::downloads::Requester;
use parafa_ceremony::links::Links;
use parafa_ceremony::reader::{CeremonyReader, ListedCeremony};
use parafa_ceremony::records::CeremonyRow;
use parafa_ceremony::retention;
use parafa_outbound::AddressPolicy;
use parafa_platform::Records;
use parafa_platform::accounts::{Caller, KeyMode, Product};
use parafa_platform::deliveries::Deliveries;
use parafa_platform::idempotency::Idempotency;
use parafa_platform::keys::Keys;
use parafa_plugin_host::{Plugin, Registry};
use tokio::time::Instant;
use url::Url;

use super::evidence::evidence;
use super::evidence_document::print;
use super::vocabulary::{IntoApi, IntoDomain};
use super::{forms, views};
use crate::compose::can_compose;
use crate::listing::Listing;
use crate::records::CommentPrivate;
use crate::{SigningError, SigningProduct};

/// Time that one request spends on erasing signings; the answer reports the
/// rest, which the next request erases.
const BULK_ERASURE_TIME: Duration = Duration::from_secs(20);

/// The signing orchestration API over the services.
pub struct SigningOperations {
    /// The rows with their files and keys.
    pub records: Records,
    /// The callers of API keys.
    pub keys: Keys,
    /// Signers' links.
    pub links: Links,
    /// Stored answers.
    pub idempotency: Idempotency,
    /// Webhook deliveries.
    pub deliveries: Deliveries,
    /// Reader of signings.
    pub reader: CeremonyReader,
    /// Services that open, simulate and archive signings.
    pub product: SigningProduct,
    /// Services that change, end and erase signings.
    pub ceremonies: Arc<Ceremonies>,
    /// The active plugins.
    pub plugins: Arc<Registry>,
    /// Allowed addresses of webhooks.
    pub webhook_policy: AddressPolicy,
    /// Extensions of accepted documents in addition to the API's.
    pub further_extensions: Arc<[String]>,
}

#[async_trait]
impl Api for SigningOperations {
    type Caller = Caller;
    type Record = Record;

    async fn authenticate(&self, credentials: &Credentials) -> Result<Caller, Problem> {
        let caller = self.keys.caller(credentials, Product::Signing).await;
        let caller = caller.map_err(SigningError::from)?;
        caller.ok_or_else(Problem::unauthorized)
    }

    async fn authenticate_any(&self, credentials: &Credentials) -> Result<Caller, Problem> {
        let caller = self.keys.caller_of_any(credentials).await;
        let caller = caller.map_err(SigningError::from)?;
        caller.ok_or_else(Problem::unauthorized)
    }

    async fn presence(&self, caller: &Caller, record: Record) -> Result<Presence, Problem> {
        match self.presence_of(caller, record).await {
            Ok(presence) => Ok(presence),
            Err(SigningError::Ceremony(CeremonyError::NotFound)) => Ok(Presence::Absent),
            Err(error) => Err(error.into()),
        }
    }

    async fn reserve(
        &self,
        caller: &Caller,
        request: IdempotentRequest,
    ) -> Result<Reservation<Caller>, Problem> {
        let reserved = self.idempotency.reserve(caller.key, &request).await;
        let reserved = reserved.map_err(SigningError::from)?;
        Ok(reserved.map(|claim| caller.claiming(claim)))
    }

    async fn hold(&self, caller: &Caller) -> Infallible {
        self.idempotency.hold(caller.claim).await
    }

    async fn release(&self, caller: &Caller) {
        self.idempotency.give_back(caller.claim).await;
    }
}

impl SigningOperations {
    /// Returns the containers that can be made of files and signed.
    fn containers(&self) -> Vec<ContainerFormat> {
        let formats = ContainerFormat::ALL.iter().map(|(_, format)| *format);
        let composes = |format: &ContainerFormat| {
            let plugin = self.plugins.by_extension(format.as_str());
            plugin.is_some_and(|plugin| can_compose(&plugin))
        };
        formats.filter(composes).collect()
    }
}

impl DeliveriesApi for SigningOperations {
    type Event = SigningEventKind;

    fn webhook_target(&self, target: &Url) -> Result<(), String> {
        self.webhook_policy
            .check(target.as_str())
            .map_err(|fault| format!("cannot be a target: {fault}"))
    }

    fn deliveries(&self) -> &dyn CallersDeliveries<Caller> {
        &self.deliveries
    }
}

#[async_trait]
impl SigningApi for SigningOperations {
    fn further_extensions(&self) -> &[String] {
        &self.further_extensions
    }

    fn methods(&self) -> Vec<SigningMethod> {
        let methods = self.ceremonies.methods_set_up().into_iter();
        methods.map(IntoApi::into_api).collect()
    }

    fn only_in_the_sandbox(caller: &Caller) -> Result<(), Problem> {
        match caller.mode {
            KeyMode::Test => Ok(()),
            KeyMode::Live => Err(Problem::of(ProblemKind::SandboxOnly)),
        }
    }

    fn capabilities(&self) -> api::Capabilities {
        api::Capabilities {
            formats: self.plugins.active().iter().map(installed).collect(),
            methods: self.methods(),
            containers: self.containers(),
        }
    }

    async fn list_signings(
        &self,
        caller: &Caller,
        query: ListQuery,
    ) -> Result<api::SigningList, Problem> {
        let listing = Listing {
            status: query.status.map(IntoDomain::into_domain),
            limit: usize::from(query.limit),
            after: query.starting_after.map(|id| id.0),
        };
        let listed = self.product.signings.list_signings(caller, listing).await?;
        let rows: Vec<_> = listed.signings.iter().map(ListedCeremony::row).collect();
        let erasures = self.erasures(&rows).await?;
        let signings = listed.signings.iter().zip(erasures);
        let shown = signings.map(|(one, erases_at)| {
            let shown = views::shown(&self.links, one)?;
            Ok::<_, SigningError>(api::Signing { erases_at, ..shown })
        });
        Ok(api::SigningList {
            data: shown.collect::<Result<_, _>>()?,
            has_more: listed.next.is_some(),
            next_cursor: listed.next,
        })
    }

    async fn create_signing(
        &self,
        caller: &Caller,
        request: CreateSigning,
    ) -> Result<api::Signing, Problem> {
        let opened = self
            .product
            .signings
            .create_signing(caller, request)
            .await?;
        Ok(views::signing(&self.links, &opened)?)
    }

    async fn read_signing(&self, caller: &Caller, id: SigningId) -> Result<api::Signing, Problem> {
        let opened = self.reader.read(caller, id.0).await?;
        let erases_at = self.erasures(&[&opened.row]).await?.pop().flatten();
        let shown = views::signing(&self.links, &opened)?;
        Ok(api::Signing { erases_at, ..shown })
    }

    async fn update_deadline(
        &self,
        caller: &Caller,
        id: SigningId,
        request: UpdateDeadline,
    ) -> Result<api::Signing, Problem> {
        let days = request.expires_in_days;
        let opened = self.ceremonies.change_deadline(caller, id.0, days).await?;
        Ok(views::signing(&self.links, &opened)?)
    }

    async fn erase_signing(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<api::ErasedSigning, Problem> {
        let changed = self.ceremonies.erase(caller, id.0).await?;
        Ok(api::ErasedSigning::new(id, changed))
    }

    async fn erase_ended_signings(
        &self,
        caller: &Caller,
        request: BulkErasure,
    ) -> Result<api::ErasureCount, Problem> {
        let until = Instant::now() + BULK_ERASURE_TIME;
        let count = self
            .ceremonies
            .erase_ended(caller, request.before, until)
            .await?;
        Ok(api::ErasureCount {
            purged: count.purged,
            failed: count.failed,
        })
    }

    async fn cancel_signing(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<api::Signing, Problem> {
        let opened = self.ceremonies.cancel(caller, id.0).await?;
        Ok(views::signing(&self.links, &opened)?)
    }

    async fn download_document(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<DocumentDownload, Problem> {
        let download = self
            .ceremonies
            .downloads()
            .signed_document(caller, id.0)
            .await?;
        let (downloads, requester) = (
            self.ceremonies.downloads().clone(),
            Requester::Key(caller.key),
        );
        Ok(DocumentDownload {
            bytes: download.version.bytes,
            file_name: download.name.clone(),
            sha256: views::digest(&download.version.sha256)?,
            simulated: download.simulated,
            content: Box::pin(async move {
                Ok(Body::from_stream(
                    downloads.send(download, requester).await?,
                ))
            }),
        })
    }

    async fn archive_signing(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<api::ArchivedSigning, Problem> {
        let archived = self.product.archives.archive_signing(caller, id.0).await?;
        Ok(views::archived(&archived)?)
    }

    async fn read_evidence(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<api::SigningEvidence, Problem> {
        let found = evidence(&self.records, &self.reader, caller, id.0);
        Ok(found.await?.1)
    }

    async fn print_evidence(&self, caller: &Caller, id: SigningId) -> Result<Bytes, Problem> {
        let found = evidence(&self.records, &self.reader, caller, id.0);
        let (opened, found) = found.await?;
        Ok(print(&self.plugins, caller, &opened, &found).await?)
    }

    async fn simulate_outcome(
        &self,
        caller: &Caller,
        id: SigningId,
        request: Simulation,
    ) -> Result<api::Signing, Problem> {
        let ended = self
            .product
            .signings
            .simulate_outcome(caller, id.0, request);
        let opened = ended.await?;
        Ok(views::signing(&self.links, &opened)?)
    }

    async fn add_signer(
        &self,
        caller: &Caller,
        id: SigningId,
        request: NewSigner,
    ) -> Result<api::Signer, Problem> {
        let opened = self
            .product
            .signings
            .add_signer(caller, id.0, request)
            .await?;
        Ok(views::opened_signer(&self.links, &opened))
    }

    async fn update_signer(
        &self,
        caller: &Caller,
        id: SigningId,
        signer: SignerId,
        request: UpdateSigner,
    ) -> Result<api::Signer, Problem> {
        let methods = forms::methods(request.methods);
        let changed = self
            .ceremonies
            .change_methods(caller, id.0, signer.0, methods);
        Ok(views::opened_signer(&self.links, &changed.await?))
    }

    async fn remove_signer(
        &self,
        caller: &Caller,
        id: SigningId,
        signer: SignerId,
    ) -> Result<(), Problem> {
        Ok(self
            .ceremonies
            .remove_signer(caller, id.0, signer.0)
            .await?)
    }

    async fn remind_signer(
        &self,
        caller: &Caller,
        id: SigningId,
        signer: SignerId,
    ) -> Result<api::Signer, Problem> {
        let reminded = self
            .ceremonies
            .remind_signer(caller, id.0, signer.0)
            .await?;
        Ok(views::opened_signer(&self.links, &reminded))
    }

    async fn create_batch(
        &self,
        caller: &Caller,
        request: CreateBatch,
    ) -> Result<api::Batch, Problem> {
        let opened = self.product.signings.create_batch(caller, request).await?;
        Ok(views::batch(&self.links, &opened)?)
    }

    async fn read_batch(&self, caller: &Caller, id: BatchId) -> Result<api::Batch, Problem> {
        let opened = self.product.signings.read_batch(caller, id.0).await?;
        Ok(views::batch(&self.links, &opened)?)
    }

    async fn store_file(
        &self,
        caller: &Caller,
        request: NewFile,
    ) -> Result<api::StoredFile, Problem> {
        let opened = self.product.intake.store_file(caller, request).await?;
        Ok(views::file(&opened)?)
    }

    async fn read_file(
        &self,
        caller: &Caller,
        token: FileToken,
    ) -> Result<api::StoredFile, Problem> {
        let opened = self.product.intake.read_file(caller, token.0).await?;
        Ok(views::file(&opened)?)
    }

    async fn delete_file(
        &self,
        caller: &Caller,
        token: FileToken,
    ) -> Result<api::StoredFile, Problem> {
        let opened = self.product.intake.delete_file(caller, token.0).await?;
        Ok(views::file(&opened)?)
    }

    async fn list_comments(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<api::CommentList, Problem> {
        let comments = self.product.comments.list_comments(caller, id.0).await?;
        Ok(api::CommentList {
            signing_id: id,
            comments: comments.iter().map(views::comment).collect(),
        })
    }

    async fn add_comment(
        &self,
        caller: &Caller,
        id: SigningId,
        request: NewComment,
    ) -> Result<api::Comment, Problem> {
        let said = CommentPrivate {
            author_label: request.author_label,
            body: request.body,
        };
        let opened = self
            .product
            .comments
            .add_comment(caller, id.0, said)
            .await?;
        Ok(views::comment(&opened))
    }
}

impl SigningOperations {
    /// Returns when signings are erased automatically.
    async fn erasures(
        &self,
        rows: &[&CeremonyRow],
    ) -> Result<Vec<Option<Timestamp>>, SigningError> {
        Ok(retention::erasures(&self.records.store, rows).await?)
    }

    async fn presence_of(&self, caller: &Caller, record: Record) -> Result<Presence, SigningError> {
        let (id, signer) = match record {
            Record::Signing(id) => (id, None),
            Record::Signer(id, signer) => (id, Some(signer)),
            Record::Batch(id) => {
                self.product.signings.batch_of(caller, id.0).await?;
                return Ok(Presence::Present);
            }
            Record::File(token) => {
                self.product.intake.file_of(caller, token.0).await?;
                return Ok(Presence::Present);
            }
            Record::Delivery(id) => return Ok(self.deliveries.presence(caller, id).await?),
        };
        let row = self.reader.row_of(caller, id.0).await?;
        let parties = &row.ceremony.signers;
        let is_party = |signer: SignerId| parties.iter().any(|party| party.id.uuid() == signer.0);
        if !signer.is_none_or(is_party) {
            return Err(CeremonyError::NotFound.into());
        }
        Ok(if row.erased_at.is_some() {
            Presence::Erased
        } else {
            Presence::Present
        })
    }
}

fn installed(plugin: &Arc<Plugin>) -> api::InstalledFormat {
    let extensions = plugin.extensions().iter();
    let operations = plugin.capabilities().iter();
    api::InstalledFormat {
        id: plugin.id().to_owned(),
        extensions: extensions
            .map(|extension| extension.trim_start_matches('.').to_owned())
            .collect(),
        operations: operations
            .map(|operation| operation.world().to_owned())
            .collect(),
    }
}
