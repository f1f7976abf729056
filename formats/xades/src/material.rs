//! What a signature brings along to be verified with (EN 319 132-1, 5.4 and
//! 5.5).

use parafa_xml::Element;

use crate::names::{XADES, XADES_141};
use crate::signature::{Signature, binary};

/// Most certificates, and as many revocation data, of one signature.
const MAX_OBJECTS: usize = 1000;

/// Certificates and revocation data of one signature.
#[derive(Clone, Debug, Default)]
pub(crate) struct Material {
    /// Those of KeyInfo.
    pub(crate) key_info: Vec<Vec<u8>>,
    /// Those of unsigned properties.
    pub(crate) certificates: Vec<Stored>,
    pub(crate) revocation: Vec<Stored>,
    /// Whether there is any property for what it is verified with.
    pub(crate) has_store: bool,
    /// Whether there is a CertificateValues or RevocationValues, of which there
    /// may be one each.
    pub(crate) has_values: bool,
    pub(crate) is_sealed: bool,
}

/// DER in an unsigned property.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) der: Vec<u8>,
    /// The place of the property.
    pub(crate) place: usize,
}

impl Stored {
    pub(crate) fn with_place(&self) -> (&[u8], usize) {
        (&self.der, self.place)
    }
}

/// The place of what stands before all unsigned properties: archive time-stamps
/// are over it, each over all properties before itself.
pub(crate) const BEFORE_ALL: usize = 0;

/// Unsigned properties with their places, in their order.
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

    /// DER of all certificates, those of KeyInfo first, and each once.
    pub(crate) fn all_certificates(&self) -> Vec<Vec<u8>> {
        let stored = self.certificates.iter().map(|stored| &stored.der);
        unique(self.key_info.iter().chain(stored))
    }

    /// DER of all revocation data, each once.
    pub(crate) fn all_revocation(&self) -> Vec<Vec<u8>> {
        unique(self.revocation.iter().map(|stored| &stored.der))
    }
}

fn unique<'d>(ders: impl Iterator<Item = &'d Vec<u8>>) -> Vec<Vec<u8>> {
    let mut seen = std::collections::HashSet::new();
    ders.filter(|der| seen.insert(*der)).cloned().collect()
}
