use parafa_format_core::{Refusal, refusal};

/// Longest payload, in bytes.
pub(crate) const PAYLOAD_BYTES: usize = 16 * 1024 * 1024;
/// Longest document, in bytes: the longest payload in base64url, with room for
/// what verifying for long takes.
pub(crate) const DOCUMENT_BYTES: u64 = 32 * 1024 * 1024;
/// Longest signing input that is told as bytes; of a longer one the digest is,
/// because it has to pass the plugin boundary.
pub(crate) const SIGNING_INPUT_BYTES: usize = 1024 * 1024;

/// Refuses what is longer than it may be.
pub(crate) fn require_length(what: &str, len: u64, most: u64) -> Result<(), Refusal> {
    if len > most {
        return Err(Refusal::new(
            refusal::DOCUMENT_TOO_LONG,
            format!("{what} may have {most} bytes."),
        ));
    }
    Ok(())
}
