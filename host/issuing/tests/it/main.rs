//! Issued objects, as OpenSSL reads them.

use std::slice;

use openssl::hash::MessageDigest;
use openssl::ocsp::{OcspCertId, OcspCertStatus, OcspFlag, OcspResponse as Read};
use openssl::pkey::PKey;
use openssl::sha::sha256;
use openssl::stack::Stack;
use openssl::x509::store::X509StoreBuilder;
use openssl::x509::{CrlStatus, X509Crl, X509VerifyResult};
use parafa_issuing::der::{integer, sequence};
use parafa_issuing::{
    Credential, Extension, Key, KeyKind, KeyUsages, OcspResponse, Profile, ResponderId,
    RevocationList, SingleResponse, Status, Time, cert_id,
};

const BEFORE: &str = "20260101000000Z";
const AFTER: &str = "20480101000000Z";

fn authority(key: Key) -> Credential {
    let profile = Profile::named("Authority")
        .with(Extension::authority(Some(0)))
        .with(Extension::key_usage(
            KeyUsages::KeyCertSign | KeyUsages::CRLSign,
        ));
    Credential::self_signed(&profile, key).unwrap()
}

fn serial(credential: &Credential) -> Vec<u8> {
    let serial = &credential.certificate.tbs_certificate.serial_number;
    serial.as_bytes().to_vec()
}

#[test]
fn authorities_of_every_kind_issue_certificates_and_lists() {
    for kind in [
        KeyKind::P256,
        KeyKind::P384,
        KeyKind::P521,
        KeyKind::Rsa(2048),
    ] {
        let key = Key::generate(kind).unwrap();
        assert!(key.is(kind));
        let issuer = authority(key);
        let key = Key::generate(KeyKind::P256).unwrap();
        let holder = issuer.issue(&Profile::named("Holder"), key).unwrap();

        let (above, below) = (issuer.x509(), holder.x509());
        assert!(below.verify(issuer.key.pkey()).unwrap(), "{kind:?}");
        assert_eq!(above.issued(&below), X509VerifyResult::OK, "{kind:?}");
        let list = RevocationList {
            issuer: issuer.name(),
            this_update: BEFORE.into(),
            next_update: None,
            revoked: vec![(serial(&holder), BEFORE.into())],
            extensions: Vec::new(),
        };
        let list = X509Crl::from_der(&list.signed_by(&issuer.key).unwrap()).unwrap();
        assert!(list.verify(issuer.key.pkey()).unwrap(), "{kind:?}");
        let status = list.get_by_cert(&below);
        assert!(matches!(status, CrlStatus::Revoked(_)), "{kind:?}");
    }
}

#[test]
fn an_answer_tells_what_it_was_made_to_tell() {
    let issuer = authority(Key::generate(KeyKind::P256).unwrap());
    let key = Key::generate(KeyKind::P256).unwrap();
    let holder = issuer.issue(&Profile::named("Holder"), key).unwrap();
    let revoked = Status::Revoked {
        at: BEFORE.into(),
        reason: Some(5),
    };
    for (status, expected) in [
        (Status::Good, OcspCertStatus::GOOD),
        (revoked, OcspCertStatus::REVOKED),
        (Status::Unknown, OcspCertStatus::UNKNOWN),
    ] {
        let told = SingleResponse {
            cert_id: cert_id(&issuer.certificate, &serial(&holder)),
            status,
            this_update: BEFORE.into(),
            next_update: Some(AFTER.into()),
            extensions: Vec::new(),
        };
        for id in [ResponderId::Name, ResponderId::Key] {
            let response = OcspResponse {
                responder: &issuer,
                id,
                certificates: slice::from_ref(&issuer.certificate),
                produced_at: BEFORE.into(),
                responses: vec![told.clone()],
                extensions: Vec::new(),
            };
            let read = Read::from_der(&response.der().unwrap()).unwrap();
            let read = read.basic().unwrap();
            let mut roots = X509StoreBuilder::new().unwrap();
            roots.add_cert(issuer.x509()).unwrap();
            let nobody = Stack::new().unwrap();
            let verified = read.verify(&nobody, &roots.build(), OcspFlag::empty());
            let about =
                OcspCertId::from_cert(MessageDigest::sha1(), &holder.x509(), &issuer.x509());

            verified.unwrap();
            assert_eq!(read.find_status(&about.unwrap()).unwrap().status, expected);
        }
    }
}

#[test]
fn what_a_key_of_a_seed_issues_is_the_same_every_time() {
    let [one, again] = [7, 7].map(|seed| authority(Key::from_seed(&[seed; 32]).unwrap()));
    let kept = PKey::private_key_from_pem(&one.key.to_pem().unwrap()).unwrap();

    assert_eq!(one.der(), again.der());
    assert!(one.x509().verify(&kept).unwrap());
    let value = again
        .key
        .sign_digest(MessageDigest::sha256(), &sha256(b"a"));
    assert_eq!(one.key.sign(b"a").unwrap(), value.unwrap());
    assert!(Key::from_seed(&[0; 32]).is_err());
}

#[test]
fn times_are_as_short_as_certificates_have_them() {
    for (text, written) in [
        ("19491231235959Z", &b"\x18\x0F19491231235959Z"[..]),
        ("19500101000000Z", b"\x17\x0D500101000000Z"),
        ("20491231235959Z", b"\x17\x0D491231235959Z"),
        ("20500101000000Z", b"\x18\x0F20500101000000Z"),
    ] {
        assert_eq!(Time::from(text).x509(), written);
    }
    let epoch = Time::from_unix(1_767_268_800).unwrap();
    assert_eq!(epoch, Time::from("20260101120000Z"));
    assert!(Time::from_unix(-1).is_err() && Time::from_unix(i64::MAX).is_err());
}

#[test]
fn integers_have_no_octet_too_many_and_elements_their_length() {
    for (octets, written) in [
        (&[][..], &[2, 1, 0][..]),
        (&[0, 0], &[2, 1, 0]),
        (&[0, 0x7F], &[2, 1, 0x7F]),
        (&[0x80], &[2, 2, 0, 0x80]),
    ] {
        assert_eq!(integer(octets), written);
    }
    assert_eq!(sequence(&[&[0; 0x7F]])[..2], [0x30, 0x7F]);
    assert_eq!(sequence(&[&[0; 0x80]])[..3], [0x30, 0x81, 0x80]);
    assert_eq!(sequence(&[&[0; 0x100]])[..4], [0x30, 0x82, 1, 0]);
}
