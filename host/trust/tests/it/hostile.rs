//! Dishonest answers never panic, and never pass.

use std::sync::{Arc, LazyLock};

use parafa_trust::{
    Certificate, OcspSettings, TimestampAuthority, TimestampClient, TimestampPolicy,
};
use proptest::prelude::*;
use tokio::runtime::{Builder, Runtime};

use crate::authority::Identity;
use crate::port::{FakePort, random};
use crate::responder::Responder;
use crate::revocation_list::{LIST_URL, RevocationList, with_list};
use crate::stamper::Stamper;
use crate::world::{
    ACCESS, METHOD, OCSP_URL, World, now, ocsp_client, signer_check, signer_template,
};

const TSA: &str = "http://tsa.example.com/";

static WORLD: LazyLock<World> = LazyLock::new(World::new);
static SIGNER: LazyLock<Identity> = LazyLock::new(|| WORLD.signer());
/// Names a list and no responder.
static LISTED: LazyLock<Certificate> = LazyLock::new(|| {
    let signer = with_list(signer_template().without(ACCESS));
    signer.issued_by(&WORLD.issuing).certificate()
});

fn runtime() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// Returns true if an OCSP answer passed through `change` is accepted.
fn ocsp_passes(change: impl Fn(Vec<u8>) -> Vec<u8> + Send + Sync + 'static) -> bool {
    let responder = Responder::new(&WORLD.responder);
    let port = FakePort::default().at(OCSP_URL, move |body| change(responder.answer(body)));
    let client = ocsp_client(port);
    let (signer, issuer) = (SIGNER.certificate(), WORLD.issuing.certificate());
    let settings = OcspSettings::default();
    runtime()
        .block_on(client.status(&signer, &issuer, &settings, now()))
        .is_ok()
}

/// Returns true if a revocation list passed through `change` is accepted.
fn list_passes(change: impl Fn(Vec<u8>) -> Vec<u8>) -> bool {
    let list = change(RevocationList::new(&WORLD.issuing).der());
    let port = FakePort::default().at(LIST_URL, move |_| list.clone());
    let check = signer_check(&WORLD.anchors(), port);
    let checked = check.check_signer(&LISTED, METHOD, now());
    runtime().block_on(checked).is_ok()
}

/// Returns true if a time-stamp answer passed through `change` is accepted.
fn timestamp_passes(change: impl Fn(Vec<u8>) -> Vec<u8> + Send + Sync + 'static) -> bool {
    let stamper = Stamper::new(&WORLD.stamper);
    let port = FakePort::default().at(TSA, move |body| change(stamper.answer(body)));
    let authority = TimestampAuthority {
        url: TSA.parse().expect("a URL"),
        policy: None,
    };
    let client = TimestampClient::new(
        Arc::new(port),
        random(),
        WORLD.anchors(),
        vec![authority],
        TimestampPolicy::default(),
    );
    runtime()
        .block_on(client.timestamp(&[1; 32], now()))
        .is_ok()
}

fn cut(octets: &[u8], at: prop::sample::Index) -> Vec<u8> {
    octets[..at.index(octets.len())].to_vec()
}

fn flipped(mut octets: Vec<u8>, at: prop::sample::Index, bit: u8) -> Vec<u8> {
    let position = at.index(octets.len());
    octets[position] ^= 1 << bit;
    octets
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rubbish_is_refused(rubbish in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Certificate::from_der(&rubbish).is_err());
        let sent = rubbish.clone();
        prop_assert!(!ocsp_passes(move |_| sent.clone()));
        prop_assert!(!list_passes(|_| rubbish.clone()));
        prop_assert!(!timestamp_passes(move |_| rubbish.clone()));
    }

    #[test]
    fn cut_answers_are_refused(at: prop::sample::Index) {
        prop_assert!(!ocsp_passes(move |answer| cut(&answer, at)));
        prop_assert!(!list_passes(|list| cut(&list, at)));
        prop_assert!(!timestamp_passes(move |answer| cut(&answer, at)));
        prop_assert!(Certificate::from_der(&cut(&SIGNER.der(), at)).is_err());
    }

    #[test]
    fn flipped_bits_never_panic(at: prop::sample::Index, bit in 0..8_u8) {
        ocsp_passes(move |answer| flipped(answer, at, bit));
        list_passes(|list| flipped(list, at, bit));
        timestamp_passes(move |answer| flipped(answer, at, bit));
        drop(Certificate::from_der(&flipped(SIGNER.der(), at, bit)));
    }
}
