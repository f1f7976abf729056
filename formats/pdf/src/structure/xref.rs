use std::ops::Range;

/// How a cross-reference section is written.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum XrefForm {
    /// A table whose trailer has `/XRefStm` (ISO 32000-2, 7.5.8.4).
    Hybrid,
    /// A cross-reference stream (7.5.8).
    Stream,
    /// A table with a trailer (7.5.4).
    #[default]
    Table,
}

/// One cross-reference section with its trailer.
#[derive(Clone, Debug, Default)]
pub(crate) struct XrefSection {
    /// How it is written.
    pub(crate) form: XrefForm,
    /// Where it starts: the keyword `xref`, or the stream's object header.
    pub(crate) offset: usize,
    /// The trailer dictionary, `<<` to `>>`.
    pub(crate) trailer: Range<usize>,
    /// End of the revision that this section completes: just after its
    /// `%%EOF` and the end-of-line marker that follows.
    pub(crate) revision_end: usize,
}
