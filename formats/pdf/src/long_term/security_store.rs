use std::collections::BTreeSet;

use lopdf::{Dictionary, Object};

use crate::structure::{Decoder, PdfFile};

/// The document security store (ISO 32000-2, 12.8.4.3): what updates added so
/// that signatures can be verified for long.
#[derive(Debug, Default)]
pub(crate) struct SecurityStore {
    /// Whether there is one, empty or not.
    pub(crate) is_present: bool,
    /// DER certificates.
    pub(crate) certificates: Vec<Vec<u8>>,
    /// DER OCSP responses and CRLs, with their places in the file.
    pub(crate) revocation: Vec<(Option<usize>, Vec<u8>)>,
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
            remaining_bytes: file.limits().decoded_total_bytes,
        };
        let certificates = streams.read(store, b"Certs");
        let mut revocation = streams.read(store, b"OCSPs");
        revocation.extend(streams.read(store, b"CRLs"));
        Self {
            is_present: true,
            certificates: certificates
                .into_iter()
                .map(|(_, content)| content)
                .collect(),
            revocation,
        }
    }

    /// Revocation data that was added after a revision that ends there: what
    /// was known before a signature does not tell whether its certificate was
    /// still good when it was made.
    pub(crate) fn revocation_after(&self, revision_end: usize) -> impl Iterator<Item = &Vec<u8>> {
        self.revocation
            .iter()
            .filter(move |(offset, _)| offset.is_some_and(|offset| offset >= revision_end))
            .map(|(_, content)| content)
    }
}

struct Streams<'f, 'a> {
    file: &'f PdfFile<'a>,
    decoder: Decoder,
    remaining_bytes: usize,
}

impl Streams<'_, '_> {
    /// The decoded streams of an array with the places of their objects.
    fn read(&mut self, store: &Dictionary, key: &[u8]) -> Vec<(Option<usize>, Vec<u8>)> {
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
            let Ok(content) = self.decoder.decode_object(stream) else {
                continue;
            };
            let Some(remaining) = self.remaining_bytes.checked_sub(content.len()) else {
                break;
            };
            self.remaining_bytes = remaining;
            let offset = item
                .as_reference()
                .ok()
                .and_then(|id| self.file.raw_object(id).ok()?.offset);
            streams.push((offset, content));
        }
        streams
    }
}
