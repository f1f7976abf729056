//! Sources of objects, and the refusal of unreadable ones.

use parafa_format_core::Refusal;

use crate::structure::{RawDictionary, ScanError};

pub(super) fn entries(source: &[u8]) -> Result<RawDictionary<'_>, Refusal> {
    RawDictionary::scan(source).map_err(|error| {
        Refusal::new(
            "object-damaged",
            format!("A dictionary cannot be read: {error}."),
        )
    })
}

pub(super) fn damaged_references(error: &ScanError) -> Refusal {
    Refusal::new(
        "object-damaged",
        format!("References cannot be read: {error}."),
    )
}

pub(super) fn referenced(source: &[u8]) -> Result<Vec<u32>, Refusal> {
    crate::structure::references(source).map_err(|error| damaged_references(&error))
}
