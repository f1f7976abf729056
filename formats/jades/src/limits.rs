use parafa_format_core::{Refusal, refusal};

/// Maximum length of a payload, in bytes.
pub(crate) const PAYLOAD_BYTES: usize = 16 * 1024 * 1024;
/// Maximum length of a document, in bytes: the longest payload in base64url,
/// with room for long-term validation material.
pub(crate) const DOCUMENT_BYTES: u64 = 32 * 1024 * 1024;
/// Maximum length of a signing input that is reported as bytes. For longer ones
/// the digest is reported, because of the plugin boundary.
pub(crate) const SIGNING_INPUT_BYTES: usize = 1024 * 1024;

/// Refuses data that exceeds its maximum length.
pub(crate) fn require_length(what: &str, len: u64, most: u64) -> Result<(), Refusal> {
    if len > most {
        return Err(Refusal::new(
            refusal::DOCUMENT_TOO_LONG,
            format!("{what} may have {most} bytes."),
        ));
    }
    Ok(())
}
