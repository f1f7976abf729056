//! Contexts of sealed values, so that one cannot be substituted for another.

use parafa_store::Sealed;
use parafa_store::keys::DataKey;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::error::CeremonyError;
use crate::records::{
    AttemptStep, CardSubmission, CeremonyPrivate, OpenDeviceLink, SignedWith, SignerPrivate,
};

/// A sealed value of a row. Its context is its kind and its owner.
pub trait SealedValue: Serialize + DeserializeOwned {
    /// Kind of the value, to which stored values are bound.
    const KIND: &'static str;
}

impl SealedValue for CeremonyPrivate {
    const KIND: &'static str = "signing";
}

impl SealedValue for SignerPrivate {
    const KIND: &'static str = "signer";
}

impl SealedValue for AttemptStep {
    const KIND: &'static str = "attempt";
}

impl SealedValue for OpenDeviceLink {
    const KIND: &'static str = "device-link";
}

impl SealedValue for CardSubmission {
    const KIND: &'static str = "card";
}

impl SealedValue for SignedWith {
    const KIND: &'static str = "signature";
}

/// Seals a value of the owner with this id.
pub fn seal<T: SealedValue>(key: &DataKey, id: Uuid, value: &T) -> Result<Sealed, CeremonyError> {
    Ok(key.seal_json(&context::<T>(id), value)?)
}

/// Opens a value of the owner with this id.
pub fn open<T: SealedValue>(key: &DataKey, id: Uuid, sealed: &Sealed) -> Result<T, CeremonyError> {
    Ok(key.open_json(&context::<T>(id), sealed)?)
}

fn context<T: SealedValue>(id: Uuid) -> Vec<u8> {
    [T::KIND.as_bytes(), b"\0", id.as_bytes()].concat()
}
