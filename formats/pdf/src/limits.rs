use parafa_ades::ChainLimits;
use parafa_format_core::{Refusal, refusal};

/// How much of a document is taken before it is refused.
///
/// The limits are far above what people sign and far below what a hostile
/// document needs to exhaust a sandbox.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Bytes of a document: a host takes no longer output.
    pub document_bytes: u64,
    /// Pages.
    pub pages: usize,
    /// Levels of the page tree and of the field tree.
    pub tree_depth: usize,
    /// Levels of arrays and dictionaries inside one object.
    pub nesting: usize,
    /// Bytes of all fully qualified field names together.
    pub field_name_bytes: usize,
    /// Live indirect objects.
    pub objects: usize,
    /// Bytes of memory that all live objects together take once they are
    /// loaded, by an estimate for memories of 32 bits.
    pub loaded_bytes: usize,
    /// Cross-reference sections, one or two a revision.
    pub sections: usize,
    /// Entries of all cross-reference sections together.
    pub entries: usize,
    /// Bytes of one decoded object or cross-reference stream.
    pub decoded_stream_bytes: usize,
    /// Bytes of all decoded object and cross-reference streams together.
    pub decoded_total_bytes: usize,
    /// Bytes of the decoded content streams of one page together.
    pub page_content_bytes: usize,
    /// Bytes of all decoded content streams together.
    pub content_total_bytes: usize,
    /// Decoded bytes for one encoded byte, beyond the first mebibyte.
    pub decoded_ratio: usize,
    /// Bytes of all decoded streams of the document security store together.
    pub security_store_bytes: usize,
    /// Bytes that all signatures together cover: each is a digest over its
    /// revision.
    pub covered_bytes: u64,
    /// Objects that were written after signatures, each counted for every
    /// signature before it: they are compared with what they were.
    pub compared_objects: usize,
    /// Bytes of the structure trees that later signatures made grow, each counted
    /// for every signature before it.
    pub structure_bytes: usize,
    /// Time-stamps in all signatures together, each of which is verified.
    pub timestamps: usize,
    /// What is done for the chains of all signatures.
    pub chains: ChainLimits,
    /// Streams that archiving adds.
    pub archive_streams: usize,
    /// Bytes of all streams together that archiving adds.
    pub archive_bytes: usize,
}

impl Limits {
    /// What may be signed: a document and the update that signs it must pass
    /// together, or a person signs in vain.
    pub(crate) fn with_room_for_a_signature() -> Self {
        let limits = Self::default();
        Self {
            document_bytes: limits.document_bytes - 4 * 1024 * 1024,
            field_name_bytes: limits.field_name_bytes - 100,
            objects: limits.objects - 10,
            loaded_bytes: limits.loaded_bytes - 64 * 1024,
            sections: limits.sections - 2,
            entries: limits.entries - 10,
            decoded_total_bytes: limits.decoded_total_bytes - 1024,
            covered_bytes: limits.covered_bytes / 2,
            compared_objects: limits.compared_objects / 2,
            structure_bytes: limits.structure_bytes / 2,
            timestamps: limits.timestamps / 2,
            ..limits
        }
    }

    /// Refuses a document that is longer, or would become so.
    pub(crate) fn require_length(&self, len: u64) -> Result<(), Refusal> {
        if len > self.document_bytes {
            let detail = format!("A document may have {} bytes.", self.document_bytes);
            return Err(Refusal::new(refusal::DOCUMENT_TOO_LONG, detail));
        }
        Ok(())
    }

    /// What may be archived: what is added must leave room for those who sign
    /// afterwards.
    pub(crate) fn with_room_for_an_archive() -> Self {
        /// Bytes of memory for a stream but its data, and the reference to it.
        const BYTES_PER_STREAM: usize = 1024;
        /// Catalog, store and its three lists, cross-reference stream.
        const OTHER_OBJECTS: usize = 10;

        let limits = Self::with_room_for_a_signature();
        let objects = limits.archive_streams + OTHER_OBJECTS;
        Self {
            objects: limits.objects - objects,
            loaded_bytes: limits.loaded_bytes - objects * BYTES_PER_STREAM,
            sections: limits.sections - 2,
            entries: limits.entries - objects,
            chains: ChainLimits {
                candidates: limits.chains.candidates - limits.archive_streams,
                signatures: limits.chains.signatures / 2,
                digested_bytes: limits.chains.digested_bytes / 2,
            },
            ..limits
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document_bytes: 64 * 1024 * 1024,
            pages: 20_000,
            tree_depth: 64,
            nesting: 64,
            field_name_bytes: 8 * 1024 * 1024,
            objects: 500_000,
            loaded_bytes: 160 * 1024 * 1024,
            sections: 1_000,
            entries: 1_000_000,
            decoded_stream_bytes: 32 * 1024 * 1024,
            decoded_total_bytes: 64 * 1024 * 1024,
            page_content_bytes: 64 * 1024 * 1024,
            content_total_bytes: 256 * 1024 * 1024,
            decoded_ratio: 256,
            security_store_bytes: 64 * 1024 * 1024,
            covered_bytes: 4 * 1024 * 1024 * 1024,
            compared_objects: 1_000_000,
            structure_bytes: 256 * 1024 * 1024,
            timestamps: 1_000,
            chains: ChainLimits::default(),
            archive_streams: 500,
            archive_bytes: 16 * 1024 * 1024,
        }
    }
}
