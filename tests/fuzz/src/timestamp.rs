//! Time-stamp responses (RFC 3161), as the host reads them.

use std::sync::{Arc, LazyLock};

use parafa_issuing::der::{BIT_STRING, SEQUENCE, integer, sequence, tlv};
use parafa_trust::{
    AuthorityKind, Certificate, Purpose, TimestampAuthority, TimestampClient, TimestampPolicy,
    TrustAnchors, TrustEntry,
};

use crate::authority::{WORLD, timestamp_info};
use crate::port::{FixedRandom, OneAnswer, now, run_at_once};
use crate::target::Target;

/// The reader of time-stamp responses.
///
/// The input is taken as a response, then as the TSTInfo of a token that the
/// right authority signs: what comes after the signature is read too.
pub const TIMESTAMP: Target = Target {
    name: "timestamp",
    run,
    seeds,
};

const IMPRINT: [u8; 32] = [1; 32];

static ANCHORS: LazyLock<Arc<TrustAnchors>> = LazyLock::new(|| {
    let issuer = Certificate::from_der(&WORLD.issuer.certificate)
        .expect("the world's certificates are sound");
    let entry = TrustEntry::new(issuer, AuthorityKind::Issuing, &[Purpose::Timestamping]);
    Arc::new(TrustAnchors::new(vec![entry]))
});

fn run(input: &[u8]) {
    ask(input);
    if input.first() == Some(&SEQUENCE) {
        ask(&granted(&WORLD.timestamp_token(input)));
    }
}

fn ask(answer: &[u8]) {
    let authority = TimestampAuthority {
        url: "http://tsa.example.com/".parse().expect("a sound URL"),
        policy: None,
    };
    let client = TimestampClient::new(
        Arc::new(OneAnswer::new(answer)),
        Arc::new(FixedRandom),
        Arc::clone(&ANCHORS),
        vec![authority],
        TimestampPolicy::default(),
    );
    if let Ok(token) = run_at_once(client.timestamp(&IMPRINT, now())) {
        assert!(memchr::memmem::find(answer, &token.der).is_some());
        let read = parafa_pki::TimestampToken::parse(&token.der)
            .expect("what the host takes, a plugin takes as well");
        assert_eq!(read.imprint(), IMPRINT);
        let off = now().duration_since(token.gen_time);
        assert!(off.unsigned_abs() <= TimestampPolicy::default().clock_skew);
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut nonce = [FixedRandom::OCTET; 16];
    nonce[0] = (nonce[0] & 0x7f) | 0x40;
    let infos = ["20261121160001Z", "20261121160000.25Z", "20261121150000Z"]
        .map(|gen_time| timestamp_info(&IMPRINT, gen_time, &nonce));
    let mut seeds: Vec<Vec<u8>> = infos
        .iter()
        .map(|info| granted(&WORLD.timestamp_token(info)))
        .collect();
    seeds.extend(infos);
    let failure = tlv(BIT_STRING, &[&[0, 0x20]]);
    seeds.push(sequence(&[&sequence(&[&integer(&[2]), &failure])]));
    seeds
}

fn granted(token: &[u8]) -> Vec<u8> {
    sequence(&[&sequence(&[&integer(&[0])]), token])
}
