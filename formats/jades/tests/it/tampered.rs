//! Documents at level LT with one changed byte in their evidence: the level is
//! that of the remaining valid evidence.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD as BASE64URL};
use openssl::nid::Nid;
use openssl::x509::X509;
use parafa_format_core::{Integrity, NeedKind};
use serde_json::{Value, json};

use crate::answering::certificate;
use crate::ceremony::{ANSWER, WORLD, archived_with, json, verified};
use crate::issuing::{CertStatus, Period, ocsp_response, revocation_list};
use crate::pki::{Role, ec_key, issue};
use crate::tampering::tampered;

/// Returns a document at level LT, with issuers answering by CRLs or by
/// certified responders, and the responders' certificates.
fn raised(by_lists: bool) -> (Value, Vec<Vec<u8>>) {
    let role = Role::Responder { is_exempt: true };
    let key = || ec_key(Nid::X9_62_PRIME256V1);
    let responders = [&WORLD.pki.root, &WORLD.authority]
        .map(|issuer| (issuer, issue("Responder", key(), Some(issuer), role)));
    let stamped = WORLD.p256.signs(ANSWER, "B-T");
    let (raised, outcome) = archived_with(&stamped, |need| {
        if need.kind != NeedKind::Revocation {
            return WORLD.answer(need);
        }
        let certificate = certificate(need);
        let issued =
            |issuer: &X509| issuer.issued(&certificate) == openssl::x509::X509VerifyResult::OK;
        let mut responders = responders.iter();
        let (issuer, responder) = responders
            .find(|(issuer, _)| issued(&issuer.certificate))
            .unwrap();
        let (good, fresh) = (CertStatus::Good, Period::fresh());
        let told = if by_lists {
            revocation_list(issuer, &[], fresh)
        } else {
            ocsp_response(&certificate, issuer, responder, good, fresh)
        };
        need.answer(Ok(told))
    })
    .unwrap();
    assert_eq!(outcome.level, "JAdES-B-LT");

    let mut document = json(&raised);
    let items = document["header"]["etsiU"].as_array().unwrap().iter();
    let clear = items.map(|item| json(&BASE64URL.decode(item.as_str().unwrap()).unwrap()));
    document["header"]["etsiU"] = clear.collect::<Vec<_>>().into();
    let responders = responders.map(|(_, responder)| responder.certificate.to_der().unwrap());
    (document, responders.to_vec())
}

/// Changes a byte in each part of the value at a place, and asserts the level.
fn assert_falls(document: &Value, place: &str, inner: &[Vec<u8>], expected: &str) {
    let der = document.pointer(place).and_then(Value::as_str);
    let der = BASE64_STANDARD.decode(der.expect(place)).unwrap();
    let mut inner = inner.iter();
    let inner = inner.find(|inner| crate::tampering::find(&der, inner).is_some());
    for (part, changed) in tampered(&der, inner.map(Vec::as_slice)) {
        let mut document = document.clone();
        *document.pointer_mut(place).unwrap() = json!(BASE64_STANDARD.encode(changed));
        let signature = verified(document.to_string().as_bytes());

        assert_eq!(signature.integrity, Integrity::Intact, "{place}: {part}");
        assert_eq!(signature.level, expected, "{place}: {part}");
    }
}

#[test]
fn a_level_is_the_one_of_the_evidence_that_holds() {
    let [(by_responses, mut certificates), (by_lists, _)] = [raised(false), raised(true)];
    for document in [&by_responses, &by_lists] {
        let signature = verified(document.to_string().as_bytes());
        assert_eq!(signature.level, "JAdES-B-LT");
    }
    certificates.push(WORLD.pki.stamper().to_der().unwrap());

    for number in 0..3 {
        let place = format!("/header/etsiU/2/rVals/ocspVals/{number}/val");
        assert_falls(&by_responses, &place, &certificates, "JAdES-B-T");
    }
    for number in 0..2 {
        let place = format!("/header/etsiU/2/rVals/crlVals/{number}/val");
        assert_falls(&by_lists, &place, &[], "JAdES-B-T");
    }
    // Certificates from responses are stored too; the root is nowhere else.
    let root = WORLD.pki.root.certificate.to_der().unwrap();
    let root = json!({"x509Cert": {"val": BASE64_STANDARD.encode(root)}});
    let stored = by_responses["header"]["etsiU"][1]["xVals"].as_array();
    let number = stored.unwrap().iter().position(|one| *one == root).unwrap();
    let place = format!("/header/etsiU/1/xVals/{number}/x509Cert/val");
    assert_falls(&by_responses, &place, &[], "JAdES-B-T");
    let token = "/header/etsiU/0/sigTst/tstTokens/0/val";
    assert_falls(&by_responses, token, &certificates, "JAdES-B-B");
}
