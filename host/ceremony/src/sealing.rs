//! Which context each sealed value is bound to, so that none can stand in
//! another's place.

use parafa_store::Sealed;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use crate::error::CeremonyError;
use crate::records::{
    AttemptStep, CardSubmission, CeremonyPrivate, OpenDeviceLink, SignedWith, SignerPrivate,
};

pub(crate) fn seal_ceremony(
    key: &DataKey,
    signing: Uuid,
    private: &CeremonyPrivate,
) -> Result<Sealed, CeremonyError> {
    Ok(key.seal_json(&context("signing", signing), private)?)
}

pub(crate) fn open_ceremony(
    key: &DataKey,
    signing: Uuid,
    sealed: &Sealed,
) -> Result<CeremonyPrivate, CeremonyError> {
    Ok(key.open_json(&context("signing", signing), sealed)?)
}

pub(crate) fn seal_signer(
    key: &DataKey,
    signer: Uuid,
    private: &SignerPrivate,
) -> Result<Sealed, CeremonyError> {
    Ok(key.seal_json(&context("signer", signer), private)?)
}

/// Opens what is sealed about a party.
pub fn open_signer(
    key: &DataKey,
    signer: Uuid,
    sealed: &Sealed,
) -> Result<SignerPrivate, CeremonyError> {
    Ok(key.open_json(&context("signer", signer), sealed)?)
}

pub(crate) fn seal_step(
    key: &DataKey,
    attempt: Uuid,
    step: &AttemptStep,
) -> Result<Sealed, CeremonyError> {
    Ok(key.seal_json(&context("attempt", attempt), step)?)
}

pub(crate) fn open_step(
    key: &DataKey,
    attempt: Uuid,
    sealed: &Sealed,
) -> Result<AttemptStep, CeremonyError> {
    Ok(key.open_json(&context("attempt", attempt), sealed)?)
}

pub(crate) fn seal_device_link(
    key: &DataKey,
    attempt: Uuid,
    link: &OpenDeviceLink,
) -> Result<Sealed, CeremonyError> {
    Ok(key.seal_json(&context("device-link", attempt), link)?)
}

/// Opens what leads to a device.
pub fn open_device_link(
    key: &DataKey,
    attempt: Uuid,
    sealed: &Sealed,
) -> Result<OpenDeviceLink, CeremonyError> {
    Ok(key.open_json(&context("device-link", attempt), sealed)?)
}

pub(crate) fn seal_card_submission(
    key: &DataKey,
    attempt: Uuid,
    submission: &CardSubmission,
) -> Result<Sealed, CeremonyError> {
    Ok(key.seal_json(&context("card", attempt), submission)?)
}

pub(crate) fn open_card_submission(
    key: &DataKey,
    attempt: Uuid,
    sealed: &Sealed,
) -> Result<CardSubmission, CeremonyError> {
    Ok(key.open_json(&context("card", attempt), sealed)?)
}

pub(crate) fn seal_signed_with(
    key: &DataKey,
    version: Uuid,
    signed_with: &SignedWith,
) -> Result<Sealed, CeremonyError> {
    Ok(key.seal_json(&context("signature", version), signed_with)?)
}

/// Opens what a version's signature was made with.
pub fn open_signed_with(
    key: &DataKey,
    version: Uuid,
    sealed: &Sealed,
) -> Result<SignedWith, CeremonyError> {
    Ok(key.open_json(&context("signature", version), sealed)?)
}

fn context(kind: &str, id: Uuid) -> Vec<u8> {
    [kind.as_bytes(), b"\0", id.as_bytes()].concat()
}
