//! OCSP responses and CRLs by OpenSSL.

use std::fs;

use openssl::nid::Nid;
use parafa_format_core::NativeEnvironment;
use parafa_pki::{
    Certificate, CertificateStatus, Issuer, RevocationData, RevocationError, RevocationSigner,
};
use tempfile::TempDir;

use crate::pki::{Holder, Pki, Role, Terms, ec_key, issue, issue_on, openssl};

/// A root with a responder, one valid and one revoked certificate.
struct World {
    pki: Pki,
    responder: Holder,
    good: Holder,
    revoked: Holder,
    folder: TempDir,
}

/// 2025-01-01T00:00:00Z, as in the database below.
const REVOKED_AT: i64 = 1_735_689_600;

impl World {
    fn new(responder_is_exempt: bool) -> Self {
        let pki = Pki::new();
        let role = Role::Responder {
            is_exempt: responder_is_exempt,
        };
        let key = || ec_key(Nid::X9_62_PRIME256V1);
        let world = Self {
            responder: issue("Responder", key(), Some(&pki.root), role),
            good: pki.signer("Good", key()),
            revoked: pki.signer("Revoked", key()),
            folder: tempfile::tempdir().unwrap(),
            pki,
        };
        for (name, holder) in [
            ("root", &world.pki.root),
            ("responder", &world.responder),
            ("good", &world.good),
            ("revoked", &world.revoked),
        ] {
            world.write(
                &format!("{name}.pem"),
                &holder.certificate.to_pem().unwrap(),
            );
            let key = holder.key.private_key_to_pem_pkcs8().unwrap();
            world.write(&format!("{name}.key"), &key);
        }
        let line = |status: &str, revoked: &str, holder: &Holder| {
            let serial = holder.certificate.serial_number().to_bn().unwrap();
            let serial = serial.to_hex_str().unwrap();
            format!("{status}\t360101000000Z\t{revoked}\t{serial}\tunknown\t/CN=somebody\n")
        };
        let database = line("V", "", &world.good) + &line("R", "250101000000Z", &world.revoked);
        world.write("index.txt", database.as_bytes());
        world.write("crlnumber", b"01\n");
        world.write(
            "ca.cnf",
            b"[ca]\ndefault_ca = it\n[it]\ndatabase = index.txt\ncrlnumber = crlnumber\n\
              default_md = sha256\ndefault_crl_days = 7\n",
        );
        world
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.folder.path().join(name), content).unwrap();
    }

    /// Returns the response of `openssl ocsp` for a certificate.
    fn response(&self, about: &str, responder: &str) -> Vec<u8> {
        let [certificate, signer, key] = [
            format!("{about}.pem"),
            format!("{responder}.pem"),
            format!("{responder}.key"),
        ];
        openssl(
            self.folder.path(),
            &[
                "ocsp",
                "-index",
                "index.txt",
                "-CA",
                "root.pem",
                "-rsigner",
                &signer,
                "-rkey",
                &key,
                "-issuer",
                "root.pem",
                "-cert",
                &certificate,
                "-ndays",
                "1",
                "-respout",
                "response.der",
                "-noverify",
            ],
        );
        fs::read(self.folder.path().join("response.der")).unwrap()
    }

    /// Returns the CRL of `openssl ca`.
    fn list(&self) -> Vec<u8> {
        openssl(
            self.folder.path(),
            &[
                "ca", "-gencrl", "-config", "ca.cnf", "-cert", "root.pem", "-keyfile", "root.key",
                "-out", "list.pem",
            ],
        );
        openssl(
            self.folder.path(),
            &[
                "crl", "-in", "list.pem", "-outform", "DER", "-out", "list.der",
            ],
        );
        fs::read(self.folder.path().join("list.der")).unwrap()
    }

    fn status(&self, data: &[u8], holder: &Holder) -> Result<CertificateStatus, RevocationError> {
        let [certificate, issuer] =
            [holder, &self.pki.root].map(|holder| holder.certificate.to_der().unwrap());
        let issuer = Issuer::new(Certificate::from_der(&issuer).unwrap());
        let data = RevocationData::parse(data).unwrap();
        let signer = data.signer(&NativeEnvironment, &issuer, std::iter::empty());
        data.status(
            &NativeEnvironment,
            &Certificate::from_der(&certificate).unwrap(),
            &issuer,
            signer.as_ref(),
        )
    }

    fn signer(&self, data: &[u8]) -> Option<RevocationSigner> {
        let issuer = self.pki.root.certificate.to_der().unwrap();
        let issuer = Issuer::new(Certificate::from_der(&issuer).unwrap());
        let data = RevocationData::parse(data).unwrap();
        data.signer(&NativeEnvironment, &issuer, std::iter::empty())
    }
}

#[test]
fn a_responder_of_openssl_is_understood() {
    let world = World::new(true);
    let delegate = world.responder.certificate.to_der().unwrap();
    for (responder, signer) in [
        ("root", RevocationSigner::Issuer),
        ("responder", RevocationSigner::Delegate(delegate)),
    ] {
        let good = world.response("good", responder);
        let status = world.status(&good, &world.good).unwrap();
        assert_eq!(status.revoked_at, None);
        assert_eq!(world.signer(&good), Some(signer));
        assert_eq!(status.told_at, status.this_update);
        assert_eq!(status.expired_since, None);
        assert_eq!(status.next_update, Some(status.this_update + 86_400));

        let revoked = world.response("revoked", responder);
        let status = world.status(&revoked, &world.revoked).unwrap();
        assert_eq!(status.revoked_at, Some(REVOKED_AT));

        let other = world.status(&good, &world.revoked).unwrap_err();
        assert!(matches!(other, RevocationError::OtherCertificate));
        let unknown = world.response("root", responder);
        let unknown = world.status(&unknown, &world.pki.root).unwrap_err();
        assert!(matches!(unknown, RevocationError::Unknown));
    }
}

#[test]
fn only_the_issuer_and_its_responders_are_believed() {
    let world = World::new(true);

    for impostor in ["good", "revoked"] {
        let response = world.response("good", impostor);
        let error = world.status(&response, &world.good).unwrap_err();
        assert!(matches!(error, RevocationError::Signature), "{impostor}");
    }
}

#[test]
fn a_list_of_openssl_is_understood() {
    let world = World::new(true);
    let list = world.list();

    let good = world.status(&list, &world.good).unwrap();
    let revoked = world.status(&list, &world.revoked).unwrap();

    assert_eq!(good.revoked_at, None);
    assert_eq!(good.next_update, Some(good.this_update + 7 * 86_400));
    assert_eq!(revoked.revoked_at, Some(REVOKED_AT));
    let mut tampered = list.clone();
    let last = tampered.len() - 1;
    tampered[last] ^= 1;
    let error = world.status(&tampered, &world.good).unwrap_err();
    assert!(matches!(error, RevocationError::Signature));
}

#[test]
fn certificates_say_what_they_are_for() {
    let world = World::new(true);
    let other = World::new(false);
    let der = |holder: &Holder| holder.certificate.to_der().unwrap();
    let [root, exempt, checked, signer] = [
        der(&world.pki.root),
        der(&world.responder),
        der(&other.responder),
        der(&world.good),
    ];
    let [root, exempt, checked, signer] =
        [&root, &exempt, &checked, &signer].map(|der| Certificate::from_der(der).unwrap());

    assert!(root.is_authority() && !signer.is_authority() && !exempt.is_authority());
    assert!(exempt.may_sign_ocsp_responses() && !signer.may_sign_ocsp_responses());
    assert!(exempt.needs_no_revocation_check() && !checked.needs_no_revocation_check());
    assert!(root.is_issued_by(&NativeEnvironment, &root));
    assert!(signer.is_issued_by(&NativeEnvironment, &root));
    assert!(!checked.is_issued_by(&NativeEnvironment, &root));
    assert_eq!(signer.issuer_common_name(), root.common_name());
}

#[test]
fn certificates_say_for_how_long_and_over_whom() {
    let pki = Pki::new();
    let terms = Terms {
        validity: (1_000, 2_000),
        path_length: Some(3),
    };
    let key = || ec_key(Nid::X9_62_PRIME256V1);
    let limited = issue_on(terms, "Limited", key(), Some(&pki.root), Role::Authority);
    let der = [&limited.certificate, &pki.root.certificate, &pki.stamper()]
        .map(|certificate| certificate.to_der().unwrap());
    let [limited, root, stamper] =
        [&der[0], &der[1], &der[2]].map(|der| Certificate::from_der(der).unwrap());

    let valid = [999, 1_000, 2_000, 2_001].map(|time| limited.was_valid_at(time));
    assert_eq!(valid, [false, true, true, false]);
    assert_eq!(limited.max_authorities_below(), Some(3));
    assert_eq!(root.max_authorities_below(), None);
    assert!(root.may_issue_certificates() && root.may_sign_revocation_lists());
    assert!(!stamper.may_issue_certificates() && !stamper.may_sign_revocation_lists());
}
