//! The signature over signed attributes.

use parafa_format_core::{Environment, MemoryBlob, NativeEnvironment, Part};
use parafa_pki::{Certificate, SignedData};

/// Returns whether the value is the signer's signature over the signed
/// attributes.
pub(crate) fn holds(signature: &SignedData) -> bool {
    let algorithm = signature.signature_algorithm().unwrap();
    let certificate = Certificate::from_der(signature.signer_certificate().unwrap()).unwrap();
    let signed: [Part<'_, MemoryBlob>; 1] = [Part::Bytes(signature.signed_attributes().unwrap())];
    let digest = NativeEnvironment.digest(algorithm.digest(), &signed);
    NativeEnvironment
        .verify(
            certificate.subject_public_key_info(),
            algorithm,
            &digest,
            signature.value(),
        )
        .unwrap()
}
