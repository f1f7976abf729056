use parafa_ades::ChainLimits;
use parafa_format_core::{Refusal, refusal};

/// Limits on documents; beyond them a document is refused.
///
/// They are far above common documents, and far below the size that exhausts a
/// sandbox.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Bytes of a document; a host accepts no longer output.
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
    /// Memory of all loaded live objects in bytes, estimated for 32-bit
    /// targets.
    pub loaded_bytes: usize,
    /// Cross-reference sections; one or two per revision.
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
    /// Ratio of decoded to encoded bytes, beyond the first mebibyte.
    pub decoded_ratio: usize,
    /// Bytes of all decoded streams of the document security store together.
    pub security_store_bytes: usize,
    /// Bytes covered by all signatures together: each digests its revision.
    pub covered_bytes: u64,
    /// Objects written after signatures, counted once per earlier signature,
    /// because each is compared with its old state.
    pub compared_objects: usize,
    /// Bytes of structure trees extended by later signatures, counted once per
    /// earlier signature.
    pub structure_bytes: usize,
    /// Time-stamps of all signatures together; each is verified.
    pub timestamps: usize,
    /// Work on the chains of all signatures.
    pub chains: ChainLimits,
    /// Streams added by archiving.
    pub archive_streams: usize,
    /// Total bytes of the streams added by archiving.
    pub archive_bytes: usize,
}

impl Limits {
    /// Limits for documents to be signed. The document with its signing update
    /// must pass the default limits, or a person signs in vain.
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

    /// Refuses a length beyond the limit.
    pub(crate) fn require_length(&self, len: u64) -> Result<(), Refusal> {
        if len > self.document_bytes {
            let detail = format!("A document may have {} bytes.", self.document_bytes);
            return Err(Refusal::new(refusal::DOCUMENT_TOO_LONG, detail));
        }
        Ok(())
    }

    /// Limits for documents to be archived: the additions must leave room for
    /// later signatures.
    pub(crate) fn with_room_for_an_archive() -> Self {
        /// Bytes of memory for a stream without its data, and its reference.
        const BYTES_PER_STREAM: usize = 1024;
        /// Catalog, store with its three lists, and cross-reference stream.
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
