use parafa_format_core::Environment;

use crate::chain::Contents;
use crate::validation_material::{NOWHERE, ValidationMaterial};

/// Certificates and revocation data added to a signature as validation
/// material, DER-encoded and without duplicates.
#[derive(Debug, Default)]
pub struct Values {
    /// Certificates.
    pub certificates: Vec<Vec<u8>>,
    /// OCSPResponse values.
    pub responses: Vec<Vec<u8>>,
    /// CertificateList values.
    pub lists: Vec<Vec<u8>>,
}

impl Values {
    /// Adds the content of chains that is neither in the signature nor among
    /// `others`. A confirmed anchor must be in the store to be accepted as one.
    /// A self-signed end is added if the store is empty, because level LT has a
    /// store.
    pub fn add<E: Environment>(
        &mut self,
        material: &ValidationMaterial<'_, E>,
        contents: &Contents,
        others: &Contents,
        has_store: bool,
    ) {
        let certificates = contents.certificates.iter().filter(|index| {
            let certificate = material.certificate(**index);
            let signs_itself = certificate.issuer() == certificate.subject();
            let is_end = material.is_marked_anchor(**index) || !has_store && signs_itself;
            let is_lacking =
                material.place_of(**index) == NOWHERE || is_end && !material.is_stored(**index);
            is_lacking && !others.certificates.contains(index)
        });
        for index in certificates {
            add_new(
                &mut self.certificates,
                material.certificate(*index).as_der(),
            );
        }
        for index in &contents.data {
            let datum = material.datum(*index);
            if datum.place != NOWHERE || others.data.contains(index) {
                continue;
            }
            if datum.parsed.is_ocsp_response() {
                add_new(&mut self.responses, datum.der);
            } else {
                add_new(&mut self.lists, datum.der);
            }
        }
    }

    /// Returns whether nothing is to be added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.certificates.is_empty() && self.responses.is_empty() && self.lists.is_empty()
    }
}

fn add_new(known: &mut Vec<Vec<u8>>, der: &[u8]) {
    if !known.iter().any(|known| known == der) {
        known.push(der.to_vec());
    }
}
