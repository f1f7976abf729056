//! What a path names.

use std::fmt;

use axum::extract::RawPathParams;
use uuid::Uuid;

use crate::api::Record;
use crate::ids::{BatchId, FileToken, SignerId, SigningId, parse_uuid};

const SIGNING_ID: &str = "signingId";
const SIGNER_ID: &str = "signerId";
const BATCH_ID: &str = "batchId";
const FILE_TOKEN: &str = "fileToken";

/// The ids of a path.
pub(super) trait Place: Copy + Send + Sync + 'static {
    /// None when one of them is no UUID, and so the id of nothing.
    fn of(params: &RawPathParams) -> Option<Self>;

    /// None when the path has no ids.
    fn record(self) -> Option<Record>;

    /// `template`, with the ids in their usual form in place of their names.
    fn fill(self, template: &str) -> String {
        match self.record() {
            None => template.to_owned(),
            Some(Record::Signing(signing)) => put(template, SIGNING_ID, signing),
            Some(Record::Signer(signing, signer)) => {
                put(&put(template, SIGNING_ID, signing), SIGNER_ID, signer)
            }
            Some(Record::Batch(batch)) => put(template, BATCH_ID, batch),
            Some(Record::File(token)) => put(template, FILE_TOKEN, token),
        }
    }
}

impl Place for () {
    fn of(_: &RawPathParams) -> Option<Self> {
        Some(())
    }

    fn record(self) -> Option<Record> {
        None
    }
}

impl Place for SigningId {
    fn of(params: &RawPathParams) -> Option<Self> {
        id(params, SIGNING_ID).map(Self)
    }

    fn record(self) -> Option<Record> {
        Some(Record::Signing(self))
    }
}

impl Place for (SigningId, SignerId) {
    fn of(params: &RawPathParams) -> Option<Self> {
        Some((
            id(params, SIGNING_ID).map(SigningId)?,
            id(params, SIGNER_ID).map(SignerId)?,
        ))
    }

    fn record(self) -> Option<Record> {
        Some(Record::Signer(self.0, self.1))
    }
}

impl Place for BatchId {
    fn of(params: &RawPathParams) -> Option<Self> {
        id(params, BATCH_ID).map(Self)
    }

    fn record(self) -> Option<Record> {
        Some(Record::Batch(self))
    }
}

impl Place for FileToken {
    fn of(params: &RawPathParams) -> Option<Self> {
        id(params, FILE_TOKEN).map(Self)
    }

    fn record(self) -> Option<Record> {
        Some(Record::File(self))
    }
}

/// The record that a path names, whatever its operations; `Err` when it can be
/// none.
pub(super) fn record(params: &RawPathParams) -> Result<Option<Record>, NoRecord> {
    let names: Vec<_> = params.iter().map(|(name, _)| name).collect();
    let record = match names.as_slice() {
        [] => return Ok(None),
        [SIGNING_ID] => SigningId::of(params).and_then(Place::record),
        [SIGNING_ID, SIGNER_ID] => <(SigningId, SignerId)>::of(params).and_then(Place::record),
        [BATCH_ID] => BatchId::of(params).and_then(Place::record),
        [FILE_TOKEN] => FileToken::of(params).and_then(Place::record),
        _ => None,
    };
    record.map(Some).ok_or(NoRecord)
}

/// A path names something that cannot be.
pub(super) struct NoRecord;

fn id(params: &RawPathParams, name: &str) -> Option<Uuid> {
    let (_, segment) = params.iter().find(|(known, _)| *known == name)?;
    parse_uuid(segment)
}

fn put(template: &str, name: &str, id: impl fmt::Display) -> String {
    template.replace(&format!("{{{name}}}"), &id.to_string())
}
