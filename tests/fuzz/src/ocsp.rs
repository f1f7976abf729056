//! OCSP responses (RFC 6960).

use std::sync::{Arc, LazyLock};

use parafa_http_port::HttpPort;
use parafa_issuing::der::{ENUMERATED, SEQUENCE, octets, sequence, tlv};
use parafa_issuing::oids::rfc6960::ID_PKIX_OCSP_NONCE;
use parafa_issuing::{Extension, Status, Time};
use parafa_trust::{Certificate, CertificateStatus, OcspClient, OcspPolicy, OcspSettings, Ports};

use crate::authority::WORLD;
use crate::port::{FixedRandom, OneAnswer, now, run_at_once};
use crate::target::Target;

/// The reader of OCSP responses.
///
/// The input is taken as a response, then as the ResponseData of a response
/// that the right responder signs: what comes after the signature is read too.
pub const OCSP: Target = Target {
    name: "ocsp",
    run,
    seeds,
};

static SIGNER: LazyLock<[Certificate; 2]> = LazyLock::new(|| {
    [&WORLD.signer, &WORLD.issuer].map(|identity| {
        Certificate::from_der(&identity.certificate).expect("the world's certificates are sound")
    })
});

fn run(input: &[u8]) {
    ask(input);
    if input.first() == Some(&SEQUENCE) {
        ask(&WORLD.ocsp_response(input));
    }
}

fn ask(answer: &[u8]) {
    let port: Arc<dyn HttpPort> = Arc::new(OneAnswer::new(answer));
    let ports = Ports {
        configured: Arc::clone(&port),
        named: port,
    };
    let client = OcspClient::new(ports, Arc::new(FixedRandom), OcspPolicy::default());
    let [signer, issuer] = &*SIGNER;
    let settings = OcspSettings::default();
    if let Ok(evidence) = run_at_once(client.status(signer, issuer, &settings, now())) {
        assert_eq!(evidence.response_der, answer);
        let policy = OcspPolicy::default();
        let age = now().duration_since(evidence.this_update);
        let is_fresh = age.unsigned_abs() <= policy.max_age + policy.clock_skew;
        let is_revoked = matches!(evidence.status, CertificateStatus::Revoked { .. });
        assert!(is_fresh || is_revoked);
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let sent = octets(&[FixedRandom::OCTET; 32]);
    let revoked = Status::Revoked {
        at: "20261101120000.5Z".into(),
        reason: None,
    };
    let next_update = Some(Time::from("20261121170000Z"));
    let data = [
        (Status::Good, None),
        (revoked, next_update.clone()),
        (Status::Unknown, next_update),
    ]
    .map(|(status, next_update)| {
        let times = ["20261121160000Z", "20261121155930Z"];
        let mut response = WORLD.response(&WORLD.responder, &WORLD.signer, status, times);
        response.responses[0].next_update = next_update;
        let nonce = Extension::plain(ID_PKIX_OCSP_NONCE, sent.clone());
        response.extensions.push(nonce);
        response.data()
    });
    let mut seeds: Vec<Vec<u8>> = data.iter().map(|data| WORLD.ocsp_response(data)).collect();
    seeds.extend(data);
    seeds.push(sequence(&[&tlv(ENUMERATED, &[&[3]])]));
    seeds
}
