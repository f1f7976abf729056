use std::collections::BTreeSet;

use lopdf::{Dictionary, Object};
use parafa_ades::{NOWHERE, ValidationMaterial};
use parafa_format_core::Environment;

use crate::structure::{Decoder, PdfFile};

/// Maximum number of undecodable streams before reading stops: each may have
/// taken as long as a decodable one.
const MAX_UNDECODABLE: usize = 4;

/// The document security store (ISO 32000-2, 12.8.4.3): long-term validation
/// data added by updates.
#[derive(Clone, Debug, Default)]
pub(crate) struct SecurityStore {
    /// The store exists, even if it is empty.
    pub(crate) is_present: bool,
    /// DER-encoded certificates.
    pub(crate) certificates: Vec<Stored>,
    /// DER-encoded OCSP responses.
    pub(crate) responses: Vec<Stored>,
    /// DER-encoded CRLs.
    pub(crate) lists: Vec<Stored>,
    /// Some content was not read.
    pub(crate) is_cut_short: bool,
}

/// A stream of the store.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Stored {
    /// Decoded content.
    pub(crate) content: Vec<u8>,
    /// Offset in the file, or [`NOWHERE`].
    pub(crate) place: usize,
}

impl Stored {
    /// Returns the content with its offset.
    pub(crate) fn with_place(&self) -> (&[u8], usize) {
        (&self.content, self.place)
    }
}

impl SecurityStore {
    /// Reads `/DSS` of the catalog; streams that cannot be decoded within the
    /// limits are omitted.
    pub(crate) fn read(file: &PdfFile<'_>) -> Self {
        let Some(store) = file
            .catalog()
            .ok()
            .and_then(|catalog| file.entry_dictionary(catalog, b"DSS"))
        else {
            return Self::default();
        };
        let mut streams = Streams {
            file,
            decoder: Decoder::new(file.limits()),
            remaining_bytes: file.limits().security_store_bytes,
            undecodable: 0,
            is_cut_short: false,
        };
        Self {
            is_present: true,
            certificates: streams.read(store, b"Certs"),
            responses: streams.read(store, b"OCSPs"),
            lists: streams.read(store, b"CRLs"),
            is_cut_short: streams.is_cut_short,
        }
    }

    /// Adds all content to the material.
    pub(crate) fn add_to<'d, E: Environment>(&'d self, material: &mut ValidationMaterial<'d, E>) {
        let certificates = self.certificates.iter().map(Stored::with_place);
        material.add_stored(certificates, self.revocation().map(Stored::with_place));
    }

    /// Returns OCSP responses and CRLs, in reading order.
    pub(crate) fn revocation(&self) -> impl Iterator<Item = &Stored> {
        self.responses.iter().chain(&self.lists)
    }

    /// Returns revocation data added after the revision that ends here. Data
    /// from before a signature does not prove that its certificate was valid
    /// when signing.
    pub(crate) fn revocation_after(&self, revision_end: usize) -> impl Iterator<Item = &Vec<u8>> {
        self.revocation()
            .filter(move |stored| stored.place != NOWHERE && stored.place >= revision_end)
            .map(|stored| &stored.content)
    }

    /// Returns the total length of the content, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let all = self.certificates.iter().chain(self.revocation());
        all.map(|stored| stored.content.len()).sum()
    }
}

struct Streams<'f, 'a> {
    file: &'f PdfFile<'a>,
    decoder: Decoder,
    remaining_bytes: usize,
    undecodable: usize,
    is_cut_short: bool,
}

impl Streams<'_, '_> {
    /// Returns the decoded streams of an array with the offsets of their
    /// objects.
    fn read(&mut self, store: &Dictionary, key: &[u8]) -> Vec<Stored> {
        let items = self
            .file
            .entry(store, key)
            .and_then(|items| items.as_array().ok());
        let mut streams = Vec::new();
        let mut seen = BTreeSet::new();
        for item in items.into_iter().flatten() {
            let Some(Object::Stream(stream)) = self.file.resolve(item) else {
                continue;
            };
            if !seen.insert(std::ptr::from_ref(stream)) {
                continue;
            }
            if self.undecodable == MAX_UNDECODABLE {
                self.is_cut_short = true;
                break;
            }
            let Ok(content) = self.decoder.decode_object(stream) else {
                self.undecodable += 1;
                continue;
            };
            let Some(remaining) = self.remaining_bytes.checked_sub(content.len()) else {
                self.is_cut_short = true;
                break;
            };
            self.remaining_bytes = remaining;
            let place = item
                .as_reference()
                .ok()
                .and_then(|id| self.file.raw_object(id).ok()?.offset);
            streams.push(Stored {
                content,
                place: place.unwrap_or(NOWHERE),
            });
        }
        streams
    }
}
