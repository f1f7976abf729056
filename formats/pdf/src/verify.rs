use parafa_format_core::{Environment, Refusal, SignatureEvidence};

/// Evidence about every signature of a document.
///
/// # Errors
/// A refusal when the document cannot be read.
pub fn verify<E: Environment>(_environment: &E, _document: &E::Blob) -> Result<Vec<SignatureEvidence>, Refusal> {
    Ok(Vec::new())
}
