//! Time-stamps over the signature value (EN 319 132-1, 5.3).

use parafa_format_core::{Environment, TimestampEvidence, TimestampKind, TimestampStatus};
use parafa_pki::{Certificate, TimestampToken};
use parafa_xml::Element;

use crate::fault::Fault;
use crate::material::Material;
use crate::names::{DSIG, XADES};
use crate::signature::{Canonical, Signature, binary};

/// Most time-stamps of one signature.
const MAX_TIMESTAMPS: usize = 32;

pub(crate) fn timestamps<E: Environment>(
    environment: &E,
    signature: Signature<'_>,
    material: &Material,
) -> Vec<TimestampEvidence> {
    let properties = signature.unsigned_properties().into_iter();
    properties
        .filter(|property| property.is(XADES, "SignatureTimeStamp"))
        .take(MAX_TIMESTAMPS)
        .map(|property| {
            let tokens: Vec<Vec<u8>> = property
                .children_named(XADES, "EncapsulatedTimeStamp")
                .map(|token| binary(token).unwrap_or_default())
                .collect();
            let token = tokens.first().map(|der| TimestampToken::parse(der));
            // Exactly one token is taken (EN 319 132-1, 5.3): of several,
            // readers would look at one or the other.
            let (time, status) = match token {
                Some(Ok(token)) if tokens.len() == 1 => {
                    let status = status(environment, signature, property, &token, material);
                    (Some(token.time()), status)
                }
                _ => (None, TimestampStatus::Malformed),
            };
            TimestampEvidence {
                kind: TimestampKind::Signature,
                token: tokens.into_iter().next().unwrap_or_default(),
                time,
                status,
            }
        })
        .collect()
}

/// What a signature time-stamp stamps: the SignatureValue element.
pub(crate) fn stamped(signature: Signature<'_>, property: Element<'_>) -> Result<Vec<u8>, Fault> {
    let mut methods = property.children_named(DSIG, "CanonicalizationMethod");
    let canonical = match methods.next() {
        Some(method) => Canonical::read(method)?,
        None => Canonical::DEFAULT,
    };
    canonical.apply(signature.value()?)
}

fn status<E: Environment>(
    environment: &E,
    signature: Signature<'_>,
    property: Element<'_>,
    token: &TimestampToken,
    material: &Material,
) -> TimestampStatus {
    let Ok(stamped) = stamped(signature, property) else {
        return TimestampStatus::Unverifiable;
    };
    if token.imprint_algorithm().is_none() {
        return TimestampStatus::Unverifiable;
    }
    if !token.stamps(&stamped) {
        return TimestampStatus::ImprintMismatch;
    }
    let signed_data = token.signed_data();
    let own = signed_data.certificates().iter();
    let mut makers = own
        .chain(&material.certificates)
        .filter(|certificate| signed_data.names_signer(certificate))
        .filter_map(|certificate| Certificate::from_der(certificate).ok());
    let is_known =
        signed_data.digest_algorithm().is_some() && signed_data.signature_algorithm().is_some();
    match makers.next() {
        Some(maker) if is_known && signed_data.holds(environment, &maker) => {
            TimestampStatus::Intact
        }
        Some(_) if is_known => TimestampStatus::SignatureMismatch,
        Some(_) | None => TimestampStatus::Unverifiable,
    }
}
