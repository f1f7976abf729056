//! Chains of time-stamps.

use parafa_format_core::{Environment, TimestampStatus};
use parafa_pki::TimestampToken;

use crate::chain::{Chain, Contents, MissingEvidence, MissingItem, Rules};
use crate::validation_material::ValidationMaterial;

/// Follows the chains of time-stamps and returns the ends found.
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

/// Follows a chain from its leaf, or reports a missing leaf; returns the end,
/// if found.
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

/// Returns the status of a time-stamp with a matching imprint, by its own
/// signature.
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

/// Like [`maker_status`], with an unknown imprint: the time-stamp is never
/// intact, but an invalid signature is reported.
pub fn maker_status_without_imprint<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    token: &TimestampToken,
) -> TimestampStatus {
    match maker_status(material, token) {
        TimestampStatus::SignatureMismatch => TimestampStatus::SignatureMismatch,
        _ => TimestampStatus::Unverifiable,
    }
}

/// Returns whether the token's signature is valid; `None` if unknown, as
/// without the signer certificate.
fn maker_signed<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    token: &TimestampToken,
) -> Option<bool> {
    let signer = material.signer_of(token.signed_data())?;
    material.holds(token.signed_data(), signer)
}

/// Returns whether a time-stamp with a matching imprint has a valid signature.
/// Any other proves nothing: anyone can add one (ETSI EN 319 102-1, 5.5.4).
pub(crate) fn is_proof<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    token: &TimestampToken,
) -> bool {
    maker_status(material, token) == TimestampStatus::Intact
}

/// Returns whether the signer certificate of a time-stamp is missing.
pub(crate) fn lacks_signer<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    token: &TimestampToken,
) -> bool {
    material.signer_of(token.signed_data()).is_none()
}

/// Returns whether the signer certificate of a time-stamp is present, but its
/// signature is not shown to be valid.
pub(crate) fn is_unproven<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    token: &TimestampToken,
) -> bool {
    !lacks_signer(material, token) && !is_proof(material, token)
}
