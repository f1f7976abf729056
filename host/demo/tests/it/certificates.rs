//! Certificates and revocation lists, as OpenSSL's command line reads them.

use std::fs;

use crate::support::{Party, authority_pem, certificate, common, openssl, scratch, world};

async fn write_certificate_of(folder: &std::path::Path, document: &str) {
    let path = format!("/signature/certificate/{document}");
    let mut body = common();
    body.as_object_mut().unwrap().remove("nonce");
    let answer = Party::of(world()).begin(&path, &body).await;
    fs::write(
        folder.join("subject.pem"),
        certificate(&answer).to_pem().unwrap(),
    )
    .unwrap();
    fs::write(
        folder.join("issuer.pem"),
        authority_pem(world(), "eid-q-e").await,
    )
    .unwrap();
}

#[tokio::test]
async fn a_signing_certificate_has_the_shape_of_a_real_one() {
    let folder = scratch();
    write_certificate_of(&folder, "PNOLT-50001029996-DEMO-Q").await;
    let arguments = [
        "x509",
        "-in",
        "subject.pem",
        "-noout",
        "-text",
        "-nameopt",
        "RFC2253,utf8,-esc_msb",
    ];
    let text = openssl(&folder, &arguments);
    for expected in [
        "serialNumber=PNOLT-50001029996,GN=JONAS,SN=ŽĄSINAS,CN=ŽĄSINAS\\,JONAS,C=LT",
        "X509v3 Key Usage: critical\n                Non Repudiation\n",
        "Policy: 1.3.6.1.4.1.10015.17.2",
        "Policy: 0.4.0.194112.1.2",
        "DirName:/CN=PNOLT-50001029996-DEMO-Q",
        "CA Issuers - URI:http://127.0.0.1:",
        "OCSP - URI:http://127.0.0.1:",
        "/crl/eid-q-e.crl",
        "Signature Algorithm: ecdsa-with-SHA384",
        "X509v3 Subject Directory Attributes",
    ] {
        assert!(text.contains(expected), "{expected} is not in\n{text}");
    }
    assert!(!text.contains("Extended Key Usage"), "{text}");
    let statements = openssl(&folder, &["asn1parse", "-in", "subject.pem"]);
    assert!(statements.contains("qcStatements"), "{statements}");
}

#[tokio::test]
async fn a_signing_certificate_chains_to_the_root_and_is_not_in_the_revocation_list() {
    let folder = scratch();
    // The lists contain revoked certificates only once they are issued.
    write_certificate_of(&folder, "PNOLT-47902149900-MOCK-Q").await;
    let base = world().addresses().tsa.strip_suffix("/tsa").unwrap();
    let mut lists = String::new();
    for authority in ["root-e", "eid-q-e"] {
        let address = format!("{base}/crl/{authority}.crl");
        let list = reqwest::get(address).await.unwrap().bytes().await.unwrap();
        fs::write(folder.join("list.crl"), list).unwrap();
        lists += &openssl(&folder, &["crl", "-inform", "DER", "-in", "list.crl"]);
    }
    fs::write(folder.join("lists.pem"), lists).unwrap();
    let root = world().roots()[0].to_str().unwrap();
    let arguments = [
        "verify",
        "-x509_strict",
        "-crl_check_all",
        "-CAfile",
        root,
        "-untrusted",
        "issuer.pem",
        "-CRLfile",
        "lists.pem",
        "subject.pem",
    ];
    write_certificate_of(&folder, "PNOLT-40504040001-MOCK-Q").await;
    let good = openssl(&folder, &arguments);
    assert!(good.contains("subject.pem: OK"), "{good}");
    write_certificate_of(&folder, "PNOLT-47902149900-MOCK-Q").await;
    let revoked = openssl(&folder, &arguments);
    assert!(revoked.contains("certificate revoked"), "{revoked}");
    write_certificate_of(&folder, "PNOLT-38211039908-MOCK-Q").await;
    let expired = openssl(&folder, &arguments);
    assert!(expired.contains("certificate has expired"), "{expired}");
    write_certificate_of(&folder, "PNOLT-49007079906-MOCK-Q").await;
    let untrusted = openssl(&folder, &arguments);
    assert!(
        untrusted.contains("unable to get local issuer certificate"),
        "{untrusted}"
    );
}

#[tokio::test]
async fn what_the_repository_does_not_have_is_404() {
    let base = world().addresses().tsa.strip_suffix("/tsa").unwrap();
    for path in ["aia/nobody.crt", "aia/root-e.pem", "crl/root-e.crt"] {
        let status = reqwest::get(format!("{base}/{path}"))
            .await
            .unwrap()
            .status();
        assert_eq!(status, 404, "{path}");
    }
}

#[tokio::test]
async fn the_trust_folder_names_its_files_with_their_fingerprints() {
    let folder = world().trust_folder();
    let manifest = fs::read_to_string(folder.join("trust.toml")).unwrap();
    for authority in [
        "root-e", "eid-q-e", "eid-nq-e", "eid-m-e", "card-ca", "tsa-ca",
    ] {
        let file = format!("{authority}.pem");
        let print = ["x509", "-in", &file, "-noout", "-fingerprint", "-sha256"];
        let fingerprint = openssl(folder, &print);
        let (_, fingerprint) = fingerprint.trim().split_once('=').unwrap();
        let fingerprint = fingerprint.replace(':', "");
        let entry = format!("file = \"{file}\"\nsha256 = \"{fingerprint}\"\n");
        assert!(manifest.contains(&entry), "{entry} is not in\n{manifest}");
    }
    assert!(!manifest.contains("elsewhere"), "{manifest}");
}
