use std::sync::Arc;

use async_trait::async_trait;
use parafa_api_signing::requests::{
    CreateSigning, DocumentBytes, ListQuery, NewSigner, Party, Source,
};
use parafa_api_signing::{
    Access, ApiKey, CallerRole, Delivery, DocumentDownload, DocumentFamily, Language, Principal,
    Problem, ProblemKind, SigningApi, SigningId, SigningOrder, views,
};
use parafa_domain as domain;
use url::Url;

use super::views::{digest, domain_method, domain_status, signing};
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{Product, Role};
use crate::workflow::accounts::Caller;
use crate::workflow::create_signing::{SignerForm, SigningOrderForm};
use crate::workflow::read_signing::Listing;

/// The signing orchestration API over the workflows.
pub(crate) struct Signings(pub(crate) Arc<App>);

impl Principal for Caller {
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

    async fn authenticate(&self, key: &ApiKey) -> Result<Caller, Problem> {
        let caller = self.0.caller(key.expose(), Product::Signing).await;
        caller?.ok_or_else(Problem::unauthorized)
    }

    async fn admit(&self, _caller: &Caller, _access: Access) -> Result<(), Problem> {
        Ok(())
    }

    async fn signing_exists(&self, caller: &Caller, id: SigningId) -> Result<bool, Problem> {
        match self.0.signing_of(caller, id.0).await {
            Ok(_) => Ok(true),
            Err(WorkflowError::NotFound) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn webhook_target(&self, target: &Url) -> Result<(), String> {
        self.0
            .webhook_policy
            .check(target.as_str())
            .map_err(|fault| format!("cannot be a target: {fault}"))
    }

    async fn create_signing(
        &self,
        caller: &Caller,
        request: CreateSigning,
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
}

fn form(request: CreateSigning) -> Result<SigningOrderForm, Problem> {
    let content_pointer = request.source.content_pointer(0);
    let document = match request.source {
        Source::Document(document) => document,
        Source::Container(_) => return Err(not_set_up("new containers cannot be composed here")),
    };
    if document.family == DocumentFamily::Mdoc {
        return Err(Problem::of(ProblemKind::MdocNotAccepted));
    }
    if document.flatten {
        return Err(not_set_up("forms cannot be flattened here"));
    }
    if request.delivery == Delivery::Email {
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
        title: request.title,
        document_name: document.name,
        extension,
        content_pointer,
        content,
        order: match request.signing_order {
            SigningOrder::Parallel => domain::SigningOrder::Parallel,
            SigningOrder::Sequential => domain::SigningOrder::Sequential,
        },
        webhook_url: request.webhook_url.map(String::from),
        external_id: request.external_id,
        expires_in_days: request.expires_in_days,
        soft_deadline_in_days: request.soft_deadline_in_days,
        signers: request
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

fn not_set_up(what: &'static str) -> Problem {
    WorkflowError::NotSetUp(what).into()
}
