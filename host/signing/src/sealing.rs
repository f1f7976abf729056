//! Which context each sealed value is bound to, so that none can stand in
//! another's place.

use parafa_store::Sealed;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use crate::error::WorkflowError;
use crate::records::{
    AttemptStep, BatchPrivate, CommentPrivate, FilePrivate, OpenDeviceLink, SignerPrivate,
    SigningPrivate,
};

pub(crate) fn seal_signing(
    key: &DataKey,
    signing: Uuid,
    private: &SigningPrivate,
) -> Result<Sealed, WorkflowError> {
    Ok(key.seal_json(&context("signing", signing), private)?)
}

pub(crate) fn open_signing(
    key: &DataKey,
    signing: Uuid,
    sealed: &Sealed,
) -> Result<SigningPrivate, WorkflowError> {
    Ok(key.open_json(&context("signing", signing), sealed)?)
}

pub(crate) fn seal_signer(
    key: &DataKey,
    signer: Uuid,
    private: &SignerPrivate,
) -> Result<Sealed, WorkflowError> {
    Ok(key.seal_json(&context("signer", signer), private)?)
}

/// Opens what is sealed about a party.
pub fn open_signer(
    key: &DataKey,
    signer: Uuid,
    sealed: &Sealed,
) -> Result<SignerPrivate, WorkflowError> {
    Ok(key.open_json(&context("signer", signer), sealed)?)
}

pub(crate) fn seal_step(
    key: &DataKey,
    attempt: Uuid,
    step: &AttemptStep,
) -> Result<Sealed, WorkflowError> {
    Ok(key.seal_json(&context("attempt", attempt), step)?)
}

pub(crate) fn open_step(
    key: &DataKey,
    attempt: Uuid,
    sealed: &Sealed,
) -> Result<AttemptStep, WorkflowError> {
    Ok(key.open_json(&context("attempt", attempt), sealed)?)
}

pub(crate) fn seal_device_link(
    key: &DataKey,
    attempt: Uuid,
    link: &OpenDeviceLink,
) -> Result<Sealed, WorkflowError> {
    Ok(key.seal_json(&context("device-link", attempt), link)?)
}

/// Opens what leads to a device.
pub fn open_device_link(
    key: &DataKey,
    attempt: Uuid,
    sealed: &Sealed,
) -> Result<OpenDeviceLink, WorkflowError> {
    Ok(key.open_json(&context("device-link", attempt), sealed)?)
}

pub(crate) fn seal_batch(
    key: &DataKey,
    batch: Uuid,
    private: &BatchPrivate,
) -> Result<Sealed, WorkflowError> {
    Ok(key.seal_json(&context("batch", batch), private)?)
}

pub(crate) fn open_batch(
    key: &DataKey,
    batch: Uuid,
    sealed: &Sealed,
) -> Result<BatchPrivate, WorkflowError> {
    Ok(key.open_json(&context("batch", batch), sealed)?)
}

/// Seals a comment.
pub fn seal_comment(
    key: &DataKey,
    comment: Uuid,
    private: &CommentPrivate,
) -> Result<Sealed, WorkflowError> {
    Ok(key.seal_json(&context("comment", comment), private)?)
}

pub(crate) fn open_comment(
    key: &DataKey,
    comment: Uuid,
    sealed: &Sealed,
) -> Result<CommentPrivate, WorkflowError> {
    Ok(key.open_json(&context("comment", comment), sealed)?)
}

pub(crate) fn seal_file(
    key: &DataKey,
    file: Uuid,
    private: &FilePrivate,
) -> Result<Sealed, WorkflowError> {
    Ok(key.seal_json(&context("file", file), private)?)
}

pub(crate) fn open_file(
    key: &DataKey,
    file: Uuid,
    sealed: &Sealed,
) -> Result<FilePrivate, WorkflowError> {
    Ok(key.open_json(&context("file", file), sealed)?)
}

fn context(kind: &str, id: Uuid) -> Vec<u8> {
    [kind.as_bytes(), b"\0", id.as_bytes()].concat()
}
