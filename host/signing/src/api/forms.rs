//! From requests to what the workflows are asked.

use parafa_api_signing::requests::{
    ContainerFile, CreateBatch, CreateSigning, DocumentBytes, NewDocument, NewFile, NewSigner,
    Party, Source, Terms,
};
use parafa_api_signing::{Problem, SigningMethod};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::forms::{SignerForm, TermsForm};
use parafa_domain as domain;

use super::vocabulary::IntoDomain;
use crate::files::FileForm;
use crate::forms::{
    BatchForm, ContainerFileForm, ContainerForm, ContentForm, DocumentForm, SigningForm, SourceForm,
};

/// A signing to be.
pub(super) fn signing(request: CreateSigning) -> Result<SigningForm, Problem> {
    let pointers: Vec<String> = match &request.source {
        Source::Document(_) => Vec::new(),
        Source::Container(container) => (0..container.files.len())
            .map(|index| request.source.content_pointer(index))
            .collect(),
    };
    Ok(SigningForm {
        source: match request.source {
            Source::Document(document) => SourceForm::Document(self::document(document)),
            Source::Container(container) => {
                let files = container.files.into_iter().zip(pointers);
                SourceForm::Container(ContainerForm {
                    extension: container.format.as_str(),
                    files: files.map(|(file, at)| container_file(file, at)).collect(),
                })
            }
        },
        terms: terms(request.terms)?,
    })
}

/// A batch to be.
pub(super) fn batch(request: CreateBatch) -> Result<BatchForm, Problem> {
    Ok(BatchForm {
        documents: request.documents.into_iter().map(document).collect(),
        terms: terms(request.terms)?,
    })
}

/// A file to be stored.
pub(super) fn file(request: NewFile) -> FileForm {
    FileForm {
        extension: extension(&request.name),
        name: request.name,
        pointer: NewFile::CONTENT_POINTER,
        content: request.content,
    }
}

/// A party to be.
pub(super) fn signer(signer: NewSigner) -> Result<SignerForm, Problem> {
    let (role, methods, personal_code) = match signer.party {
        Party::Signer {
            personal_code,
            methods,
        } => {
            let code = personal_code
                .map(|code| code.expose().parse::<domain::PersonalCode>())
                .transpose();
            let code =
                code.map_err(|_| CeremonyError::Inconsistent("a checked personal code is none"))?;
            (domain::SignerRole::Signer, self::methods(methods), code)
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
        language: Some(signer.language.into_domain()),
        methods,
        personal_code,
    })
}

/// Methods in the order in which they are given.
pub(super) fn methods(methods: Vec<SigningMethod>) -> domain::MethodSet {
    methods.into_iter().map(IntoDomain::into_domain).collect()
}

fn document(document: NewDocument) -> DocumentForm {
    DocumentForm {
        extension: extension(&document.name),
        pointer: document.content_pointer(),
        flatten_pointer: document.flatten_pointer(),
        name: document.name,
        content: match document.bytes {
            DocumentBytes::Content(content) => ContentForm::Inline(content),
            DocumentBytes::FileToken(token) => ContentForm::File(token.0),
        },
        flatten: document.flatten,
    }
}

/// A file that is to be in a container; it stands at `pointer`.
fn container_file(file: ContainerFile, pointer: String) -> ContainerFileForm {
    ContainerFileForm {
        media_type: file.media_type,
        document: DocumentForm {
            extension: extension(&file.name),
            flatten_pointer: pointer.clone(),
            pointer,
            name: file.name,
            content: ContentForm::Inline(file.content),
            flatten: false,
        },
    }
}

fn terms(terms: Terms) -> Result<TermsForm, Problem> {
    Ok(TermsForm {
        title: terms.title,
        delivery: terms.delivery.into_domain(),
        order: terms.signing_order.into_domain(),
        webhook_url: terms.webhook_url.map(String::from),
        external_id: terms.external_id,
        expires_in_days: terms.expires_in_days,
        soft_deadline_in_days: terms.soft_deadline_in_days,
        signers: terms
            .signers
            .into_iter()
            .map(signer)
            .collect::<Result<_, _>>()?,
    })
}

/// The extension of a checked name, in lower case.
fn extension(name: &str) -> String {
    name.rsplit_once('.')
        .map(|(_, extension)| extension.to_lowercase())
        .unwrap_or_default()
}
