use lopdf::Object;

use crate::structure::{Decoder, PdfFile};

/// The document security store (ISO 32000-2, 12.8.4.3): what later updates
/// added so that signatures can be verified for long.
#[derive(Debug, Default)]
pub(super) struct SecurityStore {
    /// DER certificates.
    pub(super) certificates: Vec<Vec<u8>>,
    /// DER OCSP responses and CRLs.
    pub(super) revocation: Vec<Vec<u8>>,
}

impl SecurityStore {
    /// Reads `/DSS` of the catalog; what cannot be decoded within the limits
    /// is left out, as if it were not there.
    pub(super) fn read(file: &PdfFile<'_>) -> Self {
        let Some(store) = file
            .catalog()
            .ok()
            .and_then(|catalog| file.entry_dictionary(catalog, b"DSS"))
        else {
            return Self::default();
        };
        let decoder = Decoder::new(file.limits());
        let mut remaining = file.limits().decoded_total_bytes;
        let mut streams = |key: &[u8]| -> Vec<Vec<u8>> {
            let items = file
                .entry(store, key)
                .and_then(|items| items.as_array().ok());
            let streams =
                items
                    .into_iter()
                    .flatten()
                    .filter_map(|item| match file.resolve(item)? {
                        Object::Stream(stream) => decoder.decode_object(stream).ok(),
                        _ => None,
                    });
            streams
                .take_while(|content| {
                    remaining = remaining.saturating_sub(content.len());
                    remaining > 0
                })
                .collect()
        };
        let certificates = streams(b"Certs");
        let mut revocation = streams(b"OCSPs");
        revocation.extend(streams(b"CRLs"));
        Self {
            certificates,
            revocation,
        }
    }
}
