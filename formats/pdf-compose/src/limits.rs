use parafa_format_core::{Refusal, refusal};

/// Limits on a composed document: far above readable sizes, far below
/// exhausting a sandbox.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Bytes of the description.
    pub description_bytes: u64,
    /// Blocks of the content.
    pub blocks: usize,
    /// Columns of a table.
    pub columns: usize,
    /// Rows of all tables and items of all lists together.
    pub rows: usize,
    /// Characters of all texts together.
    pub characters: usize,
    /// Pages.
    pub pages: usize,
    /// Attachments.
    pub attachments: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            description_bytes: 4 * 1024 * 1024,
            blocks: 5_000,
            columns: 12,
            rows: 20_000,
            characters: 2_000_000,
            pages: 1_000,
            attachments: 100,
        }
    }
}

pub(crate) fn passed(detail: String) -> Refusal {
    Refusal::new(refusal::DOCUMENT_TOO_LONG, detail)
}
