use std::sync::Arc;

use parafa_http_port::HttpPort;
use parafa_issuing::{Extension, ObjectIdentifier};
use parafa_trust::{
    CertIdHash, CertificateStatus, NonceMode, OcspClient, OcspError, OcspEvidence, OcspPolicy,
    OcspSettings, Ports,
};

use crate::asn1::octets;
use crate::authority::{Identity, OCSP_SIGNING, TIME_STAMPING, Template};
use crate::port::{FakePort, both, random};
use crate::responder::{NonceReply, Responder, Status, refusal};
use crate::world::{OCSP_URL, World, now, ocsp_client, responder_template, signer_template};

async fn ask(
    world: &World,
    settings: &OcspSettings,
    handler: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
) -> Result<OcspEvidence, OcspError> {
    let client = ocsp_client(FakePort::default().at(OCSP_URL, handler));
    let (signer, issuer) = (world.signer().certificate(), world.issuing.certificate());
    client.status(&signer, &issuer, settings, now()).await
}

/// Result of a responder that differs from an honest one by `change`.
async fn changed(
    world: &World,
    change: impl FnOnce(&mut Responder),
) -> Result<OcspEvidence, OcspError> {
    let mut responder = Responder::new(&world.responder);
    change(&mut responder);
    let settings = OcspSettings::default();
    ask(world, &settings, move |request| responder.answer(request)).await
}

#[tokio::test]
async fn good_revoked_and_unknown_are_told() {
    let world = World::new();
    for (status, expected) in [
        (Status::Good, CertificateStatus::Good),
        (
            Status::Revoked,
            CertificateStatus::Revoked {
                at: "2026-11-01T12:00:00.5Z".parse().expect("a time"),
            },
        ),
        (Status::Unknown, CertificateStatus::Unknown),
    ] {
        let evidence = changed(&world, |responder| responder.status = status).await;
        assert_eq!(evidence.expect("evidence").status, expected);
    }
}

#[tokio::test]
async fn the_issuer_may_answer_itself() {
    let world = World::new();
    let issuer = world.issuing.clone();
    let evidence = changed(&world, |responder| {
        responder.signer = issuer;
        responder.embedded.clear();
    })
    .await
    .expect("evidence");
    assert_eq!(evidence.responder, None);
}

#[tokio::test]
async fn a_responder_is_known_by_name_too() {
    let world = World::new();
    let evidence = changed(&world, |responder| responder.by_name = true).await;
    let responder = evidence.expect("evidence").responder;
    assert_eq!(responder, Some(world.responder.certificate()));
}

#[tokio::test]
async fn fractional_seconds_are_accepted() {
    let world = World::new();
    let evidence = changed(&world, |responder| {
        responder.produced_at = "20261121160000.123456Z";
        responder.this_update = "20261121160000.123456Z";
        responder.next_update = Some("20261121170000.5Z");
    })
    .await
    .expect("evidence");
    assert_eq!(
        evidence.this_update.to_string(),
        "2026-11-21T16:00:00.123456Z"
    );
}

#[tokio::test]
async fn the_request_is_posted_with_either_digest() {
    let world = World::new();
    for certid_hash in [CertIdHash::Sha1, CertIdHash::Sha256] {
        let responder = Responder::new(&world.responder);
        let port = FakePort::default().at(OCSP_URL, move |body| responder.answer(body));
        let port = Arc::new(port);
        let shared: Arc<dyn HttpPort> = Arc::clone(&port) as _;
        let client = OcspClient::new(both(shared), random(), OcspPolicy::default());
        let settings = OcspSettings {
            certid_hash,
            ..OcspSettings::default()
        };
        let (signer, issuer) = (world.signer().certificate(), world.issuing.certificate());
        let evidence = client.status(&signer, &issuer, &settings, now()).await;
        assert_eq!(evidence.expect("evidence").status, CertificateStatus::Good);
        let expected = (OCSP_URL.to_owned(), "application/ocsp-request".to_owned());
        assert_eq!(port.asked(), [expected]);
    }
}

#[tokio::test]
async fn a_fixed_responder_takes_precedence() {
    let world = World::new();
    let responder = Responder::new(&world.responder);
    let fixed = "http://fixed.example.com/";
    let client = ocsp_client(FakePort::default().at(fixed, move |body| responder.answer(body)));
    let settings = OcspSettings {
        url: Some(fixed.parse().expect("a URL")),
        ..OcspSettings::default()
    };
    let (signer, issuer) = (world.signer().certificate(), world.issuing.certificate());
    client
        .status(&signer, &issuer, &settings, now())
        .await
        .expect("evidence");
}

#[tokio::test]
async fn certificates_lead_to_nowhere_that_only_the_operator_may_name() {
    let world = World::new();
    let fixed = "http://fixed.example.com/";
    let at = |url: &str| {
        let responder = Responder::new(&world.responder);
        Arc::new(FakePort::default().at(url, move |body| responder.answer(body)))
    };
    let (signer, issuer) = (world.signer().certificate(), world.issuing.certificate());
    let configured = OcspSettings {
        url: Some(fixed.parse().expect("a URL")),
        ..OcspSettings::default()
    };
    for (configured_at, named_at, settings, is_reached) in [
        (fixed, OCSP_URL, &configured, true),
        (fixed, OCSP_URL, &OcspSettings::default(), true),
        (OCSP_URL, fixed, &configured, false),
        (OCSP_URL, fixed, &OcspSettings::default(), false),
    ] {
        let ports = Ports {
            configured: at(configured_at),
            named: at(named_at),
        };
        let client = OcspClient::new(ports, random(), OcspPolicy::default());
        let asked = client.status(&signer, &issuer, settings, now()).await;
        assert_eq!(asked.is_ok(), is_reached, "{asked:?}");
    }
}

#[tokio::test]
async fn nobody_answers_for_their_own_certificate() {
    let world = World::new();
    let signer = signer_template()
        .extended_key_usage(false, &[OCSP_SIGNING])
        .issued_by(&world.issuing);
    let responder = Responder::new(&signer);
    let client = ocsp_client(FakePort::default().at(OCSP_URL, move |body| responder.answer(body)));
    let (signer, issuer) = (signer.certificate(), world.issuing.certificate());
    let asked = client
        .status(&signer, &issuer, &OcspSettings::default(), now())
        .await;
    assert!(matches!(asked, Err(OcspError::Responder)), "{asked:?}");
}

#[tokio::test]
async fn the_nonce_must_be_the_one_sent() {
    let world = World::new();
    let wrong = changed(&world, |responder| responder.nonce = NonceReply::Wrong).await;
    assert!(matches!(wrong, Err(OcspError::Nonce)), "{wrong:?}");
    let silent = changed(&world, |responder| responder.nonce = NonceReply::Silent).await;
    silent.expect("a responder may leave the nonce out");
}

#[tokio::test]
async fn a_required_nonce_must_return() {
    let world = World::new();
    for (nonce, mode, passes) in [
        (NonceReply::Silent, NonceMode::Require, false),
        (NonceReply::Echo, NonceMode::Require, true),
        (NonceReply::Echo, NonceMode::Off, true),
    ] {
        let mut responder = Responder::new(&world.responder);
        responder.nonce = nonce;
        let settings = OcspSettings {
            nonce: mode,
            ..OcspSettings::default()
        };
        let asked = ask(&world, &settings, move |body| responder.answer(body)).await;
        assert_eq!(asked.is_ok(), passes, "{asked:?}");
    }
}

#[tokio::test]
async fn there_must_be_exactly_one_answer_about_the_certificate() {
    let world = World::new();
    let other = changed(&world, |responder| responder.wrong_cert_id = true).await;
    assert!(
        matches!(other, Err(OcspError::NotOneAnswer(0))),
        "{other:?}"
    );
    let doubled = changed(&world, |responder| responder.copies = 2).await;
    assert!(
        matches!(doubled, Err(OcspError::NotOneAnswer(2))),
        "{doubled:?}"
    );
}

#[tokio::test]
async fn a_responder_must_be_authorised() {
    let world = World::new();
    let foreign = World::new();
    let with = |signer: Identity| {
        let world = &world;
        async move {
            let change = |responder: &mut Responder| {
                responder.embedded = vec![signer.clone()];
                responder.signer = signer;
            };
            changed(world, change)
                .await
                .expect_err("an unauthorised responder")
        }
    };
    let expired = responder_template().validity("20200101000000Z", "20261121155959Z");
    let expired = with(expired.issued_by(&world.issuing)).await;
    assert!(
        matches!(expired, OcspError::ResponderPath(_)),
        "{expired:?}"
    );
    let same_name = with(foreign.responder.clone()).await;
    assert!(
        matches!(same_name, OcspError::ResponderPath(_)),
        "{same_name:?}"
    );
    let elsewhere = with(responder_template().issued_by(&world.root)).await;
    assert!(matches!(elsewhere, OcspError::Responder), "{elsewhere:?}");
    let no_purpose = with(Template::new("Test OCSP").issued_by(&world.issuing)).await;
    assert!(
        matches!(no_purpose, OcspError::ResponderPurpose),
        "{no_purpose:?}"
    );
    let stamper = responder_template().extended_key_usage(true, &[TIME_STAMPING]);
    let stamper = with(stamper.issued_by(&world.issuing)).await;
    assert!(
        matches!(stamper, OcspError::ResponderPurpose),
        "{stamper:?}"
    );
}

#[tokio::test]
async fn a_responder_without_its_certificate_is_refused() {
    let world = World::new();
    let bare = changed(&world, |responder| responder.embedded.clear()).await;
    assert!(matches!(bare, Err(OcspError::Responder)), "{bare:?}");
}

#[tokio::test]
async fn a_wrong_signature_is_refused() {
    let world = World::new();
    let corrupt = changed(&world, |responder| responder.corrupt_signature = true).await;
    assert!(
        matches!(corrupt, Err(OcspError::Signature(_))),
        "{corrupt:?}"
    );
}

#[tokio::test]
async fn an_unknown_critical_extension_is_refused() {
    let world = World::new();
    let critical = changed(&world, |responder| responder.critical_extension = true).await;
    assert!(
        matches!(critical, Err(OcspError::CriticalExtension(_))),
        "{critical:?}"
    );
}

#[tokio::test]
async fn an_unknown_extension_of_an_answer_counts_if_it_is_critical() {
    let world = World::new();
    let id = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.99999.2");
    for (extension, passes) in [
        (Extension::plain(id, octets(&[1])), true),
        (Extension::critical(id, octets(&[1])), false),
    ] {
        let asked = changed(&world, |responder| responder.of_answer = vec![extension]).await;
        let is_refused = matches!(asked, Err(OcspError::CriticalExtension(_)));
        assert_eq!((asked.is_ok(), is_refused), (passes, !passes), "{asked:?}");
    }
}

#[tokio::test]
async fn answers_out_of_their_time_are_refused() {
    let world = World::new();
    let future = changed(&world, |responder| {
        responder.this_update = "20261121160501Z";
    })
    .await;
    assert!(
        matches!(future, Err(OcspError::NotYetValid(_))),
        "{future:?}"
    );
    let old = changed(&world, |responder| {
        responder.this_update = "20261121145459Z";
    })
    .await;
    assert!(matches!(old, Err(OcspError::Stale(_))), "{old:?}");
    let passed = changed(&world, |responder| {
        responder.next_update = Some("20261121155459Z");
    })
    .await;
    assert!(matches!(passed, Err(OcspError::Stale(_))), "{passed:?}");
    let tolerated = changed(&world, |responder| {
        responder.this_update = "20261121160500Z";
        responder.next_update = Some("20261121155500Z");
    });
    tolerated.await.expect("within the skew");
}

#[tokio::test]
async fn refusals_and_rubbish_are_told_apart() {
    let world = World::new();
    let settings = OcspSettings::default();
    let later = ask(&world, &settings, |_| refusal(3)).await;
    assert!(matches!(later, Err(OcspError::Refused(3))), "{later:?}");
    let rubbish = ask(&world, &settings, |_| b"<html>".to_vec()).await;
    assert!(
        matches!(rubbish, Err(OcspError::Malformed(_))),
        "{rubbish:?}"
    );
    let client = ocsp_client(FakePort::default().failing(OCSP_URL, 503));
    let (signer, issuer) = (world.signer().certificate(), world.issuing.certificate());
    let failed = client.status(&signer, &issuer, &settings, now()).await;
    assert!(
        matches!(failed, Err(OcspError::HttpStatus(503))),
        "{failed:?}"
    );
}

#[tokio::test]
async fn a_certificate_that_names_no_responder_has_none() {
    let world = World::new();
    let signer = Template::signer("PNOLT-50001018865").issued_by(&world.issuing);
    let client = ocsp_client(FakePort::default());
    let (signer, issuer) = (signer.certificate(), world.issuing.certificate());
    let asked = client
        .status(&signer, &issuer, &OcspSettings::default(), now())
        .await;
    assert!(matches!(asked, Err(OcspError::NoResponder)), "{asked:?}");
}
