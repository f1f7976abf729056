//! The one rule: OCSP, otherwise the CRL that the certificate names, otherwise none. Every kind of
//! failure, for every caller.

use std::sync::Arc;
use std::time::Duration;

use parafa_http_port::HttpPortError;
use parafa_issuing::der::{integer, uri};
use parafa_issuing::oids::rfc5280::{ID_CE_DELTA_CRL_INDICATOR, ID_CE_ISSUING_DISTRIBUTION_POINT};
use parafa_issuing::{Extension, ObjectIdentifier};
use parafa_trust::{
    AuthorityKind, CertificateRejection, CheckedSigner, OcspError, Purpose, RevocationListFault,
    SourceFault, TrustAnchors, TrustEntry, ValidationData, ValidationDataError, ValidationPolicy,
};
use x509_cert::ext::pkix::KeyUsages;

use crate::asn1::{explicit, sequence, tlv};
use crate::authority::{Identity, Template};
use crate::outage::failures;
use crate::port::FakePort;
use crate::responder::{Responder, Status};
use crate::revocation_list::{LIST_URL, RevocationList, with_list};
use crate::world::{
    ACCESS, METHOD, OCSP_URL, World, authentication_check, now, ocsp_client, signer_check,
    signer_template,
};

const HOLDER_SERIAL: u32 = 200;
const SIGNER_SERIAL: u32 = 100;
const AUTHORITY_SERIAL: u32 = 300;

/// Callers that check revocation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Caller {
    Signing,
    Authentication,
    ArchiveOfSigner,
    ArchiveOfAuthority,
}

const CALLERS: [Caller; 4] = [
    Caller::Signing,
    Caller::Authentication,
    Caller::ArchiveOfSigner,
    Caller::ArchiveOfAuthority,
];

/// Outcomes, in the same terms for all callers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Outcome {
    /// The certificate passes, or the data report it as good.
    Good,
    Revoked,
    /// The issuer does not know it, and no other source is asked.
    Unknown,
    /// Trying again may help: 503.
    Unavailable,
    /// Trying again does not help.
    Nobody,
}

#[derive(Clone, Copy, Debug)]
enum Listing {
    NotNamed,
    Down,
    Garbage,
    Good,
    Revoked,
}

#[tokio::test]
async fn whatever_ocsp_does_wrong_the_list_serves_and_without_one_trying_again_may_help() {
    let world = World::new();
    for failure in failures(&world) {
        for (listing, expected) in [
            (Listing::Good, Outcome::Good),
            (Listing::Revoked, Outcome::Revoked),
            (Listing::NotNamed, Outcome::Unavailable),
            (Listing::Down, Outcome::Unavailable),
            (Listing::Garbage, Outcome::Unavailable),
        ] {
            for caller in CALLERS {
                let port = (failure.responder)(FakePort::default());
                let outcome = outcome(&world, caller, port, true, listing).await;
                let name = failure.name;
                assert_eq!(outcome, expected, "{name}, {listing:?}, {caller:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_certificate_that_names_no_responder_has_its_list_and_with_neither_nobody_ever_tells() {
    let world = World::new();
    for (listing, expected) in [
        (Listing::Good, Outcome::Good),
        (Listing::Revoked, Outcome::Revoked),
        (Listing::Down, Outcome::Unavailable),
        (Listing::Garbage, Outcome::Unavailable),
        (Listing::NotNamed, Outcome::Nobody),
    ] {
        for caller in CALLERS {
            let outcome = outcome(&world, caller, FakePort::default(), false, listing).await;
            assert_eq!(outcome, expected, "{listing:?}, {caller:?}");
        }
    }
}

#[tokio::test]
async fn nobody_falls_back_past_an_answer_that_the_certificate_is_revoked() {
    let world = World::new();
    for caller in CALLERS {
        let port = answering(&world, |responder| responder.status = Status::Revoked);
        let outcome = outcome(&world, caller, port, true, Listing::Good).await;
        assert_eq!(outcome, Outcome::Revoked, "{caller:?}");
    }
}

#[tokio::test]
async fn a_list_does_not_take_back_what_an_old_answer_says_of_a_revocation() {
    let world = World::new();
    for caller in CALLERS {
        let port = answering(&world, |responder| {
            responder.status = Status::Revoked;
            responder.this_update = "20261121100000Z";
        });
        let outcome = outcome(&world, caller, port, true, Listing::Good).await;
        assert_eq!(outcome, Outcome::Revoked, "{caller:?}");
    }
}

/// For an archive the list may know a certificate that the responder does not (RFC 6960, 2.2);
/// signers and persons who authenticate count as revoked.
#[tokio::test]
async fn who_is_unknown_to_the_responder_is_refused_at_once_but_for_archives() {
    let world = World::new();
    for (caller, listed, unlisted) in [
        (Caller::Signing, Outcome::Unknown, Outcome::Unknown),
        (Caller::Authentication, Outcome::Unknown, Outcome::Unknown),
        (Caller::ArchiveOfSigner, Outcome::Good, Outcome::Nobody),
        (Caller::ArchiveOfAuthority, Outcome::Good, Outcome::Nobody),
    ] {
        for (listing, expected) in [(Listing::Good, listed), (Listing::NotNamed, unlisted)] {
            let port = answering(&world, |responder| responder.status = Status::Unknown);
            let outcome = outcome(&world, caller, port, true, listing).await;
            assert_eq!(outcome, expected, "{caller:?}, {listing:?}");
        }
    }
}

#[tokio::test]
async fn addresses_that_may_not_be_asked_from_here_are_no_outage() {
    let world = World::new();
    let forbidden = || HttpPortError::Forbidden {
        host: "ocsp.example.com".to_owned(),
        reason: "it is private".to_owned(),
    };
    for (listing, expected) in [
        (Listing::Good, Outcome::Good),
        (Listing::NotNamed, Outcome::Nobody),
    ] {
        for caller in CALLERS {
            let port = FakePort::default().broken(OCSP_URL, forbidden());
            let outcome = outcome(&world, caller, port, true, listing).await;
            assert_eq!(outcome, expected, "{listing:?}, {caller:?}");
        }
    }
}

#[tokio::test]
async fn how_old_a_list_of_signers_may_be_is_the_operators_to_say() {
    let world = World::new();
    let hours = |hours: u64| Some(Duration::from_secs(hours * 60 * 60));
    // The list is of midnight, and it is four in the afternoon.
    for (max_age, expected) in [
        (None, Outcome::Good),
        (hours(16), Outcome::Good),
        (hours(15), Outcome::Unavailable),
        (hours(0), Outcome::Unavailable),
    ] {
        let mut entry = entry(&world);
        entry.crl_max_age = max_age;
        for caller in CALLERS {
            let entries = vec![entry.clone()];
            let asked = Asked {
                anchors: Arc::new(TrustAnchors::new(entries)),
                port: published(FakePort::default(), &RevocationList::new(&world.issuing)),
                certificate: certificate(caller, true, true).issued_by(&world.issuing),
            };
            // Lists about authorities are weeks apart.
            let expected = match caller {
                Caller::ArchiveOfAuthority => Outcome::Good,
                _ => expected,
            };
            let outcome = asked.by(&world, caller).await;
            assert_eq!(outcome, expected, "{max_age:?}, {caller:?}");
        }
    }
}

#[tokio::test]
async fn a_list_that_does_not_cover_the_certificate_says_nothing_of_it() {
    const NOT: &[u8] = &[0xff];

    let point =
        |part: &[u8]| Extension::critical(ID_CE_ISSUING_DISTRIBUTION_POINT, sequence(&[part]));
    let at = |url: &str| point(&explicit(0, &[&explicit(0, &[&uri(url)])]));
    let [users, authorities, indirect, attributes] =
        [0x81, 0x82, 0x84, 0x85].map(|tag| point(&tlv(tag, &[NOT])));
    let some_reasons = point(&tlv(0x83, &[&[6, 0x40]]));
    let number = integer(&[1]);
    let delta = Extension::critical(ID_CE_DELTA_CRL_INDICATOR, number.clone());
    let unknown = |critical| Extension {
        id: ObjectIdentifier::new_unwrap("1.3.6.1.4.1.99999.1"),
        critical,
        value: number.clone(),
    };
    let world = World::new();
    for (extension, covers_signers, covers_authorities) in [
        (at(LIST_URL), true, true),
        (at("http://lists.example.com/other.crl"), false, false),
        (users, true, false),
        (authorities, false, true),
        (some_reasons, false, false),
        (indirect, false, false),
        (attributes, false, false),
        (delta, false, false),
        (unknown(true), false, false),
        (unknown(false), true, true),
    ] {
        for caller in CALLERS {
            let covers = match caller {
                Caller::ArchiveOfAuthority => covers_authorities,
                _ => covers_signers,
            };
            let list = RevocationList {
                extensions: vec![extension.clone()],
                ..RevocationList::new(&world.issuing)
            };
            let asked = Asked {
                anchors: Arc::new(TrustAnchors::new(vec![entry(&world)])),
                port: published(FakePort::default(), &list),
                certificate: certificate(caller, false, true).issued_by(&world.issuing),
            };
            let expected = match covers {
                true => Outcome::Good,
                false => Outcome::Unavailable,
            };
            let outcome = asked.by(&world, caller).await;
            assert_eq!(outcome, expected, "{extension:?}, {caller:?}");
        }
    }
}

#[tokio::test]
async fn lists_that_prove_nothing_let_nobody_sign() {
    const ECDSA_SHA1: &str = "1.2.840.10045.4.1";

    let (world, foreign) = (World::new(), World::new());
    let honest = RevocationList::new(&world.issuing);
    let is_out_of_date =
        |fault: &RevocationListFault| matches!(fault, RevocationListFault::OutOfDate);
    let is_unsigned =
        |fault: &RevocationListFault| matches!(fault, RevocationListFault::Signature(_));
    type Is = fn(&RevocationListFault) -> bool;
    let cases: [(RevocationList, Is); 5] = [
        (
            RevocationList {
                next_update: "20261121155500Z",
                ..honest.clone()
            },
            is_out_of_date,
        ),
        (
            RevocationList {
                this_update: "20261121160501Z",
                ..honest.clone()
            },
            is_out_of_date,
        ),
        (
            RevocationList {
                signer: foreign.issuing,
                ..honest.clone()
            },
            is_unsigned,
        ),
        (
            RevocationList {
                signed_with: ECDSA_SHA1,
                ..honest
            },
            is_unsigned,
        ),
        (RevocationList::new(&world.root), |fault| {
            matches!(fault, RevocationListFault::OtherIssuer)
        }),
    ];
    for (list, is_expected) in cases {
        let signer = certificate(Caller::Signing, false, true).issued_by(&world.issuing);
        let check = signer_check(&world.anchors(), published(FakePort::default(), &list));

        let checked = check
            .check_signer(&signer.certificate(), METHOD, now())
            .await;

        let Err(CertificateRejection::RevocationUnavailable { why, .. }) = checked else {
            panic!("{checked:?}")
        };
        let ValidationDataError::Unreachable(SourceFault::RevocationList(fault)) = *why else {
            panic!("{why:?}")
        };
        assert!(is_expected(&fault), "{fault}");
    }
}

#[tokio::test]
async fn if_every_source_fails_all_hosts_are_named_and_the_fault_of_the_first() {
    let world = World::new();
    let port = FakePort::default()
        .failing(OCSP_URL, 503)
        .failing(LIST_URL, 500);
    let signer = certificate(Caller::Signing, true, true).issued_by(&world.issuing);
    let check = signer_check(&world.anchors(), port);

    let checked = check
        .check_signer(&signer.certificate(), METHOD, now())
        .await;

    let Err(CertificateRejection::RevocationUnavailable { asked, why }) = checked else {
        panic!("{checked:?}")
    };
    assert_eq!(asked, ["lists.example.com", "ocsp.example.com"]);
    let is_of_the_responder = matches!(
        *why,
        ValidationDataError::Unreachable(SourceFault::Ocsp(OcspError::HttpStatus(503)))
    );
    assert!(is_of_the_responder, "{why:?}");
}

#[tokio::test]
async fn a_hanging_responder_leaves_time_to_the_list() {
    let world = World::new();
    let list = RevocationList::new(&world.issuing);
    let port = published(failing_with_time_out(), &list);
    let times = port.times();
    let signer = certificate(Caller::Signing, true, true).issued_by(&world.issuing);
    let check = signer_check(&world.anchors(), port);

    let checked = check
        .check_signer(&signer.certificate(), METHOD, now())
        .await;

    assert!(checked.is_ok(), "{checked:?}");
    let times = times.lock().unwrap();
    // The attorney's signatures have half a minute, for some five questions in sequence.
    assert!(times[0] <= Duration::from_secs(5), "{times:?}");
}

async fn outcome(
    world: &World,
    caller: Caller,
    port: FakePort,
    names_responder: bool,
    listing: Listing,
) -> Outcome {
    let list = RevocationList::new(&world.issuing);
    let port = match listing {
        Listing::NotNamed => port,
        Listing::Down => port.failing(LIST_URL, 503),
        Listing::Garbage => port.at(LIST_URL, |_| b"no list".to_vec()),
        Listing::Good => published(port, &list),
        Listing::Revoked => {
            let revoked = vec![SIGNER_SERIAL, HOLDER_SERIAL, AUTHORITY_SERIAL];
            published(port, &RevocationList { revoked, ..list })
        }
    };
    let names_list = !matches!(listing, Listing::NotNamed);
    let asked = Asked {
        anchors: Arc::new(TrustAnchors::new(vec![entry(world)])),
        port,
        certificate: certificate(caller, names_responder, names_list).issued_by(&world.issuing),
    };
    asked.by(world, caller).await
}

/// A certificate, the anchors, and the reachable services.
struct Asked {
    anchors: Arc<TrustAnchors>,
    port: FakePort,
    certificate: Identity,
}

impl Asked {
    async fn by(self, world: &World, caller: Caller) -> Outcome {
        let Self {
            anchors,
            port,
            certificate,
        } = self;
        let certificate = certificate.certificate();
        match caller {
            Caller::Signing => {
                let check = signer_check(&anchors, port);
                checked(check.check_signer(&certificate, METHOD, now()).await)
            }
            Caller::Authentication => {
                let check = authentication_check(anchors, port);
                checked(check.check(&certificate, "physical", now()).await)
            }
            Caller::ArchiveOfSigner | Caller::ArchiveOfAuthority => {
                let (ocsp, policy) = (ocsp_client(port), ValidationPolicy::default());
                let data = ValidationData::new(anchors, ocsp, policy);
                let issuer = world.issuing.certificate();
                gathered(&data.revocation(&certificate, &issuer, None, now()).await)
            }
        }
    }
}

fn checked(result: Result<CheckedSigner, CertificateRejection>) -> Outcome {
    match result {
        Ok(_) => Outcome::Good,
        Err(CertificateRejection::Revoked { .. }) => Outcome::Revoked,
        Err(CertificateRejection::UnknownToIssuer) => Outcome::Unknown,
        Err(CertificateRejection::RevocationUnavailable { .. }) => Outcome::Unavailable,
        Err(CertificateRejection::NoRevocationSource(_)) => Outcome::Nobody,
        Err(other) => panic!("{other:?}"),
    }
}

/// Archives get the data themselves, and only those on revoked certificates contain this time.
/// Lists write it without the century.
fn gathered(result: &Result<Vec<u8>, ValidationDataError>) -> Outcome {
    const REVOKED_AT: &[u8] = b"261101120000";

    match result {
        Ok(der) if der.windows(REVOKED_AT.len()).any(|part| part == REVOKED_AT) => Outcome::Revoked,
        Ok(_) => Outcome::Good,
        Err(fault) if fault.may_pass() => Outcome::Unavailable,
        Err(_) => Outcome::Nobody,
    }
}

fn entry(world: &World) -> TrustEntry {
    let purposes = [Purpose::Signing, Purpose::Authentication];
    TrustEntry::new(
        world.issuing.certificate(),
        AuthorityKind::Issuing,
        &purposes,
    )
}

fn certificate(caller: Caller, names_responder: bool, names_list: bool) -> Template {
    let template = match caller {
        Caller::Signing | Caller::ArchiveOfSigner => signer_template(),
        Caller::Authentication => Template::new("VARDENĖ PAVARDENĖ")
            .serial(HOLDER_SERIAL)
            .key_usage(KeyUsages::DigitalSignature.into()),
        Caller::ArchiveOfAuthority => Template::authority("Another").serial(AUTHORITY_SERIAL),
    };
    let template = match names_responder {
        true => template.ocsp_url(OCSP_URL),
        false => template.without(ACCESS),
    };
    match names_list {
        true => with_list(template),
        false => template,
    }
}

fn published(port: FakePort, list: &RevocationList) -> FakePort {
    let list = list.der();
    port.at(LIST_URL, move |_| list.clone())
}

fn answering(world: &World, change: impl FnOnce(&mut Responder)) -> FakePort {
    let mut responder = Responder::new(&world.responder);
    change(&mut responder);
    FakePort::default().at(OCSP_URL, move |request| responder.answer(request))
}

fn failing_with_time_out() -> FakePort {
    FakePort::default().broken(OCSP_URL, HttpPortError::TimedOut(Duration::from_secs(4)))
}
