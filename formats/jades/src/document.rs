use parafa_format_core::{Blob, Refusal};

use crate::json;
use crate::jws::{self, Jws};
use crate::limits::{self, DOCUMENT_BYTES, PAYLOAD_BYTES};

/// A document of this format.
#[derive(Debug)]
pub(crate) enum Document {
    /// Unsigned JSON.
    Payload(Vec<u8>),
    /// A payload with its signature.
    Signed(Box<Jws>),
}

impl Document {
    /// Reads a document. An object with a signature and signed content is a
    /// JWS; anything else is a payload.
    pub(crate) fn read<B: Blob>(blob: &B) -> Result<Self, Refusal> {
        limits::require_length("A document", blob.len(), DOCUMENT_BYTES)?;
        let text = blob.read_all();
        let names = json::names(&text).or_else(|error| {
            jws::refuse_compact(&text)?;
            Err(error.refusal("not-json", "The document"))
        })?;
        if names.is_some_and(|names| jws::is_one(&names)) {
            return Ok(Self::Signed(Box::new(Jws::read(&text)?)));
        }
        limits::require_length("A payload", blob.len(), PAYLOAD_BYTES as u64)?;
        Ok(Self::Payload(text))
    }
}
