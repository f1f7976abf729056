//! OCSP responses (RFC 6960).

use std::sync::{Arc, LazyLock};

use parafa_http_port::HttpPort;
use parafa_trust::{Certificate, CertificateStatus, OcspClient, OcspPolicy, OcspSettings, Ports};

use crate::Target;
use crate::asn1::{context, octets, oid, sequence, time, tlv};
use crate::authority::WORLD;
use crate::port::{FixedRandom, OneAnswer, now, run_at_once};

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
    if input.first() == Some(&crate::asn1::SEQUENCE) {
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
    let good = tlv(0x80, &[]);
    let revoked = context(1, &[&time("20261101120000.5Z")]);
    let unknown = tlv(0x82, &[]);
    let next_update = context(0, &[&time("20261121170000Z")]);
    let data = [
        (good, Vec::new()),
        (revoked, next_update.clone()),
        (unknown, next_update),
    ]
    .map(|(status, next_update)| {
        let single = sequence(&[
            &WORLD.cert_id(),
            &status,
            &time("20261121155930Z"),
            &next_update,
        ]);
        sequence(&[
            &context(2, &[&octets(&sha1(&WORLD.responder.point()))]),
            &time("20261121160000Z"),
            &sequence(&[&single]),
            &context(1, &[&sequence(&[&nonce()])]),
        ])
    });
    let mut seeds: Vec<Vec<u8>> = data.iter().map(|data| WORLD.ocsp_response(data)).collect();
    seeds.extend(data);
    seeds.push(sequence(&[&tlv(crate::asn1::ENUMERATED, &[&[3]])]));
    seeds
}

fn nonce() -> Vec<u8> {
    let sent = [FixedRandom::OCTET; 32];
    sequence(&[&oid("1.3.6.1.5.5.7.48.1.2"), &octets(&octets(&sent))])
}

fn sha1(octets: &[u8]) -> Vec<u8> {
    use sha1::Digest;

    sha1::Sha1::digest(octets).to_vec()
}
