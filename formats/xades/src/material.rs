//! Validation material in a signature (EN 319 132-1, 5.4 and 5.5).

use parafa_xml::Element;

use crate::names::{XADES, XADES_141};
use crate::signature::{Signature, binary};

/// Maximum number of certificates, and of revocation data, per signature.
const MAX_OBJECTS: usize = 1000;

/// Certificates and revocation data of one signature.
#[derive(Clone, Debug, Default)]
pub(crate) struct Material {
    /// Certificates of KeyInfo.
    pub(crate) key_info: Vec<Vec<u8>>,
    /// Certificates of unsigned properties.
    pub(crate) certificates: Vec<Stored>,
    pub(crate) revocation: Vec<Stored>,
    /// A property with validation material exists.
    pub(crate) has_store: bool,
    /// CertificateValues or RevocationValues exist; each may occur once.
    pub(crate) has_values: bool,
    pub(crate) is_sealed: bool,
}

/// DER data in an unsigned property.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) der: Vec<u8>,
    /// Place of the property.
    pub(crate) place: usize,
}

impl Stored {
    pub(crate) fn with_place(&self) -> (&[u8], usize) {
        (&self.der, self.place)
    }
}

/// Place before all unsigned properties. An archive time-stamp covers it, and
/// all properties before its own place.
pub(crate) const BEFORE_ALL: usize = 0;

/// Returns the unsigned properties with their places, in order.
pub(crate) fn with_places(signature: Signature<'_>) -> Vec<(usize, Element<'_>)> {
    let properties = signature.unsigned_properties().into_iter();
    (BEFORE_ALL + 1..).zip(properties).collect()
}

impl Material {
    pub(crate) fn read(signature: Signature<'_>) -> Self {
        let mut material = Self {
            key_info: signature.key_info_certificates(),
            ..Self::default()
        };
        for (place, property) in with_places(signature) {
            material.is_sealed |= property.local_name() == "SealingEvidenceRecords";
            let is_values =
                property.is(XADES, "CertificateValues") || property.is(XADES, "RevocationValues");
            let is_store = is_values
                || property.is(XADES_141, "TimeStampValidationData")
                || property.is(XADES_141, "AnyValidationData");
            material.has_values |= is_values;
            material.has_store |= is_store;
            if is_store {
                material.add(property, place);
            }
        }
        material.key_info.truncate(MAX_OBJECTS);
        material.certificates.truncate(MAX_OBJECTS);
        material.revocation.truncate(MAX_OBJECTS);
        material
    }

    fn add(&mut self, property: Element<'_>, place: usize) {
        for value in property.descendants() {
            let stored = || binary(value).map(|der| Stored { der, place });
            match value.local_name() {
                "EncapsulatedX509Certificate" => self.certificates.extend(stored()),
                "EncapsulatedOCSPValue" | "EncapsulatedCRLValue" => {
                    self.revocation.extend(stored());
                }
                _ => {}
            }
        }
    }

    /// Returns all certificates in DER, without duplicates, those of KeyInfo
    /// first.
    pub(crate) fn all_certificates(&self) -> Vec<Vec<u8>> {
        let stored = self.certificates.iter().map(|stored| &stored.der);
        unique(self.key_info.iter().chain(stored))
    }

    /// Returns all revocation data in DER, without duplicates.
    pub(crate) fn all_revocation(&self) -> Vec<Vec<u8>> {
        unique(self.revocation.iter().map(|stored| &stored.der))
    }
}

fn unique<'d>(ders: impl Iterator<Item = &'d Vec<u8>>) -> Vec<Vec<u8>> {
    let mut seen = std::collections::HashSet::new();
    ders.filter(|der| seen.insert(*der)).cloned().collect()
}
