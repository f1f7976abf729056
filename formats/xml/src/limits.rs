/// How much of an XML document is taken before it is refused.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Bytes of the document.
    pub bytes: usize,
    /// Levels of elements.
    pub depth: u32,
    /// Tags, comments and processing instructions together: each takes far more
    /// memory than the bytes that it may consist of.
    pub markup: usize,
    /// Attributes of one element, namespace declarations among them.
    pub attributes: usize,
    /// Namespace declarations of the whole document, which canonicalization
    /// looks at for every element.
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
