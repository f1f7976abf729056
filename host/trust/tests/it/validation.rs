use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::{SignedDuration, Timestamp};
use openssl::pkcs7::{Pkcs7, Pkcs7Flags};
use openssl::stack::Stack;
use parafa_http_port::HttpPortError;
use parafa_issuing::Extension;
use parafa_trust::{
    AuthorityKind, Certificate, FetchBudget, Issuer, Purpose, RevocationListFault, SourceFault,
    TrustAnchors, TrustEntry, ValidationData, ValidationDataError, ValidationPolicy,
};
use x509_cert::ext::pkix::KeyUsages;

use crate::authority::{Identity, Template};
use crate::port::FakePort;
use crate::responder::{Responder, Status};
use crate::revocation_list::{LIST_URL, RevocationList, with_list};
use crate::world::{ACCESS, OCSP_URL, World, now, ocsp_client, signer_template};

const ISSUER_URL: &str = "http://issuers.example.com/issuing.crt";

#[tokio::test]
async fn a_configured_authority_is_known_without_asking() {
    let world = World::new();
    let data = validation_data(world.anchors(), FakePort::default());

    let issuer = data.issuer(&world.signer().certificate()).await;

    assert_eq!(issuer.unwrap(), authority(&world.issuing));
}

#[tokio::test]
async fn an_unknown_authority_is_fetched_as_a_certificate_or_in_a_bundle() {
    let world = World::new();
    let signer = with_addresses(signer_template()).issued_by(&world.issuing);
    for published in [world.issuing.der(), bundle(&world.issuing, &world.root)] {
        let port = FakePort::default().at(ISSUER_URL, move |_| published.clone());
        let data = validation_data(Arc::default(), port);

        let issuer = data.issuer(&signer.certificate()).await;

        assert_eq!(issuer.unwrap(), authority(&world.issuing));
    }
}

#[tokio::test]
async fn a_namesake_did_not_issue_what_it_did_not_sign() {
    let world = World::new();
    let namesake = Template::authority("Test Issuing").self_signed();
    let signer = with_addresses(signer_template()).issued_by(&world.issuing);
    let port = FakePort::default().at(ISSUER_URL, move |_| namesake.der());
    let data = validation_data(Arc::default(), port);

    let issuer = data.issuer(&signer.certificate()).await;

    assert!(matches!(
        issuer,
        Err(ValidationDataError::Unusable(SourceFault::NoIssuer))
    ));
}

#[tokio::test]
async fn chains_end_at_anchors_whose_issuers_are_not_configured_and_at_the_roots_above_them() {
    let world = World::new();
    let published = world.root.der();
    let port = FakePort::default().at(ISSUER_URL, move |_| published.clone());
    let data = validation_data(world.anchors(), port);

    for anchor in [&world.root, &world.issuing] {
        let issuer = data.issuer(&anchor.certificate()).await;
        assert_eq!(issuer.unwrap(), Issuer::Anchor);
    }
}

#[tokio::test]
async fn a_root_may_stand_several_configured_steps_above_an_anchor() {
    let root = Template::authority("Far Root").self_signed();
    let policy = Template::authority("Far Policy").issued_by(&root);
    let issuing = Template::authority("Far Issuing").issued_by(&policy);
    let configured = |kind, identity: &Identity| {
        TrustEntry::new(identity.certificate(), kind, &[Purpose::Signing])
    };
    let anchor = configured(AuthorityKind::Issuing, &issuing);
    let step = configured(AuthorityKind::Intermediate, &policy);
    for (entries, is_trusted) in [
        (vec![anchor.clone(), step.clone()], true),
        (vec![anchor], false),
        (vec![step], false),
    ] {
        let anchors = Arc::new(TrustAnchors::new(entries));
        let data = validation_data(anchors, FakePort::default());

        let issuer = data.issuer(&root.certificate()).await;

        match issuer {
            Ok(issuer) => assert!(is_trusted && issuer == Issuer::Anchor),
            Err(error) => {
                assert!(!is_trusted && matches!(error, ValidationDataError::Untrusted));
            }
        }
    }
}

#[tokio::test]
async fn a_root_that_is_not_configured_is_not_trusted_whoever_brings_it() {
    let (world, foreign) = (World::new(), World::new());
    let signer = with_addresses(signer_template()).issued_by(&foreign.root);
    let published = foreign.root.der();
    let port = FakePort::default().at(ISSUER_URL, move |_| published.clone());
    let data = validation_data(world.anchors(), port);

    for certificate in [foreign.root.certificate(), signer.certificate()] {
        let issuer = data.issuer(&certificate).await;
        assert!(
            matches!(issuer, Err(ValidationDataError::Untrusted)),
            "{issuer:?}"
        );
    }
}

#[tokio::test]
async fn an_issuer_of_whom_nothing_is_known_has_no_source() {
    let world = World::new();
    let data = validation_data(Arc::default(), FakePort::default());

    let issuer = data.issuer(&world.signer().certificate()).await;

    assert!(matches!(issuer, Err(ValidationDataError::NoSource)));
}

#[tokio::test]
async fn an_issuers_address_that_fails_for_now_may_be_asked_again() {
    let world = World::new();
    let signer = with_addresses(signer_template()).issued_by(&world.issuing);
    let fails = |status| FakePort::default().failing(ISSUER_URL, status);
    for (port, may_pass) in [
        (fails(500), true),
        (fails(503), true),
        (fails(429), true),
        (fails(404), false),
        (fails(499), false),
        (FakePort::default(), true),
        (
            FakePort::default().broken(ISSUER_URL, HttpPortError::Spent),
            false,
        ),
    ] {
        let data = validation_data(Arc::default(), port);

        let fault = data.issuer(&signer.certificate()).await.unwrap_err();

        assert_eq!(fault.may_pass(), may_pass, "{fault:?}");
    }
}

#[tokio::test]
async fn what_a_responder_says_is_handed_on_good_or_not() {
    let world = World::new();
    for status in [Status::Good, Status::Revoked] {
        let port = responder_port(&world, status);
        let data = validation_data(world.anchors(), port);

        let response = revocation(&data, &world.signer(), &world.issuing).await;

        assert!(!response.unwrap().is_empty());
    }
}

#[tokio::test]
async fn what_tells_of_a_time_before_a_signature_is_no_data_about_it() {
    // The responder answers at four o'clock as of half a minute before.
    const TOLD: &str = "2026-11-21T16:00:00Z";
    const LISTED: &str = "2026-11-21T16:01:00Z";

    let world = World::new();
    let signer = with_addresses(signer_template()).issued_by(&world.issuing);
    let list = RevocationList {
        this_update: "20261121160100Z",
        ..RevocationList::new(&world.issuing)
    }
    .der();
    let published = list.clone();
    let port = responder_port(&world, Status::Good).at(LIST_URL, move |_| published.clone());
    let data = validation_data(world.anchors(), port);
    let told = |since: &str| {
        let since = Some(since.parse().unwrap());
        let (data, certificate) = (&data, signer.certificate());
        let issuer = world.issuing.certificate();
        async move { data.revocation(&certificate, &issuer, since, now()).await }
    };

    assert_ne!(told(TOLD).await.unwrap(), list);
    assert_eq!(told("2026-11-21T16:00:01Z").await.unwrap(), list);
    assert_eq!(told(LISTED).await.unwrap(), list);
    let later = told("2026-11-21T16:01:01Z").await;
    let Err(ValidationDataError::NotYet { next_update, .. }) = later else {
        panic!("{later:?}")
    };
    let next: Timestamp = "2026-11-28T00:00:00Z".parse().unwrap();
    assert_eq!(next_update, Some(next));
}

#[tokio::test]
async fn of_two_data_that_are_awaited_the_earlier_ones_are_named() {
    let world = World::new();
    let signer = with_addresses(signer_template()).issued_by(&world.issuing);
    let list = RevocationList::new(&world.issuing).der();
    let since = Some(now() + SignedDuration::from_mins(1));
    for (of_responder, earlier) in [
        ("20261127000000Z", "2026-11-27T00:00:00Z"),
        ("20261129000000Z", "2026-11-28T00:00:00Z"),
    ] {
        let responder = Responder {
            next_update: Some(of_responder),
            ..Responder::new(&world.responder)
        };
        let published = list.clone();
        let port = FakePort::default()
            .at(OCSP_URL, move |request| responder.answer(request))
            .at(LIST_URL, move |_| published.clone());
        let data = validation_data(world.anchors(), port);
        let (signer, issuer) = (signer.certificate(), world.issuing.certificate());

        let told = data.revocation(&signer, &issuer, since, now()).await;

        let Err(ValidationDataError::NotYet { next_update, .. }) = told else {
            panic!("{told:?}")
        };
        let earlier: Timestamp = earlier.parse().unwrap();
        assert_eq!(next_update, Some(earlier));
    }
}

#[tokio::test]
async fn who_answers_afterwards_looked_a_minute_before_at_the_earliest() {
    let world = World::new();
    let (signer, issuer) = (world.signer().certificate(), world.issuing.certificate());
    for (this_update, suffices) in [("20261121155900Z", true), ("20261121155859Z", false)] {
        let responder = Responder {
            this_update,
            ..Responder::new(&world.responder)
        };
        let port = FakePort::default().at(OCSP_URL, move |request| responder.answer(request));
        let data = validation_data(world.anchors(), port);

        let told = data.revocation(&signer, &issuer, Some(now()), now()).await;

        assert_eq!(told.is_ok(), suffices, "{told:?}");
    }
}

#[tokio::test]
async fn a_revocation_counts_whenever_it_was_told() {
    let world = World::new();
    let data = validation_data(world.anchors(), responder_port(&world, Status::Revoked));
    let (signer, issuer) = (world.signer().certificate(), world.issuing.certificate());

    let told = data.revocation(&signer, &issuer, Some(now()), now()).await;

    assert!(told.is_ok());
}

#[tokio::test]
async fn of_an_authority_the_newest_list_of_the_time_counts() {
    let world = World::new();
    let list = RevocationList::new(&world.root).der();
    let published = list.clone();
    let port = FakePort::default().at(LIST_URL, move |_| published.clone());
    let data = validation_data(Arc::default(), port);
    let authority = with_addresses(Template::authority("Another")).without(ACCESS);
    let authority = authority.issued_by(&world.root).certificate();

    let told = data
        .revocation(&authority, &world.root.certificate(), Some(now()), now())
        .await;

    assert_eq!(told.unwrap(), list);
}

#[tokio::test]
async fn no_more_is_fetched_than_the_budget_allows() {
    let world = World::new();
    let signer = with_addresses(signer_template())
        .without(ACCESS)
        .issued_by(&world.issuing);
    let list = RevocationList::new(&world.issuing).der();
    let (bytes, published) = (list.len(), list.clone());
    let port = FakePort::default().at(LIST_URL, move |_| published.clone());
    let data = validation_data(world.anchors(), port);
    let budget = FetchBudget {
        exchanges: 2,
        bytes: 2 * bytes,
    };

    for bounded in [data.within(budget), data.within(budget)] {
        for _ in 0..2 {
            let told = revocation(&bounded, &signer, &world.issuing).await;
            assert_eq!(told.unwrap(), list);
        }
        let told = revocation(&bounded, &signer, &world.issuing).await;
        assert!(
            matches!(
                told,
                Err(ValidationDataError::Unusable(SourceFault::Transport(
                    HttpPortError::Spent
                )))
            ),
            "{told:?}"
        );
    }
}

#[tokio::test]
async fn what_is_told_of_authorities_may_serve_for_ten_minutes_and_what_is_told_of_signers_never() {
    let world = World::new();
    let below = with_list(Template::authority("Below Issuing")).issued_by(&world.issuing);
    let signer = with_addresses(signer_template())
        .without(ACCESS)
        .issued_by(&world.issuing);
    let issuer = world.issuing.certificate();
    for (certificate, remembers, exchanges) in [
        (below.certificate(), true, [1, 1, 2]),
        (below.certificate(), false, [1, 2, 3]),
        (signer.certificate(), true, [1, 2, 3]),
    ] {
        let list = RevocationList::new(&world.issuing).der();
        let (asked, published) = (Arc::new(AtomicUsize::new(0)), list.clone());
        let counted = asked.clone();
        let port = FakePort::default().at(LIST_URL, move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            published.clone()
        });
        let mut data = validation_data(world.anchors(), port);
        if remembers {
            data = data.remembering_authorities();
        }
        for (minutes, exchanges) in [0, 9, 10].into_iter().zip(exchanges) {
            let time = now() + SignedDuration::from_mins(minutes);

            let told = data.revocation(&certificate, &issuer, None, time).await;

            assert_eq!(told.unwrap(), list);
            assert_eq!(asked.load(Ordering::Relaxed), exchanges, "{minutes}");
        }
    }
}

#[tokio::test]
async fn what_is_told_of_authorities_serves_until_the_next_update_is_due() {
    let world = World::new();
    let below = with_list(Template::authority("Below Issuing")).issued_by(&world.issuing);
    let list = RevocationList {
        next_update: "20261121160500Z",
        ..RevocationList::new(&world.issuing)
    }
    .der();
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let port = FakePort::default().at(LIST_URL, move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        list.clone()
    });
    let data = validation_data(world.anchors(), port).remembering_authorities();
    let (below, issuer) = (below.certificate(), world.issuing.certificate());
    for (minutes, exchanges) in [(0, 1), (4, 1), (5, 2)] {
        let time = now() + SignedDuration::from_mins(minutes);

        let told = data.revocation(&below, &issuer, None, time).await;

        assert!(told.is_ok(), "{told:?}");
        assert_eq!(asked.load(Ordering::Relaxed), exchanges, "{minutes}");
    }
}

#[tokio::test]
async fn newer_information_about_an_authority_is_asked_for_when_it_is_due() {
    let world = World::new();
    let below = with_list(Template::authority("Below Issuing")).issued_by(&world.issuing);
    let list = RevocationList::new(&world.issuing).der();
    let port = FakePort::default().at(LIST_URL, move |_| list.clone());
    let data = validation_data(world.anchors(), port).remembering_authorities();
    revocation(&data, &below, &world.issuing).await.unwrap();
    let (below, issuer) = (below.certificate(), world.issuing.certificate());
    let after_next_update = Some(now() + SignedDuration::from_hours(8 * 24));

    let told = data.revocation(&below, &issuer, after_next_update, now());

    let is_not_yet = matches!(told.await, Err(ValidationDataError::NotYet { .. }));
    assert!(is_not_yet, "what is remembered tells of no such time");
}

#[tokio::test]
async fn an_authority_whose_key_is_not_for_lists_signs_none() {
    let issuing = Template::authority("Mute Issuing")
        .key_usage(KeyUsages::KeyCertSign.into())
        .self_signed();
    let signer = with_addresses(signer_template())
        .without(ACCESS)
        .issued_by(&issuing);
    let list = RevocationList::new(&issuing).der();
    let port = FakePort::default().at(LIST_URL, move |_| list.clone());
    let data = validation_data(Arc::default(), port);

    let told = revocation(&data, &signer, &issuing).await;

    assert!(
        matches!(
            told,
            Err(ValidationDataError::Unreachable(
                SourceFault::RevocationList(RevocationListFault::Purpose)
            ))
        ),
        "{told:?}"
    );
}

fn validation_data(anchors: Arc<TrustAnchors>, port: FakePort) -> ValidationData {
    ValidationData::new(anchors, ocsp_client(port), ValidationPolicy::default())
}

async fn revocation(
    data: &ValidationData,
    certificate: &Identity,
    issuer: &Identity,
) -> Result<Vec<u8>, ValidationDataError> {
    let (certificate, issuer) = (certificate.certificate(), issuer.certificate());
    data.revocation(&certificate, &issuer, None, now()).await
}

fn responder_port(world: &World, status: Status) -> FakePort {
    let responder = Responder {
        status,
        ..Responder::new(&world.responder)
    };
    FakePort::default().at(OCSP_URL, move |request| responder.answer(request))
}

fn authority(identity: &Identity) -> Issuer {
    Issuer::Authority(Box::new(Certificate::from_der(&identity.der()).unwrap()))
}

/// A certificate with the URLs of its issuer, a responder and a list.
fn with_addresses(template: Template) -> Template {
    with_list(template.with(Extension::access(OCSP_URL, Some(ISSUER_URL))))
}

/// A "certs-only" CMS message.
fn bundle(one: &Identity, other: &Identity) -> Vec<u8> {
    let mut certificates = Stack::new().unwrap();
    certificates.push(one.x509.clone()).unwrap();
    let signed = Pkcs7::sign(
        &other.x509,
        &other.key,
        &certificates,
        b"",
        Pkcs7Flags::empty(),
    );
    signed.unwrap().to_der().unwrap()
}
