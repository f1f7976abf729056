//! From requests to what the workflows are asked.

use parafa_api_signing::requests::{
    CreateBatch, CreateSigning, DocumentBytes, NewDocument, NewFile, NewSigner, Party, Simulation,
    Source, Terms,
};
use parafa_api_signing::{
    Delivery, Language, Problem, ProblemKind, SigningMethod, SigningOrder, SimulatedOutcome,
};
use parafa_domain as domain;

use super::views::domain_method;
use crate::error::WorkflowError;
use crate::records;
use crate::workflow::files::FileForm;
use crate::workflow::forms::{
    BatchForm, ContentForm, DocumentForm, SignerForm, SigningOrderForm, TermsForm,
};
use crate::workflow::simulate::Outcome;

/// A signing to be.
pub(super) fn signing(request: CreateSigning) -> Result<SigningOrderForm, Problem> {
    let document = match request.source {
        Source::Document(document) => self::document(document, "/document"),
        Source::Container(_) => {
            return Err(Problem::new(
                ProblemKind::Unavailable,
                "New containers cannot be composed here.",
            ));
        }
    };
    Ok(SigningOrderForm {
        document,
        terms: terms(request.terms)?,
    })
}

/// A batch to be.
pub(super) fn batch(request: CreateBatch) -> Result<BatchForm, Problem> {
    let documents = request.documents.into_iter().enumerate();
    Ok(BatchForm {
        documents: documents
            .map(|(index, one)| document(one, &format!("/documents/{index}")))
            .collect(),
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
                code.map_err(|_| WorkflowError::Inconsistent("a checked personal code is none"))?;
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
        language: match signer.language {
            Language::Lt => domain::Language::Lt,
            Language::En => domain::Language::En,
        },
        methods,
        personal_code,
    })
}

/// Methods in the order in which they are given.
pub(super) fn methods(methods: Vec<SigningMethod>) -> domain::MethodSet {
    methods.into_iter().map(domain_method).collect()
}

/// What is to be simulated.
pub(super) fn outcome(request: Simulation) -> Outcome {
    match request.action {
        SimulatedOutcome::Complete => Outcome::Complete,
        SimulatedOutcome::Decline => Outcome::Decline {
            email: request.signer_email.map(|email| email.to_string()),
            reason: request.reason,
        },
        SimulatedOutcome::Expire => Outcome::Expire,
    }
}

/// A document that stands at `pointer` in the request.
fn document(document: NewDocument, pointer: &str) -> DocumentForm {
    let (member, content) = match document.bytes {
        DocumentBytes::Content(content) => ("content", ContentForm::Inline(content)),
        DocumentBytes::FileToken(token) => ("fileToken", ContentForm::File(token.0)),
    };
    DocumentForm {
        extension: extension(&document.name),
        name: document.name,
        pointer: format!("{pointer}/{member}"),
        content,
        flatten: document.flatten,
    }
}

fn terms(terms: Terms) -> Result<TermsForm, Problem> {
    Ok(TermsForm {
        title: terms.title,
        delivery: match terms.delivery {
            Delivery::Email => records::Delivery::Email,
            Delivery::Link => records::Delivery::Link,
        },
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
