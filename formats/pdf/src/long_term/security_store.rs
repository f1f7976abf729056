use std::collections::BTreeSet;

use lopdf::{Dictionary, Object};
use parafa_ades::{NOWHERE, ValidationMaterial};
use parafa_format_core::Environment;

use crate::structure::{Decoder, PdfFile};

/// Most streams that cannot be decoded, before no more are looked at: each may
/// have taken as long as one that can.
const MAX_UNDECODABLE: usize = 4;

/// The document security store (ISO 32000-2, 12.8.4.3): what updates added so
/// that signatures can be verified for long.
#[derive(Clone, Debug, Default)]
pub(crate) struct SecurityStore {
    /// Whether there is one, empty or not.
    pub(crate) is_present: bool,
    /// DER certificates.
    pub(crate) certificates: Vec<Stored>,
    /// DER OCSP responses.
    pub(crate) responses: Vec<Stored>,
    /// DER CRLs.
    pub(crate) lists: Vec<Stored>,
    /// Whether there is more than was read.
    pub(crate) is_cut_short: bool,
}

/// A stream of the store.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Stored {
    /// What it decodes to.
    pub(crate) content: Vec<u8>,
    /// Where it stands in the file, or [`NOWHERE`].
    pub(crate) place: usize,
}

impl Stored {
    /// The content with its place.
    pub(crate) fn with_place(&self) -> (&[u8], usize) {
        (&self.content, self.place)
    }
}

impl SecurityStore {
    /// Reads `/DSS` of the catalog; what cannot be decoded within the limits
    /// is left out, as if it were not there.
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

    /// Has a material hold all of it.
    pub(crate) fn add_to<'d, E: Environment>(&'d self, material: &mut ValidationMaterial<'d, E>) {
        let certificates = self.certificates.iter().map(Stored::with_place);
        material.add_stored(certificates, self.revocation().map(Stored::with_place));
    }

    /// OCSP responses and CRLs, in the order in which they are read.
    pub(crate) fn revocation(&self) -> impl Iterator<Item = &Stored> {
        self.responses.iter().chain(&self.lists)
    }

    /// Revocation data that was added after a revision that ends there: what
    /// was known before a signature does not tell whether its certificate was
    /// still good when it was made.
    pub(crate) fn revocation_after(&self, revision_end: usize) -> impl Iterator<Item = &Vec<u8>> {
        self.revocation()
            .filter(move |stored| stored.place != NOWHERE && stored.place >= revision_end)
            .map(|stored| &stored.content)
    }

    /// Bytes of all that was read.
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
    /// The decoded streams of an array with the places of their objects.
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
