//! Weaknesses of signatures, valid or not.

use parafa_pki::Certificate;

use crate::names::{self, DSIG};
use crate::signature::Signature;

/// Minimum length of RSA keys that identify a signer, in bits.
const LEAST_RSA_BITS: usize = 2048;

/// Finds SHA-1 and MD5, keys that are too short (ETSI TS 119 312), and unsigned
/// digests in the signature.
pub(crate) fn weakness(signature: Signature<'_>, signer: Option<&Vec<u8>>) -> Option<String> {
    let signed_info = signature.signed_info().ok()?;
    let digests = signed_info
        .children_named(DSIG, "Reference")
        .flat_map(|reference| reference.children_named(DSIG, "DigestMethod"));
    let methods = signed_info.children_named(DSIG, "SignatureMethod");
    let mut algorithms = methods.chain(digests);
    let weak = algorithms.find_map(|method| {
        method
            .attribute("Algorithm")
            .filter(|uri| names::is_weak(uri))
    });
    // Without a known signer, every certificate may be the signer's.
    let key_info = signature.key_info_certificates();
    let signers = signer.map_or(&key_info[..], std::slice::from_ref);
    let signers = signers
        .iter()
        .filter_map(|der| Certificate::from_der(der).ok());
    let bits = signers
        .filter_map(|signer| Some(signer.rsa_modulus_len()? * 8))
        .min();
    let short = bits.filter(|bits| *bits < LEAST_RSA_BITS);
    weak.map(|uri| format!("the algorithm {uri:?}"))
        .or_else(|| short.map(|bits| format!("an RSA key of {bits} bits")))
        .or_else(|| {
            let lists = signature.has_manifest();
            lists.then(|| "a ds:Manifest, a list of further digests".to_owned())
        })
}
