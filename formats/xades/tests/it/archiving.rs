//! Raises signatures to level LT as a host does: queries issuers and responders
//! and repeats the call.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use openssl::nid::Nid;
use openssl::x509::X509;
use parafa_fixtures::referees::Dss;
use parafa_fixtures::tool::samples;
use parafa_format_core::{
    Answer, DigestAlgorithm, Integrity, MemorySink, NativeEnvironment, Need, NeedKind, Refusal,
    SignatureAlgorithm, Step, TimestampKind, TimestampStatus, carry_out, levels,
};
use parafa_xades::names::{DSIG, XADES, XADES_141};
use parafa_xades::{DataObjects, Raised, SignatureFile, Verifier, archive};
use parafa_xml::{Canonicalization, Document, Limits};

use crate::answering::{certificate, issuer_among, issuer_of, sound, subject, told_among};
use crate::container::Container;
use crate::issuing::{CertStatus, Period, now, ocsp_response, revocation_list};
use crate::making::{FILES, container, signature_file, verified};
use crate::pki::{Holder, Pki, Role, ec_key, issue};
use crate::tampering::{find, tampered};

const ALGORITHM: SignatureAlgorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);

/// A root, below it the time-stamping unit and an authority, below that the
/// people.
struct Hierarchy {
    pki: Pki,
    authority: Holder,
    ona: Holder,
    jonas: Holder,
}

static HIERARCHY: LazyLock<Hierarchy> = LazyLock::new(|| {
    let pki = Pki::new();
    let key = || ec_key(Nid::X9_62_PRIME256V1);
    let authority = issue("Testing Issuing", key(), Some(&pki.root), Role::Authority);
    let person = |name| issue(name, key(), Some(&authority), Role::Signer);
    Hierarchy {
        ona: person("Ona"),
        jonas: person("Jonas"),
        authority,
        pki,
    }
});

impl Hierarchy {
    /// Returns a signature file at level B-T.
    fn signed(&self, person: &Holder) -> String {
        let [_, stamped] = signature_file(&self.pki, person, ALGORITHM);
        stamped
    }

    fn issuer_of(&self, certificate: &X509) -> &Holder {
        issuer_of([&self.pki.root, &self.authority], certificate)
    }

    fn answer(&self, need: &Need) -> Answer {
        sound(need, [&self.pki.root, &self.authority], |issuer| issuer)
    }
}

/// Makes one call over the signature files of a container with these names.
fn step(
    container: &Container,
    files: &[(&str, &str)],
    answers: &[Answer],
) -> Result<Step<Raised>, Refusal> {
    let files: Vec<SignatureFile<'_>> = files
        .iter()
        .map(|(name, text)| SignatureFile {
            name,
            bytes: text.as_bytes(),
        })
        .collect();
    archive(&NativeEnvironment, container, &files, answers)
}

/// Makes all calls, answering needs with `answer`.
fn raised_with(
    container: &Container,
    files: &[(&str, &str)],
    answer: impl FnMut(&Need) -> Answer,
) -> Result<Raised, Refusal> {
    let call = |answers: &[Answer], _: &mut MemorySink| step(container, files, answers);
    Ok(carry_out(6, call, answer)?.1)
}

/// Pairs signature files with the names that a container gives them.
fn named<'f>(files: &[&'f str]) -> Vec<(&'static str, &'f str)> {
    const NAMES: [&str; 2] = ["META-INF/signatures0.xml", "META-INF/signatures1.xml"];

    NAMES.into_iter().zip(files.iter().copied()).collect()
}

fn raised(files: &[&str], answer: impl FnMut(&Need) -> Answer) -> Result<Raised, Refusal> {
    let container = Container::read(container(files)).unwrap();
    raised_with(&container, &named(files), answer)
}

/// Returns the signature file of one person at level LT.
fn archived(file: &str) -> String {
    let raised = raised(&[file], |need| HIERARCHY.answer(need)).unwrap();
    assert_eq!(raised.level, levels::XADES_B_LT);
    let mut files = raised.files.into_iter();
    files.next().flatten().expect("something was written")
}

fn missing(files: &[&str], answer: impl FnMut(&Need) -> Answer) -> Vec<String> {
    let refusal = raised(files, answer).unwrap_err();
    assert_eq!(refusal.code, "archive-incomplete", "{refusal}");
    refusal.subjects
}

#[test]
fn what_is_missing_is_put_behind_what_is_there() {
    let before = HIERARCHY.signed(&HIERARCHY.ona);
    let after = archived(&before);

    let kept = before.bytes().zip(after.bytes());
    let front = kept.take_while(|(was, is)| was == is).count();
    assert!(after.ends_with(&before[front..]), "{after}");
    let added = &after[front..after.len() - (before.len() - front)];
    for name in ["TimeStampValidationData", "CertificateValues", "OCSPValues"] {
        assert!(added.contains(name), "{name}");
    }
    assert!(!added.contains("CRLValues"), "{added}");
    let [was, is] = [&before, &after].map(|file| verified(file));
    assert_eq!(is.fault, None);
    assert_eq!(
        [was.level, is.level],
        [levels::XADES_B_T, levels::XADES_B_LT]
    );
    assert_eq!([was.signed_info, was.value], [is.signed_info, is.value]);
    assert_eq!(was.timestamps, is.timestamps);
}

#[test]
fn what_is_complete_stays_as_it_is() {
    let archived = archived(&HIERARCHY.signed(&HIERARCHY.ona));

    let again = raised(&[&archived], |need| panic!("{} is asked for", need.id)).unwrap();

    assert_eq!(again.level, levels::XADES_B_LT);
    assert_eq!(again.files, [None]);
}

#[test]
fn everything_about_all_signatures_is_asked_at_once() {
    let files = [&HIERARCHY.ona, &HIERARCHY.jonas].map(|person| HIERARCHY.signed(person));
    let files = [files[0].as_str(), files[1].as_str()];
    let mut asked = Vec::new();
    let raised = raised(&files, |need| {
        asked.push((need.kind.name(), subject(need)));
        HIERARCHY.answer(need)
    })
    .unwrap();

    asked.sort();
    let asked: Vec<_> = asked
        .iter()
        .map(|(kind, name)| (*kind, name.as_str()))
        .collect();
    assert_eq!(
        asked,
        [
            ("certificate", "Jonas"),
            ("certificate", "Ona"),
            ("certificate", "Testing TSA"),
            ("revocation", "Jonas"),
            ("revocation", "Ona"),
            ("revocation", "Testing Issuing"),
            ("revocation", "Testing TSA"),
        ]
    );
    assert!(raised.files.iter().all(Option::is_some));
}

#[test]
fn a_signature_that_is_complete_is_left_alone_beside_one_that_is_not() {
    let archived = archived(&HIERARCHY.signed(&HIERARCHY.ona));
    let signed = HIERARCHY.signed(&HIERARCHY.jonas);

    let raised = raised(&[&archived, &signed], |need| HIERARCHY.answer(need)).unwrap();

    assert!(matches!(raised.files[..], [None, Some(_)]));
}

#[test]
fn what_cannot_be_had_is_named_with_the_signature_that_lacks_it() {
    let files = [&HIERARCHY.ona, &HIERARCHY.jonas].map(|person| HIERARCHY.signed(person));
    let files = [files[0].as_str(), files[1].as_str()];

    let lines = missing(&files, |need| {
        if need.kind == NeedKind::Revocation && subject(need) == "Jonas" {
            return need.answer(Err("unavailable"));
        }
        HIERARCHY.answer(need)
    });
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    let begin = "META-INF/signatures1.xml#S0: signer's chain, certificate number ";
    assert!(line.starts_with(begin), "{line}");
    assert!(
        line.ends_with("of Testing Issuing: no revocation data: unavailable"),
        "{line}"
    );

    let lines = missing(&files[..1], |need| {
        if need.kind == NeedKind::Revocation && subject(need) == "Testing TSA" {
            let certificate = certificate(need);
            let (root, told) = (&HIERARCHY.pki.root, CertStatus::Revoked { at: now() - 60 });
            let told = ocsp_response(&certificate, root, root, told, Period::fresh());
            return need.answer(Ok(told));
        }
        HIERARCHY.answer(need)
    });
    assert_eq!(
        lines,
        ["META-INF/signatures0.xml#S0: time-stamp's chain, certificate Testing TSA: it is revoked"]
    );
}

#[test]
fn a_signature_without_a_time_stamp_or_that_does_not_hold_is_not_raised() {
    let [basic, stamped] = signature_file(&HIERARCHY.pki, &HIERARCHY.ona, ALGORITHM);
    let nobody = |need: &Need| -> Answer { panic!("{} is asked for", need.id) };

    assert_eq!(
        missing(&[&basic], nobody),
        ["META-INF/signatures0.xml#S0: it has no time-stamp"]
    );
    let changed = stamped.replace("2026-01-02", "2026-01-03");
    assert_eq!(
        missing(&[&changed], nobody),
        ["META-INF/signatures0.xml#S0: it is not intact: digest-mismatch"]
    );
}

#[test]
fn chains_may_end_with_anchors_that_are_no_roots() {
    let file = HIERARCHY.signed(&HIERARCHY.ona);
    let raised = raised(&[&file], |need| match (need.kind, subject(need).as_str()) {
        (NeedKind::Certificate, "Testing Issuing" | "Testing TSA") => need.answer(Err("anchor")),
        _ => HIERARCHY.answer(need),
    })
    .unwrap();

    assert_eq!(raised.level, levels::XADES_B_LT);
    let written = raised.files[0].as_deref().unwrap();
    assert_eq!(verified(written).revocation.len(), 1);
}

#[test]
fn a_signer_whom_nobody_issued_a_certificate_is_stored_as_the_end_of_the_chain() {
    let alone = issue("Alone", ec_key(Nid::X9_62_PRIME256V1), None, Role::Signer);
    let archived = archived(&HIERARCHY.signed(&alone));

    let certificate = base64(&alone.certificate.to_der().unwrap()).replace('\n', "");
    assert_eq!(archived.matches(&certificate).count(), 2);
    let again = raised(&[&archived], |need| panic!("{} is asked for", need.id)).unwrap();
    assert_eq!(again.files, [None]);
}

#[test]
fn the_reference_validator_is_content() {
    let folder = tempfile::tempdir().unwrap();
    let people = [&HIERARCHY.ona, &HIERARCHY.jonas];
    let signed = people.map(|person| HIERARCHY.signed(person));
    let [one, other] = [signed[0].as_str(), signed[1].as_str()];
    let by_lists = raised(&[one, other], |need| match need.kind {
        NeedKind::Revocation => {
            let issuer = HIERARCHY.issuer_of(&certificate(need));
            need.answer(Ok(revocation_list(issuer, &[], Period::fresh())))
        }
        _ => HIERARCHY.answer(need),
    })
    .unwrap();
    let by_lists: Vec<&str> = by_lists
        .files
        .iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let archived = archived(one);
    let all: Vec<PathBuf> = [&[one][..], &[&archived], &[&archived, other], &by_lists]
        .iter()
        .enumerate()
        .map(|(number, files)| {
            let file = folder.path().join(format!("{number}.asice"));
            fs::write(&file, container(files)).unwrap();
            file
        })
        .collect();
    let Some(dss) = Dss::find(&[HIERARCHY.pki.folder().join("root.pem")]) else {
        return;
    };

    let verdicts = dss.verdicts(&all, &["--level", "LT"]);

    let content: Vec<bool> = verdicts.iter().map(|verdict| verdict.ok).collect();
    assert_eq!(content, [false, true, false, true], "{verdicts:#?}");
    for verdict in [&verdicts[1], &verdicts[3]] {
        for signature in &verdict.signatures {
            assert_eq!(signature.level, "XAdES-BASELINE-LT");
        }
    }
    assert_eq!(verified(&archived).integrity, Integrity::Intact);
}

/// Adds an archive time-stamp to the only signature of a file (EN 319 132-1,
/// 5.5.2), after its properties.
fn with_archive_timestamp(file: &str) -> String {
    const C14N: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";

    let document = Document::parse(file.as_bytes(), &Limits::default()).unwrap();
    let all = |name: &str| {
        let elements = document.root().descendants();
        let elements = elements.filter(|element| element.local_name() == name);
        let forms = elements.map(|element| {
            element
                .canonicalize(Canonicalization::EXCLUSIVE, &[])
                .unwrap()
        });
        forms.collect::<Vec<_>>().concat()
    };
    let mut stamped = FILES.map(|(_, _, bytes)| bytes).concat();
    for name in [
        "SignedProperties",
        "SignedInfo",
        "SignatureValue",
        "KeyInfo",
    ] {
        stamped.extend(all(name));
    }
    let list = document.root().descendants();
    let mut list = list.filter(|element| element.is(XADES, "UnsignedSignatureProperties"));
    for property in list.next().unwrap().children() {
        let form = property.canonicalize(Canonicalization::EXCLUSIVE, &[]);
        stamped.extend(form.unwrap());
    }
    let token = base64(&HIERARCHY.pki.timestamp(&stamped));
    let property = format!(
        "<x:ArchiveTimeStamp xmlns:x=\"{XADES_141}\" xmlns:ds=\"{DSIG}\" xmlns:xades=\"{XADES}\">\
         <ds:CanonicalizationMethod Algorithm=\"{C14N}\"/>\
         <xades:EncapsulatedTimeStamp>{token}</xades:EncapsulatedTimeStamp></x:ArchiveTimeStamp>"
    );
    file.replace(
        "</xades:UnsignedSignatureProperties>",
        &format!("{property}</xades:UnsignedSignatureProperties>"),
    )
}

fn base64(bytes: &[u8]) -> String {
    openssl::base64::encode_block(bytes)
}

#[test]
fn a_time_stamp_over_all_that_is_there_comes_to_level_lta() {
    let archived = archived(&HIERARCHY.signed(&HIERARCHY.ona));
    let stamped = with_archive_timestamp(&archived);

    let found = verified(&stamped);
    assert_eq!(found.level, levels::XADES_B_LTA);
    assert_eq!(found.timestamps[1].kind, TimestampKind::Archive);
    assert_eq!(found.timestamps[1].status, TimestampStatus::Intact);
    let again = raised(&[&stamped], |need| panic!("{} is asked for", need.id)).unwrap();
    assert_eq!(
        (again.level, again.files),
        (levels::XADES_B_LTA, vec![None])
    );

    let changed = stamped.replacen(
        "</xades:CertificateValues>",
        " </xades:CertificateValues>",
        1,
    );
    let found = verified(&changed);
    assert_eq!(found.level, levels::XADES_B_LT);
    assert_eq!(found.timestamps[1].status, TimestampStatus::ImprintMismatch);

    let folder = tempfile::tempdir().unwrap();
    let files = [&stamped, &changed].map(|file| container(&[file]));
    let paths = ["stamped.asice", "changed.asice"].map(|name| folder.path().join(name));
    for (path, bytes) in paths.iter().zip(files) {
        fs::write(path, bytes).unwrap();
    }
    if let Some(dss) = Dss::find(&[HIERARCHY.pki.folder().join("root.pem")]) {
        let verdicts = dss.verdicts(&paths, &[]);
        assert_eq!(
            verdicts[0].signatures[0].level, "XAdES-BASELINE-LTA",
            "{verdicts:#?}"
        );
        assert_eq!(
            verdicts[1].timestamps[1].indication, "FAILED",
            "{verdicts:#?}"
        );
    }
}

/// Changes a byte in each part of every element with a name, and asserts the
/// level for each element.
fn assert_falls(file: &str, name: &str, inner: &[Vec<u8>], expected: &[&str]) {
    let document = Document::parse(file.as_bytes(), &Limits::default()).unwrap();
    let elements = document.root().descendants();
    let texts: Vec<String> = elements
        .filter(|element| element.local_name() == name)
        .map(parafa_xml::Element::text)
        .collect();
    assert_eq!(texts.len(), expected.len(), "{name}");
    for (text, expected) in texts.iter().zip(expected) {
        let der = openssl::base64::decode_block(text).unwrap();
        let mut inner = inner.iter();
        let inner = inner.find(|inner| find(&der, inner).is_some());
        for (part, changed) in tampered(&der, inner.map(Vec::as_slice)) {
            let changed = file.replace(text.as_str(), &base64(&changed));
            let found = verified(&changed);
            assert_eq!(found.fault, None, "{name}: {part}");
            assert_eq!(found.level, *expected, "{name}: {part}");
        }
    }
}

#[test]
fn a_level_is_the_one_of_the_evidence_that_holds() {
    use levels::{XADES_B_B, XADES_B_LT, XADES_B_LTA, XADES_B_T};

    let signed = HIERARCHY.signed(&HIERARCHY.ona);
    let archived = archived(&signed);
    let stamped = with_archive_timestamp(&archived);
    let by_lists = raised(&[&signed], |need| match need.kind {
        NeedKind::Revocation => {
            let issuer = HIERARCHY.issuer_of(&certificate(need));
            need.answer(Ok(revocation_list(issuer, &[], Period::fresh())))
        }
        _ => HIERARCHY.answer(need),
    });
    let by_lists = by_lists.unwrap().files.remove(0).unwrap();
    let holders = [&HIERARCHY.pki.root, &HIERARCHY.authority];
    let mut inner = holders
        .map(|holder| holder.certificate.to_der().unwrap())
        .to_vec();
    inner.push(HIERARCHY.pki.stamper().to_der().unwrap());

    assert_eq!(verified(&by_lists).level, XADES_B_LT);
    assert_eq!(verified(&stamped).level, XADES_B_LTA);
    assert_falls(&by_lists, "EncapsulatedCRLValue", &[], &[XADES_B_T; 2]);
    for file in [&archived, &stamped] {
        assert_falls(file, "EncapsulatedOCSPValue", &inner, &[XADES_B_T; 3]);
    }
    // The archive time-stamp covers the other one, and does not prove its time.
    let stamps = [XADES_B_B, XADES_B_LT];
    assert_falls(&archived, "EncapsulatedTimeStamp", &inner, &stamps[..1]);
    assert_falls(&stamped, "EncapsulatedTimeStamp", &inner, &stamps);
}

#[test]
fn what_is_missing_under_an_archive_time_stamp_is_put_behind_it() {
    let stamped = with_archive_timestamp(&HIERARCHY.signed(&HIERARCHY.ona));
    assert_eq!(verified(&stamped).level, levels::XADES_B_T);

    let archived = archived(&stamped);

    let found = verified(&archived);
    assert_eq!(found.timestamps[1].status, TimestampStatus::Intact);
    let at = |name| archived.find(name).unwrap();
    assert!(at("ArchiveTimeStamp") < at("TimeStampValidationData"));
}

/// Uses a container of DSS whose signature is complete, without its material.
#[test]
fn a_signature_that_others_made_is_raised() {
    const NAME: &str = "META-INF/signatures/signatures0.xml";

    let Some(samples) = samples() else {
        return;
    };
    let bytes = fs::read(samples.join("containers/dss__container-signed.adoc")).unwrap();
    let container = Container::read(bytes).unwrap();
    let complete = String::from_utf8(container.read(NAME).unwrap()).unwrap();
    let [before] = &container.verify().unwrap()[..] else {
        panic!("there is one signature")
    };
    let stripped = ["CertificateValues", "RevocationValues"]
        .iter()
        .fold(complete.clone(), |file, name| without(&file, name));

    let raised = raised_with(&container, &[(NAME, &stripped)], |need| {
        let held = match need.kind {
            NeedKind::Certificate => issuer_among(&before.certificates, &certificate(need)),
            _ => told_among(&before.revocation, need),
        };
        need.answer(held.ok_or("unavailable"))
    })
    .unwrap();

    let written = raised.files[0].as_deref().unwrap();
    let document = Document::parse(written.as_bytes(), &Limits::default()).unwrap();
    let verified = Verifier::new(&NativeEnvironment, &container).verify(&document);
    let verified = verified.unwrap().pop().unwrap();
    assert_eq!((verified.level, verified.fault), (before.level, None));
    assert_eq!(verified.signed_info, before.signed_info);
}

/// Removes the only element with a name from a file.
fn without(file: &str, name: &str) -> String {
    let (before, rest) = file.split_once(&format!("<xades:{name}>")).unwrap();
    let (_, after) = rest.split_once(&format!("</xades:{name}>")).unwrap();
    [before, after].concat()
}
