//! Chains of those who made time-stamps.

use parafa_format_core::{Environment, TimestampStatus};
use parafa_pki::TimestampToken;

use crate::chain::{Chain, Contents, MissingEvidence, MissingItem, Rules};
use crate::validation_material::ValidationMaterial;

/// The chains of those who made time-stamps, whose ends are returned as far as
/// they are there.
pub(crate) fn follow_timestamps<E: Environment>(
    contents: &mut Contents,
    material: &ValidationMaterial<'_, E>,
    proofs: &[&TimestampToken],
    rules: Rules,
) -> Vec<usize> {
    let ends = proofs.iter().filter_map(|token| {
        let leaf = material.signer_of(token.signed_data());
        let time = token.time();
        follow_or_miss(contents, material, Chain::TimeStamp, leaf, time, rules)
    });
    ends.collect()
}

/// The chain of one who signed, whose end is returned if it is there.
pub(crate) fn follow_or_miss<E: Environment>(
    contents: &mut Contents,
    material: &ValidationMaterial<'_, E>,
    chain: Chain,
    leaf: Option<usize>,
    time: i64,
    rules: Rules,
) -> Option<usize> {
    let Some(leaf) = leaf else {
        contents.report(MissingEvidence {
            chain,
            certificate: None,
            is_leaf: true,
            lack: MissingItem::Signer,
        });
        return None;
    };
    contents.follow(material, chain, leaf, time, rules)
}

/// Whether a time-stamp with the right imprint says what its maker signed.
pub fn maker_status<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    token: &TimestampToken,
) -> TimestampStatus {
    let signed_data = token.signed_data();
    let is_known =
        signed_data.digest_algorithm().is_some() && signed_data.signature_algorithm().is_some();
    match material.signer_of(signed_data) {
        Some(signer) if is_known && material.holds(signed_data, signer) => TimestampStatus::Intact,
        Some(_) if is_known => TimestampStatus::SignatureMismatch,
        Some(_) | None => TimestampStatus::Unverifiable,
    }
}

/// Whether a time-stamp with the right imprint can be checked, and its maker
/// signed what it says. Another proves nothing: anybody can put one beside a
/// signature (ETSI EN 319 102-1, 5.5.4).
pub(crate) fn is_proof<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    token: &TimestampToken,
) -> bool {
    maker_status(material, token) == TimestampStatus::Intact
}

/// Whether the certificate of a time-stamp's signer is nowhere.
pub(crate) fn lacks_signer<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    token: &TimestampToken,
) -> bool {
    material.signer_of(token.signed_data()).is_none()
}

/// Whether the certificate of a time-stamp's signer is there and the signature
/// is not by it.
pub(crate) fn is_forged<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    token: &TimestampToken,
) -> bool {
    material
        .signer_of(token.signed_data())
        .is_some_and(|signer| !material.holds(token.signed_data(), signer))
}
