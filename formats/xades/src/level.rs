//! Level of a signature by its content (EN 319 132-1, 6).

use parafa_format_core::{BaselineLevel, levels};

use crate::coverage::Covered;
use crate::names::XADES;
use crate::signature::Signature;

/// Returns whether a signature meets the baseline of every level: a signing
/// time, and a format for every signed object (6.3).
pub(crate) fn is_baseline(signature: Signature<'_>, covers: &[Covered]) -> bool {
    let properties = signature.signed_signature_properties();
    properties.is_ok_and(|properties| properties.only_child(XADES, "SigningTime").is_some())
        && covers.iter().all(|covered| covered.media_type.is_some())
}

/// Returns the name of a level. Signatures by the older ETSI TS 101 903 have
/// names for some levels only.
pub(crate) fn name(is_baseline: bool, level: Option<BaselineLevel>) -> &'static str {
    use BaselineLevel::{B, Lt, Lta, T};

    match (is_baseline, level) {
        (_, None) | (false, Some(B)) => levels::UNKNOWN,
        (true, Some(B)) => levels::XADES_B_B,
        (true, Some(T)) => levels::XADES_B_T,
        (true, Some(Lt)) => levels::XADES_B_LT,
        (true, Some(Lta)) => levels::XADES_B_LTA,
        (false, Some(T)) => levels::XADES_T,
        (false, Some(Lt | Lta)) => levels::XADES_LT,
    }
}
