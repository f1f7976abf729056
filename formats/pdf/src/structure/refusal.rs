//! Refusals of damaged files.

use parafa_format_core::Refusal;

use super::decode::DecodeError;
use super::scan_error::ScanError;

/// Converts a scan error; exceeded limits have codes of their own, other errors
/// get the given code.
pub(crate) fn from_scan(code: &'static str, place: &str, error: &ScanError) -> Refusal {
    let code = match error {
        ScanError::Nesting(_) => "nesting-depth",
        ScanError::Values(_) => "too-many-objects",
        ScanError::DuplicateKey(_)
        | ScanError::End(_)
        | ScanError::NoLength
        | ScanError::Syntax(_) => code,
    };
    Refusal::new(code, format!("{place}: {error}."))
}

/// Converts a decoding error.
pub(crate) fn from_decode(code: &'static str, place: &str, error: &DecodeError) -> Refusal {
    let code = if matches!(error, DecodeError::Bomb { .. }) {
        "decompression-bomb"
    } else {
        code
    };
    Refusal::new(code, format!("{place}: {error}."))
}
