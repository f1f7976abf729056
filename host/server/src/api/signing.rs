use std::sync::Arc;

use async_trait::async_trait;
use parafa_api_signing::requests::{
    BulkErasure, CreateBatch, CreateSigning, DocumentBytes, ListQuery, NewComment, NewFile,
    NewSigner, Party, Simulation, Source, UpdateDeadline, UpdateSigner,
};
use parafa_api_signing::{
    ApiKey, BatchId, CallerRole, Delivery, DocumentDownload, DocumentFamily, FileToken,
    IdempotentRequest, KeyMode, Language, Presence, Principal, Problem, ProblemKind, Record,
    Reservation, SignerId, SigningApi, SigningId, SigningOrder, views,
};
use parafa_domain as domain;
use url::Url;
use uuid::Uuid;

use super::views::{digest, domain_method, domain_status, signing};
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{self, Product, Role};
use crate::workflow::accounts::Caller;
use crate::workflow::create_signing::{SignerForm, SigningOrderForm};
use crate::workflow::read_signing::Listing;

/// The signing orchestration API over the workflows.
pub(crate) struct Signings(pub(crate) Arc<App>);

impl Principal for Caller {
    fn key_id(&self) -> Uuid {
        self.tenant
    }

    fn mode(&self) -> KeyMode {
        match self.mode {
            records::KeyMode::Live => KeyMode::Live,
            records::KeyMode::Test => KeyMode::Test,
        }
    }

    fn role(&self) -> CallerRole {
        match self.role {
            Role::Owner => CallerRole::Owner,
            Role::Member => CallerRole::Member,
            Role::Viewer => CallerRole::Viewer,
        }
    }
}

#[async_trait]
impl SigningApi for Signings {
    type Caller = Caller;
    type Claim = ();

    async fn authenticate(&self, key: &ApiKey) -> Result<Caller, Problem> {
        let caller = self.0.caller(key.expose(), Product::Signing).await;
        caller?.ok_or_else(Problem::unauthorized)
    }

    async fn presence(&self, caller: &Caller, record: Record) -> Result<Presence, Problem> {
        let (Record::Signing(id) | Record::Signer(id, _)) = record else {
            return Ok(Presence::Absent);
        };
        let row = match self.0.signing_of(caller, id.0).await {
            Ok(row) => row,
            Err(WorkflowError::NotFound) => return Ok(Presence::Absent),
            Err(error) => return Err(error.into()),
        };
        let unknown_signer = matches!(record, Record::Signer(_, signer)
            if row.signing.signers.iter().all(|party| party.id.uuid() != signer.0));
        Ok(match row.erased_at {
            _ if unknown_signer => Presence::Absent,
            Some(_) => Presence::Erased,
            None => Presence::Present,
        })
    }

    fn webhook_target(&self, target: &Url) -> Result<(), String> {
        self.0
            .webhook_policy
            .check(target.as_str())
            .map_err(|fault| format!("cannot be a target: {fault}"))
    }

    async fn reserve(
        &self,
        _caller: &Caller,
        _request: IdempotentRequest,
    ) -> Result<Reservation<()>, Problem> {
        Err(not_set_up("idempotency keys are not kept here"))
    }

    async fn release(&self, _claim: ()) {}

    async fn create_signing(
        &self,
        caller: &Caller,
        request: CreateSigning,
        _claim: Option<&()>,
    ) -> Result<views::Signing, Problem> {
        let form = form(request)?;
        let row = self.0.create_signing(caller, form).await?;
        let opened = self.0.open_signing(row).await?;
        signing(&self.0, opened)
    }

    async fn list_signings(
        &self,
        caller: &Caller,
        query: ListQuery,
    ) -> Result<views::SigningList, Problem> {
        let listing = Listing {
            status: query.status.map(domain_status),
            limit: usize::from(query.limit),
            after: query.starting_after.map(|id| id.0),
        };
        let (rows, has_more) = self.0.list_signings(caller, listing).await?;
        let next_cursor = rows
            .last()
            .filter(|_| has_more)
            .map(|row| row.signing.id.uuid().into());
        let mut data = Vec::with_capacity(rows.len());
        for row in rows {
            let opened = self.0.open_signing(row).await?;
            data.push(signing(&self.0, opened)?);
        }
        Ok(views::SigningList {
            data,
            has_more,
            next_cursor,
        })
    }

    async fn read_signing(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<views::Signing, Problem> {
        let row = self.0.signing_of(caller, id.0).await?;
        let opened = self.0.open_signing(row).await?;
        signing(&self.0, opened)
    }

    async fn download_document(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<DocumentDownload, Problem> {
        let download = self.0.signed_document(caller, id.0).await?;
        let sha256 = digest(&download.version)?;
        Ok(DocumentDownload {
            bytes: download.bytes,
            file_name: download.name,
            sha256,
            simulated: false,
        })
    }

    async fn update_deadline(
        &self,
        _caller: &Caller,
        _id: SigningId,
        _request: UpdateDeadline,
    ) -> Result<views::Signing, Problem> {
        Err(not_built())
    }

    async fn erase_signing(
        &self,
        _caller: &Caller,
        _id: SigningId,
    ) -> Result<views::ErasedSigning, Problem> {
        Err(not_built())
    }

    async fn erase_ended_signings(
        &self,
        _caller: &Caller,
        _request: BulkErasure,
    ) -> Result<views::ErasureCount, Problem> {
        Err(not_built())
    }

    async fn cancel_signing(
        &self,
        _caller: &Caller,
        _id: SigningId,
    ) -> Result<views::Signing, Problem> {
        Err(not_built())
    }

    async fn archive_signing(
        &self,
        _caller: &Caller,
        _id: SigningId,
    ) -> Result<views::ArchivedSigning, Problem> {
        Err(not_built())
    }

    async fn simulate_outcome(
        &self,
        _caller: &Caller,
        _id: SigningId,
        _request: Simulation,
    ) -> Result<views::Signing, Problem> {
        Err(not_built())
    }

    async fn add_signer(
        &self,
        _caller: &Caller,
        _id: SigningId,
        _request: NewSigner,
        _claim: Option<&()>,
    ) -> Result<views::Signer, Problem> {
        Err(not_built())
    }

    async fn update_signer(
        &self,
        _caller: &Caller,
        _id: SigningId,
        _signer: SignerId,
        _request: UpdateSigner,
    ) -> Result<views::Signer, Problem> {
        Err(not_built())
    }

    async fn remove_signer(
        &self,
        _caller: &Caller,
        _id: SigningId,
        _signer: SignerId,
    ) -> Result<(), Problem> {
        Err(not_built())
    }

    async fn remind_signer(
        &self,
        _caller: &Caller,
        _id: SigningId,
        _signer: SignerId,
    ) -> Result<views::Signer, Problem> {
        Err(not_built())
    }

    async fn create_batch(
        &self,
        _caller: &Caller,
        _request: CreateBatch,
        _claim: Option<&()>,
    ) -> Result<views::Batch, Problem> {
        Err(not_built())
    }

    async fn read_batch(&self, _caller: &Caller, _id: BatchId) -> Result<views::Batch, Problem> {
        Err(not_built())
    }

    async fn store_file(
        &self,
        _caller: &Caller,
        _request: NewFile,
        _claim: Option<&()>,
    ) -> Result<views::StoredFile, Problem> {
        Err(not_built())
    }

    async fn read_file(
        &self,
        _caller: &Caller,
        _token: FileToken,
    ) -> Result<views::StoredFile, Problem> {
        Err(not_built())
    }

    async fn delete_file(
        &self,
        _caller: &Caller,
        _token: FileToken,
    ) -> Result<views::StoredFile, Problem> {
        Err(not_built())
    }

    async fn list_comments(
        &self,
        _caller: &Caller,
        _id: SigningId,
    ) -> Result<views::CommentList, Problem> {
        Err(not_built())
    }

    async fn add_comment(
        &self,
        _caller: &Caller,
        _id: SigningId,
        _request: NewComment,
        _claim: Option<&()>,
    ) -> Result<views::Comment, Problem> {
        Err(not_built())
    }
}

fn form(request: CreateSigning) -> Result<SigningOrderForm, Problem> {
    let CreateSigning { source, terms } = request;
    let content_pointer = source.content_pointer(0);
    let document = match source {
        Source::Document(document) => document,
        Source::Container(_) => return Err(not_set_up("new containers cannot be composed here")),
    };
    if document.family == DocumentFamily::Mdoc {
        return Err(Problem::of(ProblemKind::MdocNotAccepted));
    }
    if document.flatten {
        return Err(not_set_up("forms cannot be flattened here"));
    }
    if terms.delivery == Delivery::Email {
        return Err(not_set_up("mail is not set up here; use delivery link"));
    }
    let content = match document.bytes {
        DocumentBytes::Content(content) => content,
        DocumentBytes::FileToken(_) => return Err(WorkflowError::UnknownFileToken.into()),
    };
    let extension = document
        .name
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_lowercase())
        .unwrap_or_default();
    Ok(SigningOrderForm {
        title: terms.title,
        document_name: document.name,
        extension,
        content_pointer,
        content,
        order: match terms.signing_order {
            SigningOrder::Parallel => domain::SigningOrder::Parallel,
            SigningOrder::Sequential => domain::SigningOrder::Sequential,
        },
        webhook_url: terms.webhook_url.map(String::from),
        external_id: terms.external_id,
        expires_in_days: terms.expires_in_days,
        soft_deadline_in_days: terms.soft_deadline_in_days,
        signers: terms
            .signers
            .into_iter()
            .map(signer_form)
            .collect::<Result<_, _>>()?,
    })
}

fn signer_form(signer: NewSigner) -> Result<SignerForm, Problem> {
    let (role, methods, personal_code) = match signer.party {
        Party::Signer {
            personal_code,
            methods,
        } => {
            let code = personal_code
                .map(|code| code.expose().parse::<domain::PersonalCode>())
                .transpose();
            let code =
                code.map_err(|_| WorkflowError::Inconsistent("a checked personal code is none"))?;
            (
                domain::SignerRole::Signer,
                methods.into_iter().map(domain_method).collect(),
                code,
            )
        }
        Party::Viewer => (
            domain::SignerRole::Viewer,
            domain::MethodSet::default(),
            None,
        ),
    };
    Ok(SignerForm {
        role,
        email: signer.email.to_string(),
        name: signer.name,
        language: match signer.language {
            Language::Lt => domain::Language::Lt,
            Language::En => domain::Language::En,
        },
        methods,
        personal_code,
    })
}

fn not_built() -> Problem {
    not_set_up("this call is not in use yet")
}

fn not_set_up(what: &'static str) -> Problem {
    WorkflowError::NotSetUp(what).into()
}
