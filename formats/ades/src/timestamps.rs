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
    match maker_signed(material, token) {
        Some(true) => TimestampStatus::Intact,
        Some(false) => TimestampStatus::SignatureMismatch,
        None => TimestampStatus::Unverifiable,
    }
}

/// The same where the right imprint is not known, so that nothing makes it
/// intact: what its maker did not sign is told all the same.
pub fn maker_status_without_imprint<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    token: &TimestampToken,
) -> TimestampStatus {
    match maker_status(material, token) {
        TimestampStatus::SignatureMismatch => TimestampStatus::SignatureMismatch,
        _ => TimestampStatus::Unverifiable,
    }
}

/// `None` when it cannot be told, such as when the maker's certificate is nowhere.
fn maker_signed<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    token: &TimestampToken,
) -> Option<bool> {
    let signer = material.signer_of(token.signed_data())?;
    material.holds(token.signed_data(), signer)
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
/// cannot be shown to be by it.
pub(crate) fn is_unproven<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    token: &TimestampToken,
) -> bool {
    !lacks_signer(material, token) && !is_proof(material, token)
}
