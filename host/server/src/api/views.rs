//! From the records to what the caller sees.

use parafa_api_signing::{
    CompletionMode, Delivery, Language, PartyRole, Problem, SignerStatus, SigningMethod,
    SigningOrder, SigningStatus, views,
};
use parafa_domain as domain;

use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{self, DocumentVersion, SignerPrivate};
use crate::workflow::read_signing::OpenedSigning;

/// A signing as its caller sees it.
pub(super) fn signing(app: &App, opened: OpenedSigning) -> Result<views::Signing, Problem> {
    let OpenedSigning {
        row,
        private,
        signers,
    } = opened;
    let document = row.signed().map(signed_document).transpose()?;
    let state = &row.signing;
    Ok(views::Signing {
        signing_id: state.id.uuid().into(),
        status: signing_status(state.status),
        title: private.title,
        delivery: match row.delivery {
            records::Delivery::Email => Delivery::Email,
            records::Delivery::Link => Delivery::Link,
        },
        signing_order: match state.order {
            domain::SigningOrder::Parallel => SigningOrder::Parallel,
            domain::SigningOrder::Sequential => SigningOrder::Sequential,
        },
        soft_deadline_at: state.soft_deadline_at,
        external_id: private.external_id,
        created_at: state.created_at,
        expires_at: Some(state.expires_at),
        completed_at: state.completed_at,
        completion_mode: state.completion_mode.map(|mode| match mode {
            domain::CompletionMode::QesCeremony => CompletionMode::QesCeremony,
            domain::CompletionMode::SandboxSimulation => CompletionMode::SandboxSimulation,
        }),
        erased_at: row.erased_at,
        detail: row.detail.clone(),
        signers: state
            .signers
            .iter()
            .zip(signers)
            .map(|(party, private)| signer(app, party, private))
            .collect(),
        document,
    })
}

/// The domain's status by the contract's name.
pub(super) fn domain_status(status: SigningStatus) -> domain::SigningStatus {
    match status {
        SigningStatus::Pending => domain::SigningStatus::Pending,
        SigningStatus::Completed => domain::SigningStatus::Completed,
        SigningStatus::Declined => domain::SigningStatus::Declined,
        SigningStatus::Expired => domain::SigningStatus::Expired,
        SigningStatus::Cancelled => domain::SigningStatus::Cancelled,
        SigningStatus::Failed => domain::SigningStatus::Failed,
    }
}

/// The domain's method by the contract's name.
pub(super) fn domain_method(method: SigningMethod) -> domain::SigningMethod {
    match method {
        SigningMethod::Nfc => domain::SigningMethod::Nfc,
        SigningMethod::SmartId => domain::SigningMethod::SmartId,
        SigningMethod::MobileId => domain::SigningMethod::MobileId,
    }
}

fn signer(app: &App, party: &domain::Signer, private: SignerPrivate) -> views::Signer {
    let id = party.id.uuid();
    let can_still_sign = party.role == domain::SignerRole::Signer && party.status.is_open();
    views::Signer {
        signer_id: id.into(),
        role: match party.role {
            domain::SignerRole::Signer => PartyRole::Signer,
            domain::SignerRole::Viewer => PartyRole::Viewer,
        },
        email: Some(private.email),
        name: private.name,
        language: match party.language {
            domain::Language::En => Language::En,
            domain::Language::Lt => Language::Lt,
        },
        status: signer_status(party.status),
        ceremony_url: can_still_sign
            .then(|| app.address(&format!("/c/{}", app.ceremony_token(id).reveal()))),
        signed_at: party.signed_at,
        declined_at: party.declined_at,
        decline_reason: private.decline_reason,
        methods_allowed: party.methods.iter().map(method).collect(),
        actual_method: party.actual_method.map(method),
        identity_locked: party.identity_locked,
        identity_matched: party.identity_matched,
        simulated_at: party.simulated_at,
    }
}

fn signed_document(version: &DocumentVersion) -> Result<views::SignedDocument, Problem> {
    let sha256 = digest(version)?;
    Ok(views::SignedDocument::signed(
        &sha256,
        version.bytes,
        version.media_type.clone(),
    ))
}

/// The digest of a version.
pub(super) fn digest(version: &DocumentVersion) -> Result<[u8; 32], WorkflowError> {
    let mut digest = [0; 32];
    hex::decode_to_slice(&version.sha256, &mut digest)
        .map_err(|_| WorkflowError::Inconsistent("a stored digest is not 32 bytes in hex"))?;
    Ok(digest)
}

fn method(method: domain::SigningMethod) -> SigningMethod {
    match method {
        domain::SigningMethod::Nfc => SigningMethod::Nfc,
        domain::SigningMethod::SmartId => SigningMethod::SmartId,
        domain::SigningMethod::MobileId => SigningMethod::MobileId,
    }
}

fn signing_status(status: domain::SigningStatus) -> SigningStatus {
    match status {
        domain::SigningStatus::Pending => SigningStatus::Pending,
        domain::SigningStatus::Completed => SigningStatus::Completed,
        domain::SigningStatus::Declined => SigningStatus::Declined,
        domain::SigningStatus::Expired => SigningStatus::Expired,
        domain::SigningStatus::Cancelled => SigningStatus::Cancelled,
        domain::SigningStatus::Failed => SigningStatus::Failed,
    }
}

fn signer_status(status: domain::SignerStatus) -> SignerStatus {
    match status {
        domain::SignerStatus::Pending => SignerStatus::Pending,
        domain::SignerStatus::Signed => SignerStatus::Signed,
        domain::SignerStatus::Declined => SignerStatus::Declined,
        domain::SignerStatus::Cancelled => SignerStatus::Cancelled,
        domain::SignerStatus::Expired => SignerStatus::Expired,
        domain::SignerStatus::Simulated => SignerStatus::Simulated,
        domain::SignerStatus::Waiting => SignerStatus::Waiting,
        domain::SignerStatus::Recorded => SignerStatus::Recorded,
    }
}
