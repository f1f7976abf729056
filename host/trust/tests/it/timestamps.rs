use std::sync::{Arc, Mutex};

use der::Decode;
use der::asn1::ObjectIdentifier;
use parafa_trust::{
    AuthorityKind, Purpose, RandomSource, RandomUnavailable, TimestampAuthority, TimestampClient,
    TimestampError, TimestampFault, TimestampPolicy, TimestampToken, TokenFault, TrustAnchors,
    TrustEntry,
};
use x509_tsp::TimeStampReq;

use crate::authority::{Identity, OCSP_SIGNING, TIME_STAMPING, Template, rsa};
use crate::port::{FakePort, random};
use crate::stamper::{EssAttribute, NonceReply, Stamper, refusal};
use crate::world::{World, now, stamper_template};

const FIRST: &str = "http://tsa.example.com/first";
const SECOND: &str = "http://tsa.example.com/second";
const IMPRINT: [u8; 32] = [0x42; 32];

fn authority(url: &str) -> TimestampAuthority {
    TimestampAuthority {
        url: url.parse().expect("a URL"),
        policy: None,
    }
}

fn client(world: &World, port: FakePort, authorities: Vec<TimestampAuthority>) -> TimestampClient {
    let policy = TimestampPolicy::default();
    TimestampClient::new(
        Arc::new(port),
        random(),
        world.anchors(),
        authorities,
        policy,
    )
}

async fn stamped(world: &World, stamper: Stamper) -> Result<TimestampToken, TimestampFault> {
    let port = FakePort::default().at(FIRST, move |request| stamper.answer(request));
    let client = client(world, port, vec![authority(FIRST)]);
    client
        .timestamp(&IMPRINT, now())
        .await
        .map_err(|error| match error {
            TimestampError::AllFailed(failures) => {
                let [failure] = <[_; 1]>::try_from(failures).expect("one authority");
                failure.fault
            }
            other => panic!("{other:?}"),
        })
}

/// A port at which each stamper answers once, in turn.
fn in_turn<const COUNT: usize>(stampers: [Stamper; COUNT]) -> FakePort {
    let stampers = Mutex::new(stampers.into_iter());
    FakePort::default().at(FIRST, move |request| {
        let stamper = stampers.lock().expect("stampers").next();
        stamper.expect("a stamper").answer(request)
    })
}

/// The refusal of a stamper that differs from an honest one by `change`.
async fn fault(world: &World, change: impl FnOnce(&mut Stamper)) -> TokenFault {
    let mut stamper = Stamper::new(&world.stamper);
    change(&mut stamper);
    match stamped(world, stamper).await {
        Err(TimestampFault::Invalid(fault)) => fault,
        other => panic!("{other:?}"),
    }
}

async fn fault_of_signer(world: &World, signer: &Identity) -> TokenFault {
    fault(world, |stamper| *stamper = Stamper::new(signer)).await
}

#[tokio::test]
async fn an_honest_token_is_accepted() {
    let world = World::new();
    let token = stamped(&world, Stamper::new(&world.stamper))
        .await
        .expect("a token");
    assert_eq!(token.gen_time.to_string(), "2026-11-21T16:00:01Z");
    assert_eq!(token.serial_number, [0x12, 0x34]);
    assert_eq!(token.policy, ObjectIdentifier::new_unwrap("0.4.0.2023.1.1"));
    let chain = [world.stamper.certificate(), world.issuing.certificate()];
    assert_eq!(token.signer_chain, chain);
}

#[tokio::test]
async fn fractional_seconds_are_accepted() {
    let world = World::new();
    let mut stamper = Stamper::new(&world.stamper);
    stamper.gen_time = "20261121160001.927Z";
    let token = stamped(&world, stamper).await.expect("a token");
    assert_eq!(token.gen_time.to_string(), "2026-11-21T16:00:01.927Z");
}

#[tokio::test]
async fn either_signing_certificate_attribute_will_do() {
    let world = World::new();
    for ess in [EssAttribute::V1, EssAttribute::V2, EssAttribute::Both] {
        let mut stamper = Stamper::new(&world.stamper);
        stamper.ess = ess;
        stamped(&world, stamper).await.expect("a token");
    }
}

#[tokio::test]
async fn rsa_tokens_with_either_padding_are_accepted() {
    let world = World::new();
    let signer = stamper_template().key(rsa(2048)).issued_by(&world.issuing);
    for pss in [false, true] {
        let mut stamper = Stamper::new(&signer);
        stamper.pss = pss;
        stamped(&world, stamper).await.expect("a token");
    }
}

#[tokio::test]
async fn the_signature_is_over_the_der_encoding_of_the_attributes() {
    let world = World::new();
    let mut stamper = Stamper::new(&world.stamper);
    stamper.unsorted_attributes = true;
    stamped(&world, stamper).await.expect("a token");
    let as_sent = fault(&world, |stamper| {
        stamper.unsorted_attributes = true;
        stamper.sign_as_sent = true;
    })
    .await;
    assert!(matches!(as_sent, TokenFault::Signature(_)), "{as_sent:?}");
}

#[tokio::test]
async fn an_embedded_intermediate_leads_to_a_root() {
    let world = World::new();
    let entry = TrustEntry::new(
        world.root.certificate(),
        AuthorityKind::Root,
        &[Purpose::Timestamping],
    );
    let anchors = Arc::new(TrustAnchors::new(vec![entry]));
    let mut stamper = Stamper::new(&world.stamper);
    stamper.embedded.push(world.issuing.clone());
    let port = FakePort::default().at(FIRST, move |request| stamper.answer(request));
    let authorities = vec![authority(FIRST)];
    let policy = TimestampPolicy::default();
    let client = TimestampClient::new(Arc::new(port), random(), anchors, authorities, policy);
    let token = client.timestamp(&IMPRINT, now()).await.expect("a token");
    assert_eq!(token.signer_chain.len(), 3);
}

#[tokio::test]
async fn a_token_over_something_else_is_refused() {
    let world = World::new();
    let wrong = fault(&world, |stamper| stamper.wrong_imprint = true).await;
    assert!(matches!(wrong, TokenFault::Imprint), "{wrong:?}");
}

#[tokio::test]
async fn the_nonce_must_return() {
    let world = World::new();
    for reply in [NonceReply::Wrong, NonceReply::Silent] {
        let wrong = fault(&world, |stamper| stamper.nonce = reply).await;
        assert!(matches!(wrong, TokenFault::Nonce), "{wrong:?}");
    }
}

#[tokio::test]
async fn a_nonce_is_a_positive_number_whatever_the_random_octets() {
    struct Same(u8);

    impl RandomSource for Same {
        fn fill(&self, bytes: &mut [u8]) -> Result<(), RandomUnavailable> {
            bytes.fill(self.0);
            Ok(())
        }
    }

    let world = World::new();
    for octet in [0x00, 0x40, 0x80, 0xff] {
        let stamper = Stamper::new(&world.stamper);
        let port = FakePort::default().at(FIRST, move |request| {
            let sent = TimeStampReq::from_der(request).expect("a request");
            let nonce = sent.nonce.expect("a nonce");
            let octets = nonce.as_bytes();
            assert_eq!(octets.len(), 16);
            assert!((0x40..0x80).contains(&octets[0]), "{octets:?}");
            stamper.answer(request)
        });
        let client = TimestampClient::new(
            Arc::new(port),
            Arc::new(Same(octet)),
            world.anchors(),
            vec![authority(FIRST)],
            TimestampPolicy::default(),
        );
        client.timestamp(&IMPRINT, now()).await.expect("a token");
    }
}

#[tokio::test]
async fn the_policy_that_was_asked_for_must_return() {
    let world = World::new();
    let asked = TimestampAuthority {
        policy: Some(ObjectIdentifier::new_unwrap("0.4.0.2023.1.1")),
        ..authority(FIRST)
    };
    for (policy, passes) in [("0.4.0.2023.1.1", true), ("1.2.3", false)] {
        let mut stamper = Stamper::new(&world.stamper);
        stamper.policy = policy;
        let port = FakePort::default().at(FIRST, move |request| stamper.answer(request));
        let client = client(&world, port, vec![asked.clone()]);
        assert_eq!(client.timestamp(&IMPRINT, now()).await.is_ok(), passes);
    }
}

#[tokio::test]
async fn a_time_far_from_now_is_refused() {
    let world = World::new();
    for gen_time in ["20261121155459Z", "20261121160500.001Z"] {
        let far = fault(&world, |stamper| stamper.gen_time = gen_time).await;
        assert!(matches!(far, TokenFault::Time(_)), "{far:?}");
    }
    for gen_time in ["20261121155500Z", "20261121160500Z"] {
        let mut stamper = Stamper::new(&world.stamper);
        stamper.gen_time = gen_time;
        stamped(&world, stamper).await.expect("a token");
    }
}

#[tokio::test]
async fn the_signer_must_be_for_time_stamping_alone() {
    let world = World::new();
    let template = || Template::new("Test TSU").serial(4);
    for template in [
        template(),
        template().extended_key_usage(false, &[TIME_STAMPING]),
        template().extended_key_usage(true, &[OCSP_SIGNING]),
        template().extended_key_usage(true, &[TIME_STAMPING, OCSP_SIGNING]),
    ] {
        let wrong = fault_of_signer(&world, &template.issued_by(&world.issuing)).await;
        assert!(matches!(wrong, TokenFault::SignerPurpose), "{wrong:?}");
    }
}

#[tokio::test]
async fn the_signing_certificate_attribute_must_name_the_signer() {
    let world = World::new();
    for ess in [EssAttribute::V2OfAnother, EssAttribute::V1OfAnother] {
        let other = fault(&world, |stamper| stamper.ess = ess).await;
        assert!(matches!(other, TokenFault::SigningCertificate), "{other:?}");
    }
    let absent = fault(&world, |stamper| stamper.ess = EssAttribute::Absent).await;
    assert!(matches!(absent, TokenFault::Attribute(_)), "{absent:?}");
}

#[tokio::test]
async fn digest_and_signature_must_match() {
    let world = World::new();
    let digest = fault(&world, |stamper| stamper.wrong_digest = true).await;
    assert!(matches!(digest, TokenFault::MessageDigest), "{digest:?}");
    let corrupt = fault(&world, |stamper| stamper.corrupt_signature = true).await;
    assert!(matches!(corrupt, TokenFault::Signature(_)), "{corrupt:?}");
}

#[tokio::test]
async fn there_must_be_one_signer_with_its_certificate() {
    let world = World::new();
    for signers in [0, 2] {
        let wrong = fault(&world, |stamper| stamper.signers = signers).await;
        assert!(matches!(wrong, TokenFault::NotOneSigner(_)), "{wrong:?}");
    }
    let bare = fault(&world, |stamper| stamper.embedded.clear()).await;
    assert!(matches!(bare, TokenFault::NoSignerCertificate), "{bare:?}");
}

#[tokio::test]
async fn content_that_is_no_time_stamp_is_refused() {
    let world = World::new();
    let data = "1.2.840.113549.1.7.1";
    let wrong = fault(&world, |stamper| stamper.content_type = data).await;
    assert!(matches!(wrong, TokenFault::ContentType(_)), "{wrong:?}");
}

#[tokio::test]
async fn a_foreign_or_expired_signer_is_untrusted() {
    let world = World::new();
    let foreign = fault_of_signer(&world, &World::new().stamper).await;
    assert!(matches!(foreign, TokenFault::Untrusted(_)), "{foreign:?}");
    let expired = stamper_template().validity("20200101000000Z", "20261121160000Z");
    let expired = fault_of_signer(&world, &expired.issued_by(&world.issuing)).await;
    assert!(matches!(expired, TokenFault::Untrusted(_)), "{expired:?}");
}

#[tokio::test]
async fn a_signer_who_was_trusted_once_is_not_outside_their_time() {
    const BEFORE: &str = "20261121160000Z";
    const INSIDE: &str = "20261121160001Z";
    const AFTER: &str = "20261121160002Z";

    let world = World::new();
    let expiring = stamper_template().validity("20200101000000Z", AFTER);
    let mut closing = world.entry();
    closing.qualified_until = Some("2026-11-21T16:00:02Z".parse().expect("a time"));
    let mut young = World::new();
    young.issuing = Template::authority("Young Issuing")
        .validity(INSIDE, "20400101000000Z")
        .issued_by(&young.root);
    let starting = stamper_template().validity(INSIDE, "20400101000000Z");
    for (signer, entry, outside) in [
        (expiring.issued_by(&world.issuing), world.entry(), AFTER),
        (world.stamper.clone(), closing, AFTER),
        (starting.issued_by(&young.issuing), young.entry(), BEFORE),
    ] {
        let times = Mutex::new([INSIDE, INSIDE, outside].into_iter());
        let port = FakePort::default().at(FIRST, move |request| {
            let mut stamper = Stamper::new(&signer);
            stamper.gen_time = times.lock().expect("times").next().expect("a time");
            stamper.answer(request)
        });
        let anchors = Arc::new(TrustAnchors::new(vec![entry]));
        let authorities = vec![authority(FIRST)];
        let policy = TimestampPolicy::default();
        let client = TimestampClient::new(Arc::new(port), random(), anchors, authorities, policy);

        for is_trusted in [true, true, false] {
            let token = client.timestamp(&IMPRINT, now()).await;
            assert_eq!(token.is_ok(), is_trusted, "{token:?}");
        }
    }
}

#[tokio::test]
async fn a_known_signer_is_taken_for_no_other_and_must_still_be_in_the_token() {
    let world = World::new();
    let successor = stamper_template().serial(5).issued_by(&world.issuing);
    let both = vec![world.stamper.clone(), successor.clone()];
    let with = |signer: &Identity, embedded| Stamper {
        embedded,
        ..Stamper::new(signer)
    };
    let port = in_turn([
        with(&world.stamper, both.clone()),
        with(&successor, both),
        with(&world.stamper, Vec::new()),
    ]);
    let client = client(&world, port, vec![authority(FIRST)]);

    for passes in [true, true, false] {
        let token = client.timestamp(&IMPRINT, now()).await;
        assert_eq!(token.is_ok(), passes, "{token:?}");
    }
}

#[tokio::test]
async fn the_last_signer_of_each_issuer_is_told() {
    let world = World::new();
    let successor = stamper_template().serial(5).issued_by(&world.issuing);
    let other = stamper_template().serial(6).issued_by(&world.root);
    let purposes = [Purpose::Timestamping];
    let root = TrustEntry::new(world.root.certificate(), AuthorityKind::Root, &purposes);
    let anchors = Arc::new(TrustAnchors::new(vec![world.entry(), root]));
    let port = in_turn([&world.stamper, &successor, &other].map(Stamper::new));
    let authorities = vec![authority(FIRST)];
    let policy = TimestampPolicy::default();
    let client = TimestampClient::new(Arc::new(port), random(), anchors, authorities, policy);

    for _ in 0..3 {
        client.timestamp(&IMPRINT, now()).await.expect("a token");
    }

    let expected = [other.certificate(), successor.certificate()];
    assert_eq!(client.signers(), expected);
}

#[tokio::test]
async fn the_next_authority_is_asked_when_one_fails() {
    let world = World::new();
    let stamper = Stamper::new(&world.stamper);
    let port = FakePort::default()
        .failing(FIRST, 500)
        .at(SECOND, move |request| stamper.answer(request));
    let client = client(&world, port, vec![authority(FIRST), authority(SECOND)]);
    client.timestamp(&IMPRINT, now()).await.expect("a token");
}

#[tokio::test]
async fn failures_are_told_apart() {
    let world = World::new();
    let mut liar = Stamper::new(&world.stamper);
    liar.wrong_imprint = true;
    let urls = ["http://a/", "http://b/", "http://c/", "http://d/"];
    let port = FakePort::default()
        .failing(urls[1], 401)
        .at(urls[2], |_| refusal(2))
        .at(urls[3], move |request| liar.answer(request));
    let client = client(&world, port, urls.iter().copied().map(authority).collect());
    let Err(TimestampError::AllFailed(failures)) = client.timestamp(&IMPRINT, now()).await else {
        panic!("a token out of nowhere");
    };
    let faults: Vec<TimestampFault> = failures.into_iter().map(|failure| failure.fault).collect();
    assert!(
        matches!(
            faults.as_slice(),
            [
                TimestampFault::Transport(_),
                TimestampFault::HttpStatus(401),
                TimestampFault::Refused { status: 2, .. },
                TimestampFault::Invalid(TokenFault::Imprint),
            ]
        ),
        "{faults:?}"
    );
}

#[tokio::test]
async fn without_authorities_there_is_no_token() {
    let world = World::new();
    let client = client(&world, FakePort::default(), Vec::new());
    let asked = client.timestamp(&IMPRINT, now()).await;
    assert!(
        matches!(asked, Err(TimestampError::NoAuthority)),
        "{asked:?}"
    );
}
