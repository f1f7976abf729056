//! Signatures with unknown parts: everything else is checked, changes are
//! reported, and unknowns are never called valid.

use parafa_fixtures::signed::Identity::{Jonas, Ona};
use parafa_fixtures::signed::container::{ContainerSigning, SignedContainer};
use parafa_format_asice::verify;
use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment, refusal};

use crate::ceremony::inspected;

const FILES: [(&str, &str, &str, &[u8]); 2] = [
    ("a.txt", "a.txt", "text/plain", b"a"),
    ("b.txt", "b.txt", "text/plain", b"b"),
];
const SIGNATURES: &str = "META-INF/signatures0.xml";
const ECDSA: &str = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256";

type Change = fn(SignedContainer) -> SignedContainer;

fn replaced(container: SignedContainer, what: &str, by: &str) -> SignedContainer {
    container.replaced(SIGNATURES, what, by)
}

fn unknown_method(container: SignedContainer) -> SignedContainer {
    replaced(
        container,
        ECDSA,
        "http://www.w3.org/2001/04/xmldsig-more#rsa-ripemd160",
    )
}

/// Adds an unknown digest method to the reference to the first file.
fn with_unknown_digest(container: SignedContainer, signatures: &str) -> SignedContainer {
    container.with(signatures, |member| {
        let text = String::from_utf8(std::mem::take(&mut member.data)).unwrap();
        let (before, reference) = text.split_once("URI=\"a.txt\"").unwrap();
        let reference = reference.replacen("xmlenc#sha256", "xmlenc#sha257", 1);
        member.data = [before, "URI=\"a.txt\"", &reference].concat().into_bytes();
    })
}

fn integrity_and_obstacle(bytes: Vec<u8>) -> (Integrity, Option<String>) {
    let report = inspected(&bytes).unwrap();
    let obstacle = report.obstacles.first();
    let obstacle = obstacle.map(|obstacle| obstacle.refusal.code.to_string());
    let evidence = verify(&NativeEnvironment, &MemoryBlob(bytes)).unwrap();
    let is_told = report
        .notes
        .iter()
        .any(|note| note.code == "signature-unsupported");
    let integrity = evidence.signatures[0].integrity;
    assert_eq!(is_told, integrity == Integrity::Unsupported);
    (integrity, obstacle)
}

#[test]
fn what_is_unknown_hides_no_change_and_is_not_called_good() {
    use Integrity::{DigestMismatch, Malformed, Modified, Unsupported};

    let unknown: [(&str, Change); 4] = [
        ("a signature method", unknown_method),
        ("no signature method", |it| replaced(it, ECDSA, "")),
        ("a name of its own", |it| {
            replaced(it, ECDSA, "urn:example:x")
        }),
        ("a canonicalization", |it| {
            let method = "<ds:CanonicalizationMethod Algorithm=\"";
            replaced(it, method, &format!("{method}urn:example:"))
        }),
    ];
    let changes: [(&str, Change, Integrity); 6] = [
        ("nothing", |it| it, Unsupported),
        (
            "a file",
            |it| it.with("a.txt", |file| file.data = b"c".to_vec()),
            DigestMismatch,
        ),
        (
            "the type of a file",
            |it| it.replaced("META-INF/manifest.xml", "text/plain", "text/html"),
            Modified,
        ),
        (
            "the value",
            |it| replaced(it, "</ds:SignatureValue>", "?</ds:SignatureValue>"),
            Malformed,
        ),
        (
            "the certificates",
            |it| replaced(it, "X509Data", "X509None"),
            Malformed,
        ),
        (
            "a reference",
            |it| replaced(it, "URI=\"a.txt\"", "URI=\"c.txt\""),
            DigestMismatch,
        ),
    ];
    for (what, forget) in unknown {
        for (change, make, expected) in changes {
            let container = SignedContainer::unsigned(&FILES).sign(ContainerSigning::by(Ona));
            let bytes = make(forget(container)).zip.build();
            let obstacle = (expected != Unsupported).then(|| refusal::CONTAINER_UNSOUND.to_owned());
            assert_eq!(
                integrity_and_obstacle(bytes),
                (expected, obstacle),
                "{what}, {change}"
            );
        }
    }
}

#[test]
fn files_that_cannot_be_digested_as_it_is_signed_are_signed_by_nobody() {
    for change in [b"a", b"c"] {
        let container = SignedContainer::unsigned(&FILES).sign(ContainerSigning::by(Ona));
        let container = unknown_method(with_unknown_digest(container, SIGNATURES));
        let container = container.with("a.txt", |file| file.data = change.to_vec());

        let unsound = Some(refusal::CONTAINER_UNSOUND.to_owned());
        let found = integrity_and_obstacle(container.zip.build());
        assert_eq!(found, (Integrity::Unsupported, unsound));
    }
}

#[test]
fn a_signature_that_cannot_be_verified_vouches_for_no_file_that_another_leaves_out() {
    let container = |files| {
        SignedContainer::unsigned(&FILES)
            .sign(ContainerSigning {
                files,
                ..ContainerSigning::by(Jonas)
            })
            .sign(ContainerSigning::by(Ona))
            .replaced("META-INF/signatures1.xml", ECDSA, "urn:unknown")
    };
    for (files, code) in [(1, Some(refusal::CONTAINER_UNSOUND)), (2, None)] {
        let bytes = container(files).zip.build();
        let evidence = verify(&NativeEnvironment, &MemoryBlob(bytes.clone())).unwrap();
        let integrity: Vec<_> = evidence
            .signatures
            .iter()
            .map(|one| one.integrity)
            .collect();
        assert_eq!(integrity, [Integrity::Intact, Integrity::Unsupported]);
        let report = inspected(&bytes).unwrap();
        let obstacle = report.obstacles.first().map(|it| it.refusal.code.as_ref());
        assert_eq!(obstacle, code, "{files}");
    }
}

/// Nothing in these is unknown.
#[test]
fn a_wrong_value_and_a_key_of_another_kind_are_told() {
    let rsa = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
    let signed = || SignedContainer::unsigned(&FILES).sign(ContainerSigning::by(Ona));
    let unsound = || Some(refusal::CONTAINER_UNSOUND.to_owned());
    let found = integrity_and_obstacle(replaced(signed(), ECDSA, rsa).zip.build());
    assert_eq!(found, (Integrity::SignatureMismatch, unsound()));

    // The first signature covers the file that the second one cannot be shown
    // to cover.
    let forged = signed().sign(ContainerSigning::by(Jonas));
    let forged = with_unknown_digest(forged, "META-INF/signatures1.xml");
    let bytes = forged.zip.build();
    assert_eq!(inspected(&bytes).unwrap().obstacles.len(), 1);
}

#[test]
fn a_signature_file_in_capitals_holds_no_signature_and_is_signed_beside_by_nobody() {
    let container = SignedContainer::unsigned(&FILES).sign(ContainerSigning::by(Ona));
    let container = container.with(SIGNATURES, |member| {
        member.name = b"META-INF/SIGNATURES0.XML".to_vec();
    });
    let bytes = container.zip.build();

    let report = inspected(&bytes).unwrap();
    assert_eq!(report.signatures, []);
    assert!(
        report.obstacles[0]
            .refusal
            .detail
            .contains("signature-file-name")
    );
    let evidence = verify(&NativeEnvironment, &MemoryBlob(bytes)).unwrap();
    assert_eq!(evidence.signatures, []);
}
