//! What nobody signs beside, whether the signature holds or not.

use parafa_pki::Certificate;

use crate::names::{self, DSIG};
use crate::signature::Signature;

/// Shortest RSA key that shows who signed, in bits.
const LEAST_RSA_BITS: usize = 2048;

/// SHA-1 and MD5, keys that are too short for what they are to show (ETSI TS 119
/// 312), and digests that stand in the signature without being signed.
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
    // Where the signer is not told apart, every certificate may be theirs.
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
