//! The document: nothing, or the signature.

use parafa_plugin_sdk::cms::SignedData;
use parafa_plugin_sdk::core::{Blob, Refusal};

/// Id of the one signature.
pub(crate) const ID: &str = "signature";

/// Reads a document; `None` if nobody has signed yet.
pub(crate) fn read<B: Blob>(document: &B) -> Result<Option<SignedData>, Refusal> {
    if document.is_empty() {
        return Ok(None);
    }
    let cms = SignedData::parse(&document.read_all()).map_err(|error| {
        let detail = format!("The document is no CMS signature of one signer: {error}.");
        Refusal::new("not-cms", detail)
    })?;
    if cms.content().is_some() {
        let detail = "The signature has the signed content inside.";
        return Err(Refusal::new("not-detached", detail));
    }
    Ok(Some(cms))
}

/// Refuses a second signature. A CMS has room for several, which `SignedData` does not read.
pub(crate) fn already_signed() -> Refusal {
    Refusal::new("already-signed", "The document has its signature.")
}
