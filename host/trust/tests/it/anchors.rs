use std::fs;

use parafa_trust::{AuthorityKind, NonceMode, Purpose, TrustAnchors, TrustConfigError};
use tempfile::TempDir;

use crate::authority::Identity;
use crate::world::World;

fn folder(authority: &Identity, manifest: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = manifest.replace(
        "FINGERPRINT",
        &hex::encode(authority.certificate().sha256()),
    );
    fs::write(folder.path().join("ca.pem"), authority.pem()).expect("a file");
    fs::write(folder.path().join("trust.toml"), manifest).expect("a file");
    folder
}

const FULL: &str = r#"
    [[certificate]]
    file = "ca.pem"
    sha256 = "FINGERPRINT"
    kind = "issuing"
    purposes = ["signing"]
    methods = ["smart_id"]
    qualified_from = "2024-07-02T00:00:00Z"
    qualified_until = "2039-06-29T00:00:00Z"
    policies = ["1.3.6.1.4.1.10015.17.2", "0.4.0.194112.1.2"]
    [certificate.ocsp]
    url = "http://ocsp.example.com/"
    nonce = "require"
    certid_hash = "sha256"
    max_age_seconds = 60
    [certificate.crl]
    max_age_seconds = 3600
"#;

#[test]
fn every_field_is_read() {
    let world = World::new();
    let folder = folder(&world.issuing, FULL);
    let anchors = TrustAnchors::load(folder.path()).expect("anchors");
    let [entry] = anchors.entries() else {
        panic!("{anchors:?}");
    };
    assert_eq!(entry.certificate, world.issuing.certificate());
    assert_eq!(entry.kind, AuthorityKind::Issuing);
    assert_eq!(entry.purposes, [Purpose::Signing]);
    assert_eq!(entry.methods, ["smart_id"]);
    assert_eq!(entry.policies.len(), 2);
    assert_eq!(entry.ocsp.nonce, NonceMode::Require);
    assert_eq!(entry.ocsp.max_age.expect("an age").as_secs(), 60);
    assert_eq!(entry.crl_max_age.expect("an age").as_secs(), 3600);
    let at = |text: &str| entry.is_qualified_at(text.parse().expect("a time"));
    assert!(at("2024-07-02T00:00:00Z") && !at("2024-07-01T23:59:59Z"));
    assert!(!at("2039-06-29T00:00:00Z"));
    assert!(anchors.has_anchor_for(Purpose::Signing, None));
    assert!(anchors.has_anchor_for(Purpose::Signing, Some("smart_id")));
    assert!(!anchors.has_anchor_for(Purpose::Signing, Some("mobile_id")));
    assert!(!anchors.has_anchor_for(Purpose::Timestamping, None));
}

#[test]
fn the_documented_folder_is_read_and_trusted_for_signing_and_time() {
    const DOCUMENTED: &str = include_str!("../../../../docs/trust.md");

    let (_, example) = DOCUMENTED.split_once("```toml\n").expect("an example");
    let (example, _) = example.split_once("```").expect("the example's end");
    let lines = example.lines().map(|line| match line.split_once(" = ") {
        Some(("file", _)) => "file = 'ca.pem'",
        Some(("sha256", _)) => "sha256 = 'FINGERPRINT'",
        _ => line,
    });
    let manifest: Vec<&str> = lines.collect();
    let folder = folder(&World::new().issuing, &manifest.join("\n"));

    let anchors = TrustAnchors::load(folder.path()).expect("anchors");

    assert!(anchors.has_anchor_for(Purpose::Signing, Some("smart_id")));
    assert!(anchors.has_anchor_for(Purpose::Timestamping, None));
    let kinds: Vec<AuthorityKind> = anchors.entries().iter().map(|entry| entry.kind).collect();
    assert!(kinds.contains(&AuthorityKind::Issuing) && kinds.contains(&AuthorityKind::Root));
}

#[test]
fn faults_name_the_file_and_the_field() {
    let world = World::new();
    for (from, to, field) in [
        ("\"ca.pem\"", "\"../ca.pem\"", "file"),
        ("\"ca.pem\"", "\"/etc/ca.pem\"", "file"),
        ("FINGERPRINT", "00", "sha256"),
        ("FINGERPRINT", "no digest", "sha256"),
        ("[\"signing\"]", "[]", "purposes"),
        ("2039-06-29", "2023-06-29", "qualified_until"),
        ("0.4.0.194112.1.2", "0.4.x", "policies"),
        (
            "http://ocsp.example.com/",
            "ldap://ocsp.example.com/",
            "ocsp.url",
        ),
    ] {
        let folder = folder(&world.issuing, &FULL.replace(from, to));
        let Err(TrustConfigError::Field {
            file, field: named, ..
        }) = TrustAnchors::load(folder.path())
        else {
            panic!("{to} was not refused for {field}");
        };
        assert_eq!(named, field);
        assert!(file.contains("ca.pem"));
    }
}

#[test]
fn an_unknown_field_or_purpose_is_malformed() {
    let world = World::new();
    for (from, to) in [("methods", "method"), ("\"signing\"", "\"sealing\"")] {
        let folder = folder(&world.issuing, &FULL.replace(from, to));
        let loaded = TrustAnchors::load(folder.path());
        assert!(
            matches!(loaded, Err(TrustConfigError::Manifest { .. })),
            "{loaded:?}"
        );
    }
}

#[test]
fn an_end_entitys_certificate_is_no_anchor() {
    let folder = folder(&World::new().signer(), FULL);
    let loaded = TrustAnchors::load(folder.path());
    assert!(
        matches!(loaded, Err(TrustConfigError::Field { field: "file", .. })),
        "{loaded:?}"
    );
}

#[test]
fn a_file_with_two_certificates_is_refused() {
    let world = World::new();
    let folder = folder(&world.issuing, FULL);
    let both = [world.issuing.pem(), world.root.pem()].concat();
    fs::write(folder.path().join("ca.pem"), both).expect("a file");
    let loaded = TrustAnchors::load(folder.path());
    assert!(
        matches!(
            loaded,
            Err(TrustConfigError::NotOneCertificate { found: 2, .. })
        ),
        "{loaded:?}"
    );
}

#[test]
fn a_missing_manifest_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = TrustAnchors::load(folder.path()).expect_err("nothing is there");
    assert!(error.to_string().contains("trust.toml"), "{error}");
}
