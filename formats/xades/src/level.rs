//! The level of a signature, by what it holds (EN 319 132-1, 6).

use parafa_format_core::{BaselineLevel, levels};

use crate::coverage::Covered;
use crate::names::XADES;
use crate::signature::Signature;

/// Whether a signature has what the baseline asks of every level: a signing
/// time, and a format of everything that is signed (6.3).
pub(crate) fn is_baseline(signature: Signature<'_>, covers: &[Covered]) -> bool {
    let properties = signature.signed_signature_properties();
    properties.is_ok_and(|properties| properties.only_child(XADES, "SigningTime").is_some())
        && covers.iter().all(|covered| covered.media_type.is_some())
}

/// The name of a level. Signatures of the older ETSI TS 101 903 have names for
/// some alone.
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
