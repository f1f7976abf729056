use std::fs;
use std::path::Path;
use std::process::Command;

use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use parafa_fixtures::referees::Dss;
use parafa_fixtures::tool::program;
use parafa_format_core::{
    DigestAlgorithm, Environment, Integrity, MemoryBlob, MemorySink, NativeEnvironment, Part,
    SignatureAlgorithm, TimestampStatus, levels,
};
use parafa_xades::{DataObject, Draft, DraftError, Profile, SignatureRequest, Verified};
use parafa_zip::{Content, Writer};

use crate::container::Container;
use crate::pki::{Holder, Pki, ec_key, rsa_key};

/// Names that need encoding, and one that looks encoded.
pub(crate) const FILES: [(&str, &str, &[u8]); 3] = [
    ("sutartis.pdf", "application/pdf", b"%PDF-1.7 not really"),
    ("priedai/ąžuolas & ko (1+1).txt", "text/plain", b"leaves"),
    ("100%41 €.bin", "application/octet-stream", b""),
];
const TIME: i64 = 1_767_323_046;
const MEDIA_TYPE: &str = "application/vnd.etsi.asic-e+zip";

fn keys() -> Vec<(PKey<Private>, SignatureAlgorithm)> {
    use DigestAlgorithm::{Sha256, Sha384, Sha512};
    use SignatureAlgorithm::{Ecdsa, RsaPkcs1, RsaPss};

    vec![
        (rsa_key(2048), RsaPkcs1(Sha256)),
        (rsa_key(2048), RsaPss(Sha512)),
        (ec_key(Nid::X9_62_PRIME256V1), Ecdsa(Sha256)),
        (ec_key(Nid::SECP384R1), Ecdsa(Sha384)),
        (ec_key(Nid::SECP384R1), Ecdsa(Sha256)),
    ]
}

/// Calls `make` with a request over [`FILES`].
fn with_request<T>(
    signer: &Holder,
    algorithm: SignatureAlgorithm,
    make: impl FnOnce(&SignatureRequest<'_>) -> T,
) -> T {
    let certificate = signer.certificate.to_der().unwrap();
    let digests = FILES
        .map(|(_, _, bytes)| NativeEnvironment.digest(algorithm.digest(), &[Part::Bytes(bytes)]));
    let objects: Vec<DataObject<'_>> = FILES
        .iter()
        .zip(&digests)
        .map(|((name, media_type, _), digest)| DataObject {
            name,
            part: None,
            media_type,
            digest,
        })
        .collect();
    make(&SignatureRequest {
        profile: Profile::Baseline,
        id: "S0",
        time: TIME,
        algorithm,
        certificate: &certificate,
        issuers: &[],
        objects: &objects,
    })
}

pub(crate) fn signature_file(
    pki: &Pki,
    signer: &Holder,
    algorithm: SignatureAlgorithm,
) -> [String; 2] {
    with_request(signer, algorithm, |request| {
        let draft = Draft::new(&NativeEnvironment, request).unwrap();
        let again = Draft::new(&NativeEnvironment, request).unwrap();
        assert_eq!(draft.to_be_signed(), again.to_be_signed());
        let value = signer.sign(algorithm, draft.to_be_signed());
        let basic = draft.with_value(&value).unwrap();
        let token = pki.timestamp(&draft.to_be_stamped(&basic).unwrap());
        let stamped = draft.with_timestamp(&basic, &token).unwrap();
        [basic, stamped]
    })
}

pub(crate) fn container(signatures: &[&str]) -> Vec<u8> {
    let entries = FILES.map(|(name, media_type, _)| {
        let name = name.replace('&', "&amp;");
        format!(
            "<manifest:file-entry manifest:full-path=\"{name}\" manifest:media-type=\"{media_type}\"/>"
        )
    });
    let manifest = format!(
        "<manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\" \
         manifest:version=\"1.2\"><manifest:file-entry manifest:full-path=\"/\" \
         manifest:media-type=\"{MEDIA_TYPE}\"/>{}</manifest:manifest>",
        entries.concat()
    );
    let mut sink = MemorySink::default();
    let mut writer = Writer::<MemoryBlob, _>::new(&mut sink, TIME);
    let mut add = |name: &str, bytes: &[u8]| writer.add(name, &Content::Bytes(bytes)).unwrap();
    add("mimetype", MEDIA_TYPE.as_bytes());
    add("META-INF/manifest.xml", manifest.as_bytes());
    for (name, _, bytes) in FILES {
        add(name, bytes);
    }
    for (number, signature) in signatures.iter().enumerate() {
        add(
            &format!("META-INF/signatures{number}.xml"),
            signature.as_bytes(),
        );
    }
    writer.finish(b"").unwrap();
    sink.0
}

pub(crate) fn verified(file: &str) -> Verified {
    let container = Container::read(container(&[file])).unwrap();
    let [verified] = container.verify().unwrap().try_into().unwrap();
    verified
}

#[test]
fn a_signature_is_over_every_file_with_its_type() {
    let pki = Pki::new();
    for (key, algorithm) in keys() {
        let signer = pki.signer("Ona Signer", key);
        let [basic, stamped] = signature_file(&pki, &signer, algorithm);

        let basic = verified(&basic);
        assert_eq!(basic.fault, None);
        assert_eq!(basic.level, levels::XADES_B_B);
        assert_eq!(basic.claimed_time, Some(TIME));
        assert_eq!(
            basic.signer_certificate,
            Some(signer.certificate.to_der().unwrap())
        );
        let covers = basic.covers.iter().map(|covered| {
            (
                covered.member.as_str(),
                covered.media_type.as_deref().unwrap_or_default(),
            )
        });
        assert!(covers.eq(FILES.map(|(name, media_type, _)| (name, media_type))));

        let stamped = verified(&stamped);
        assert_eq!(stamped.integrity, Integrity::Intact);
        assert_eq!(stamped.level, levels::XADES_B_T);
        assert_eq!(stamped.timestamps[0].status, TimestampStatus::Intact);
        assert_eq!(
            [stamped.signed_info, stamped.value],
            [basic.signed_info, basic.value]
        );
    }
}

#[test]
fn xmlsec1_accepts_what_is_signed() {
    let Some(xmlsec1) = program("xmlsec1") else {
        return;
    };
    let pki = Pki::new();
    for (key, algorithm) in keys() {
        // The releases in distributions do not support it.
        if matches!(algorithm, SignatureAlgorithm::RsaPss(_)) {
            continue;
        }
        let signer = pki.signer("Ona Signer", key);
        for file in signature_file(&pki, &signer, algorithm) {
            let folder = tempfile::tempdir().unwrap();
            for (name, _, bytes) in FILES {
                let path = folder.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, bytes).unwrap();
            }
            fs::write(folder.path().join("signatures0.xml"), &file).unwrap();
            assert_xmlsec1(
                &xmlsec1,
                folder.path(),
                &pki.folder().join("root.pem"),
                true,
            );
            fs::write(folder.path().join(FILES[0].0), b"changed").unwrap();
            assert_xmlsec1(
                &xmlsec1,
                folder.path(),
                &pki.folder().join("root.pem"),
                false,
            );
        }
    }
}

#[track_caller]
fn assert_xmlsec1(xmlsec1: &Path, folder: &Path, root: &Path, accepts: bool) {
    let run = Command::new(xmlsec1)
        .current_dir(folder)
        .arg("--verify")
        .arg("--id-attr:Id")
        .arg("http://uri.etsi.org/01903/v1.3.2#:SignedProperties")
        .args(["--enabled-key-data", "x509", "--trusted-pem"])
        .arg(root)
        .arg("signatures0.xml")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.success(), accepts, "{said}");
}

#[test]
fn dss_accepts_what_is_signed() {
    let pki = Pki::new();
    let folder = tempfile::tempdir().unwrap();
    // These certificates have no revocation data: they are anchors themselves.
    let mut anchors = vec![pki.folder().join("tsa.pem")];
    let mut files = Vec::new();
    for (number, (key, algorithm)) in keys().into_iter().enumerate() {
        let signer = pki.signer("Ona Signer", key);
        let [_, stamped] = signature_file(&pki, &signer, algorithm);
        let [file, anchor] =
            ["asice", "pem"].map(|kind| folder.path().join(format!("{number}.{kind}")));
        fs::write(&file, container(&[&stamped])).unwrap();
        fs::write(&anchor, signer.certificate.to_pem().unwrap()).unwrap();
        files.push(file);
        anchors.push(anchor);
    }
    let Some(dss) = Dss::find(&anchors) else {
        return;
    };
    for verdict in dss.verdicts(&files, &["--level", "T"]) {
        assert!(verdict.ok, "{verdict:?}");
        assert_eq!(verdict.signatures[0].level, "XAdES-BASELINE-T");
        assert_eq!(verdict.signatures[0].covers.len(), FILES.len());
    }
}

#[test]
fn a_time_stamp_over_something_else_counts_for_no_level() {
    let pki = Pki::new();
    let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);
    let signer = pki.signer("Ona Signer", ec_key(Nid::X9_62_PRIME256V1));
    let file = with_request(&signer, algorithm, |request| {
        let draft = Draft::new(&NativeEnvironment, request).unwrap();
        let value = signer.sign(algorithm, draft.to_be_signed());
        let basic = draft.with_value(&value).unwrap();
        draft
            .with_timestamp(&basic, &pki.timestamp(b"something else"))
            .unwrap()
    });

    let verified = verified(&file);
    assert_eq!(verified.integrity, Integrity::Intact);
    assert_eq!(verified.level, levels::XADES_B_B);
    assert_eq!(
        verified.timestamps[0].status,
        TimestampStatus::ImprintMismatch
    );
}

#[test]
fn what_cannot_be_signed_is_refused() {
    let pki = Pki::new();
    let signer = pki.signer("Ona Signer", ec_key(Nid::X9_62_PRIME256V1));
    let draft = |algorithm| {
        with_request(&signer, algorithm, |request| {
            Draft::new(&NativeEnvironment, request)
        })
    };

    let weak = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha1);
    assert_eq!(draft(weak).unwrap_err(), DraftError::Algorithm(weak));
    let of_another_key = draft(SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256));
    assert_eq!(of_another_key.unwrap_err(), DraftError::Certificate);
    let sound = draft(SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256)).unwrap();
    assert_eq!(sound.with_value(&[0; 64]).unwrap_err(), DraftError::Value);
}
