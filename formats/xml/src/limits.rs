/// Limits on XML documents; beyond them a document is refused.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Bytes of the document.
    pub bytes: usize,
    /// Nesting depth of elements.
    pub depth: u32,
    /// Tags, comments and processing instructions together: each takes far more
    /// memory than its minimum length.
    pub markup: usize,
    /// Attributes of one element, including namespace declarations.
    pub attributes: usize,
    /// Namespace declarations of the whole document: canonicalization examines
    /// all of them for every element.
    pub namespace_declarations: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 4 * 1024 * 1024,
            depth: 64,
            markup: 100_000,
            attributes: 64,
            namespace_declarations: 1000,
        }
    }
}
