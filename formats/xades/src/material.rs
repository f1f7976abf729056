//! What a signature brings along to be verified with (EN 319 132-1, 5.4).

use parafa_format_core::Environment;
use parafa_pki::Certificate;

use crate::names::{XADES, XADES_141};
use crate::signature::{Signature, binary};

/// Most certificates, and as many revocation data, of one signature.
const MAX_OBJECTS: usize = 1000;

/// Certificates and revocation data of one signature.
#[derive(Clone, Debug, Default)]
pub(crate) struct Material {
    /// Those of KeyInfo first.
    pub(crate) certificates: Vec<Vec<u8>>,
    pub(crate) revocation: Vec<Vec<u8>>,
    /// Whether CertificateValues and RevocationValues are there.
    pub(crate) has_values: [bool; 2],
    pub(crate) is_sealed: bool,
}

impl Material {
    pub(crate) fn read(signature: Signature<'_>) -> Self {
        let mut material = Self {
            certificates: signature.key_info_certificates(),
            ..Self::default()
        };
        for property in signature.unsigned_properties() {
            material.has_values[0] |= property.is(XADES, "CertificateValues");
            material.has_values[1] |= property.is(XADES, "RevocationValues");
            material.is_sealed |= property.local_name() == "SealingEvidenceRecords";
            let is_container = property.is(XADES, "CertificateValues")
                || property.is(XADES, "RevocationValues")
                || property.is(XADES_141, "TimeStampValidationData")
                || property.is(XADES_141, "AnyValidationData");
            if !is_container {
                continue;
            }
            for value in property.descendants() {
                match value.local_name() {
                    "EncapsulatedX509Certificate" => material.certificates.extend(binary(value)),
                    "EncapsulatedOCSPValue" | "EncapsulatedCRLValue" => {
                        material.revocation.extend(binary(value));
                    }
                    _ => {}
                }
            }
        }
        let mut seen = std::collections::HashSet::new();
        material.certificates.retain(|der| seen.insert(der.clone()));
        material.revocation.retain(|der| seen.insert(der.clone()));
        material.certificates.truncate(MAX_OBJECTS);
        material.revocation.truncate(MAX_OBJECTS);
        material
    }

    /// The certificate of the issuer of another one.
    pub(crate) fn issuer_of<E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
    ) -> Option<Certificate<'_>> {
        let parsed = self.certificates.iter();
        let mut issuers = parsed.filter_map(|der| Certificate::from_der(der).ok());
        issuers.find(|issuer| certificate.is_issued_by(environment, issuer))
    }
}
