//! Which context each sealed value is bound to, so that none can stand in
//! another's place.

use parafa_store::Sealed;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use crate::error::WorkflowError;
use crate::records::{AttemptStep, OpenDeviceLink, SignerPrivate, SigningPrivate};

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

pub(crate) fn open_signer(
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

pub(crate) fn open_device_link(
    key: &DataKey,
    attempt: Uuid,
    sealed: &Sealed,
) -> Result<OpenDeviceLink, WorkflowError> {
    Ok(key.open_json(&context("device-link", attempt), sealed)?)
}

fn context(kind: &str, id: Uuid) -> Vec<u8> {
    [kind.as_bytes(), b"\0", id.as_bytes()].concat()
}
