//! Which context each sealed value is bound to, so that none can stand in
//! another's place.

use parafa_store::Sealed;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use crate::error::SigningError;
use crate::records::{BatchPrivate, CommentPrivate, FilePrivate};

pub(crate) fn seal_batch(
    key: &DataKey,
    batch: Uuid,
    private: &BatchPrivate,
) -> Result<Sealed, SigningError> {
    Ok(key.seal_json(&context("batch", batch), private)?)
}

pub(crate) fn open_batch(
    key: &DataKey,
    batch: Uuid,
    sealed: &Sealed,
) -> Result<BatchPrivate, SigningError> {
    Ok(key.open_json(&context("batch", batch), sealed)?)
}

/// Seals a comment.
pub fn seal_comment(
    key: &DataKey,
    comment: Uuid,
    private: &CommentPrivate,
) -> Result<Sealed, SigningError> {
    Ok(key.seal_json(&context("comment", comment), private)?)
}

pub(crate) fn open_comment(
    key: &DataKey,
    comment: Uuid,
    sealed: &Sealed,
) -> Result<CommentPrivate, SigningError> {
    Ok(key.open_json(&context("comment", comment), sealed)?)
}

pub(crate) fn seal_file(
    key: &DataKey,
    file: Uuid,
    private: &FilePrivate,
) -> Result<Sealed, SigningError> {
    Ok(key.seal_json(&context("file", file), private)?)
}

pub(crate) fn open_file(
    key: &DataKey,
    file: Uuid,
    sealed: &Sealed,
) -> Result<FilePrivate, SigningError> {
    Ok(key.open_json(&context("file", file), sealed)?)
}

fn context(kind: &str, id: Uuid) -> Vec<u8> {
    [kind.as_bytes(), b"\0", id.as_bytes()].concat()
}
