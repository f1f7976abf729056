//! Time-stamps over the signature value (ETSI EN 319 122-1, 5.3).

use parafa_plugin_sdk::cms::{Certificate, SignedData, TimestampToken};
use parafa_plugin_sdk::core::{Environment, TimestampEvidence, TimestampKind, TimestampStatus};

/// Returns evidence about each time-stamp.
pub(crate) fn evidence<E: Environment>(
    environment: &E,
    cms: &SignedData,
) -> Vec<TimestampEvidence> {
    let evidence = |der: &Vec<u8>| {
        let token = TimestampToken::parse(der).ok();
        TimestampEvidence {
            kind: TimestampKind::Signature,
            token: der.clone(),
            time: token.as_ref().map(TimestampToken::time),
            status: token.map_or(TimestampStatus::Malformed, |token| {
                status(environment, cms, &token)
            }),
        }
    };
    cms.timestamps().iter().map(evidence).collect()
}

/// Checks that a token stamps the signature value, and that its signer signed it.
fn status<E: Environment>(
    environment: &E,
    cms: &SignedData,
    token: &TimestampToken,
) -> TimestampStatus {
    let maker = token.signed_data().signer_certificate();
    let maker = maker.and_then(|der| Certificate::from_der(der).ok());
    match maker {
        _ if token.imprint_algorithm().is_none() => TimestampStatus::Unverifiable,
        _ if !token.stamps(cms.value()) => TimestampStatus::ImprintMismatch,
        None => TimestampStatus::Unverifiable,
        Some(maker) => match token.signed_data().holds(environment, &maker) {
            Some(true) => TimestampStatus::Intact,
            Some(false) => TimestampStatus::SignatureMismatch,
            None => TimestampStatus::Unverifiable,
        },
    }
}
