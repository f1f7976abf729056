//! Answers for archiving, of an authority whose answers never change.

use parafa_format_core::{Need, NeedKind};
use parafa_issuing::Status;

use crate::authority::{Identity, WORLD};

/// A sound answer.
pub(crate) fn sound(need: &Need) -> Vec<u8> {
    match need.kind {
        NeedKind::Certificate if need.payload.as_bytes() == Some(&WORLD.issuer.certificate[..]) => {
            b"anchor".to_vec()
        }
        NeedKind::Certificate => WORLD.issuer.certificate.clone(),
        NeedKind::Revocation => {
            let known = [&WORLD.signer, &WORLD.stamper, &WORLD.responder];
            let asked = known
                .into_iter()
                .find(|known| need.payload.as_bytes() == Some(&known.certificate[..]));
            asked.map(response).unwrap_or_default()
        }
        other => panic!("{other:?} is not needed"),
    }
}

/// Somebody is good, a minute after the time-stamp. About the responder its
/// issuer answers.
pub(crate) fn response(about: &Identity) -> Vec<u8> {
    let is_responder = about.certificate == WORLD.responder.certificate;
    let responder = if is_responder {
        &WORLD.issuer
    } else {
        &WORLD.responder
    };
    let at = "20261121160100Z";
    let response = WORLD.response(responder, about, Status::Good, [at, at]);
    response.der().expect("the key can be used")
}
