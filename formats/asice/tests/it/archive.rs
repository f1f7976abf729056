//! Raises signatures of containers to level LT, as a host does.

use std::fs;

use openssl::x509::X509;
use parafa_fixtures::referees::Dss;
use parafa_fixtures::tool::samples;
use parafa_format_asice::archive;
use parafa_format_core::{
    Answer, ArchiveRequest, Archived, Integrity, MemoryBlob, MemorySink, NativeEnvironment, Need,
    NeedKind, Refusal, Step, carry_out, levels, refusal, verifications,
};
use parafa_zip::{Archive, Content, Limits, Writer};

use crate::answering::{certificate, issuer_among, subject, told_among};
use crate::ceremony::{FILES, MEDIA_TYPE, P256, P384, PKI, RSA, TIME, composed, signed_by};
use crate::issuing::good_response;
use crate::sign::{rebuilt, verified};
use crate::signers::Written;

fn request() -> ArchiveRequest {
    ArchiveRequest {
        time: TIME,
        seed: vec![9; 32],
        target_level: "B-LT".to_owned(),
        params: Vec::new(),
    }
}

/// Makes all calls, answering needs with `answer`.
fn archived_with(
    container: &[u8],
    mut answer: impl FnMut(&Need) -> Option<Vec<u8>>,
) -> Result<(Vec<u8>, Archived), Refusal> {
    let document = MemoryBlob(container.to_vec());
    carry_out(
        6,
        |answers, out| archive(&NativeEnvironment, &document, &request(), answers, out),
        |need| need.answer(answer(need).ok_or("unavailable")),
    )
}

/// Returns a sound answer for a certificate issued by the root of [`PKI`].
fn answer(need: &Need) -> Option<Vec<u8>> {
    let (certificate, root) = (certificate(need), &PKI.root);
    if !certificate.verify(&root.key).unwrap_or(false) {
        return None;
    }
    match need.kind {
        NeedKind::Certificate => root.certificate.to_der().ok(),
        _ => Some(good_response(&certificate, root, root)),
    }
}

fn read(container: &[u8]) -> (MemoryBlob, Archive) {
    let blob = MemoryBlob(container.to_vec());
    let archive = Archive::read(&blob, &Limits::default()).unwrap();
    (blob, archive)
}

/// Returns the names of entries that differ in any byte, including headers.
#[track_caller]
fn changed_entries(before: &[u8], after: &[u8]) -> Vec<String> {
    let ((_, was), (_, is)) = (read(before), read(after));
    let names = |archive: &Archive| {
        let entries = archive.entries().iter().map(|entry| entry.name.clone());
        entries.collect::<Vec<_>>()
    };
    assert_eq!(names(&was), names(&is));
    // Local headers of written entries have no extra fields.
    let bytes = |container: &[u8], archive: &Archive| {
        let entries = archive.entries().iter().map(|entry| {
            let header = 30 + entry.name.len();
            let data = usize::try_from(entry.data_offset).unwrap();
            let end = data + usize::try_from(entry.data_len).unwrap();
            container[data - header..end].to_vec()
        });
        entries.collect::<Vec<_>>()
    };
    let pairs = bytes(before, &was).into_iter().zip(bytes(after, &is));
    let changed = names(&was).into_iter().zip(pairs);
    changed
        .filter(|(_, (was, is))| was != is)
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn only_signature_files_are_written_anew() {
    let signed = signed_by(&[&RSA, &P256, &P384], "B-T");
    let deflated = rebuilt(&signed, |member| {
        if member.name == FILES[1].0.as_bytes() {
            *member = parafa_fixtures::ZipMember::deflated(FILES[1].0, FILES[1].2);
        }
    });
    for container in [signed, deflated] {
        let (archived, outcome) = archived_with(&container, answer).unwrap();

        assert_eq!(outcome.level, levels::XADES_B_LT);
        assert_eq!(outcome.media_type, MEDIA_TYPE);
        assert!(outcome.changed);
        assert_eq!(
            changed_entries(&container, &archived),
            [0, 1, 2].map(|number| format!("META-INF/signatures{number}.xml"))
        );
        let (before, after) = (verified(&container), verified(&archived));
        for (was, is) in before.signatures.iter().zip(&after.signatures) {
            assert_eq!(is.level, levels::XADES_B_LT);
            assert_eq!(is.integrity, Integrity::Intact);
            assert_eq!(
                (&was.id, &was.value, &was.signed),
                (&is.id, &is.value, &is.signed)
            );
            assert_eq!(was.timestamps, is.timestamps);
            assert_eq!(was.coverage, is.coverage);
        }
    }
}

#[test]
fn a_container_that_is_archived_stays_as_it_is() {
    let (archived, _) = archived_with(&signed_by(&[&P256], "B-T"), answer).unwrap();

    let (again, outcome) =
        archived_with(&archived, |need| panic!("{} is asked for", need.id)).unwrap();

    assert!(again.is_empty());
    assert!(!outcome.changed);
    assert_eq!(outcome.level, levels::XADES_B_LT);
}

#[test]
fn who_signs_after_archiving_is_archived_alone() {
    let (archived, _) = archived_with(&signed_by(&[&P256], "B-T"), answer).unwrap();
    let (countersigned, _) = P384.signs(&archived, "B-T").unwrap();

    let (again, outcome) = archived_with(&countersigned, answer).unwrap();

    assert_eq!(outcome.level, levels::XADES_B_LT);
    assert_eq!(
        changed_entries(&countersigned, &again),
        ["META-INF/signatures1.xml"]
    );
}

#[test]
fn what_a_certificate_lacks_is_told_with_the_signature() {
    let signed = signed_by(&[&P256, &P384], "B-T");
    let refusal = archived_with(&signed, |need| {
        let is_missing = need.kind == NeedKind::Revocation && subject(need) == "Testing TSA";
        answer(need).filter(|_| !is_missing)
    })
    .unwrap_err();

    assert_eq!(refusal.code, refusal::ARCHIVE_INCOMPLETE);
    let ids: Vec<String> = verified(&signed)
        .signatures
        .into_iter()
        .map(|signature| signature.id)
        .collect();
    let lines = ids.into_iter().map(|id| {
        format!(
            "{id}: time-stamp's chain, certificate Testing TSA: no revocation data: unavailable"
        )
    });
    assert_eq!(refusal.subjects, lines.collect::<Vec<_>>());
}

#[test]
fn what_nothing_that_is_added_would_mend_is_refused() {
    let nobody = |need: &Need| -> Option<Vec<u8>> { panic!("{} is asked for", need.id) };
    let subjects = |container: &[u8]| {
        let refusal = archived_with(container, nobody).unwrap_err();
        assert_eq!(refusal.code, refusal::ARCHIVE_INCOMPLETE);
        refusal.subjects
    };

    assert_eq!(subjects(&composed(&FILES).unwrap()), [""; 0]);
    let basic = signed_by(&[&P256], "B-B");
    let id = verified(&basic).signatures.remove(0).id;
    assert_eq!(subjects(&basic), [format!("{id}: it has no time-stamp")]);
    let changed = rebuilt(&signed_by(&[&P256], "B-T"), |member| {
        if member.name == FILES[0].0.as_bytes() {
            *member = parafa_fixtures::ZipMember::stored(FILES[0].0, b"changed");
        }
    });
    assert_eq!(
        subjects(&changed),
        [format!("{id}: it is not intact: digest-mismatch")]
    );
}

#[test]
fn whether_a_container_is_as_it_was_signed_is_found_out_before_anything_is_asked_and_once() {
    let document = MemoryBlob(signed_by(&[&P256], "B-T"));
    let verified = |answers: &[Answer]| {
        let before = verifications();
        let mut sink = MemorySink::default();
        let step = archive(
            &NativeEnvironment,
            &document,
            &request(),
            answers,
            &mut sink,
        );
        assert!(matches!(step, Ok(Step::Needs(_))));
        verifications() - before
    };
    let answered = Answer {
        need_id: "certificate:of-somebody".to_owned(),
        outcome: Err("unavailable".to_owned()),
    };

    let (first, next) = (verified(&[]), verified(&[answered]));

    assert!(0 < next && next < first, "{next}, after {first}");
}

#[test]
fn what_is_stamped_with_all_signatures_is_not_changed() {
    let signed = signed_by(&[&P256], "B-T");
    let (blob, archive) = read(&signed);
    let mut sink = MemorySink::default();
    let mut writer = Writer::append(&mut sink, TIME, &blob, &archive);
    let content = Content::Bytes(b"a token");
    writer.add("META-INF/timestamp001.tst", &content).unwrap();
    writer.finish(b"").unwrap();

    let refusal = archived_with(&sink.0, answer).unwrap_err();

    assert_eq!(refusal.code, refusal::ARCHIVE_INCOMPLETE);
    assert_eq!(
        refusal.subjects,
        ["META-INF/timestamp001.tst: it is over the signatures, so that nothing can be added"]
    );
}

/// An ASiC-E with files and signature of a container signed by DSS, and its
/// validation material.
struct Foreign {
    container: Vec<u8>,
    certificates: Vec<Vec<u8>>,
    revocation: Vec<Vec<u8>>,
}

fn foreign() -> Option<Foreign> {
    const FILES: [&str; 2] = ["sample.xml", "metadata/signableMetadata0.xml"];

    let sample = samples()?.join("containers/dss__container-signed.adoc");
    let (blob, archive) = read(&fs::read(sample).unwrap());
    let bytes = |name: &str| {
        let member = archive.member(name).unwrap();
        member.read(&NativeEnvironment, &blob, u64::MAX).unwrap()
    };
    let contents = FILES.map(&bytes);
    let files = [0, 1].map(|number| (FILES[number], "text/xml", contents[number].as_slice()));
    let unsigned = composed(&files).unwrap();
    let complete = String::from_utf8(bytes("META-INF/signatures/signatures0.xml")).unwrap();
    let with = |signature: &str| {
        let (blob, archive) = read(&unsigned);
        let mut sink = MemorySink::default();
        let mut writer = Writer::append(&mut sink, TIME, &blob, &archive);
        let content = Content::Bytes(signature.as_bytes());
        writer.add("META-INF/signatures0.xml", &content).unwrap();
        writer.finish(b"").unwrap();
        sink.0
    };
    let evidence = verified(&with(&complete));
    let stripped = ["CertificateValues", "RevocationValues"]
        .iter()
        .fold(complete, |file, name| {
            let (before, rest) = file.split_once(&format!("<xades:{name}>")).unwrap();
            let (_, after) = rest.split_once(&format!("</xades:{name}>")).unwrap();
            [before, after].concat()
        });
    Some(Foreign {
        container: with(&stripped),
        certificates: evidence.certificates,
        revocation: evidence.revocation,
    })
}

#[test]
fn a_signature_of_others_is_raised_with_one_of_ours() {
    let Some(foreign) = foreign() else {
        return;
    };
    let (countersigned, _) = P256.signs(&foreign.container, "B-T").unwrap();

    let (archived, outcome) = archived_with(&countersigned, |need| {
        answer(need).or_else(|| match need.kind {
            NeedKind::Certificate => issuer_among(&foreign.certificates, &certificate(need)),
            _ => told_among(&foreign.revocation, need),
        })
    })
    .unwrap();

    assert_eq!(outcome.level, levels::XADES_B_LT);
    let evidence = verified(&archived);
    let found: Vec<_> = evidence
        .signatures
        .iter()
        .map(|signature| (signature.level.as_str(), signature.integrity))
        .collect();
    assert_eq!(found, [(levels::XADES_B_LT, Integrity::Intact); 2]);
    assert_eq!(
        changed_entries(&countersigned, &archived),
        [0, 1].map(|number| format!("META-INF/signatures{number}.xml"))
    );
    let written = Written::new(&[countersigned, archived], "asice");
    let root = written.files[0].with_file_name("foreign.pem");
    let is_root = |der: &&Vec<u8>| {
        let certificate = X509::from_der(der).unwrap();
        certificate.subject_name().to_der().unwrap() == certificate.issuer_name().to_der().unwrap()
    };
    let foreign_root = X509::from_der(foreign.certificates.iter().find(is_root).unwrap()).unwrap();
    fs::write(&root, foreign_root.to_pem().unwrap()).unwrap();
    if let Some(dss) = Dss::find(&[root, PKI.folder().join("root.pem")]) {
        let levels = dss
            .verdicts(&written.files, &[])
            .into_iter()
            .map(|verdict| {
                let signatures = verdict.signatures.into_iter();
                signatures
                    .map(|signature| signature.level)
                    .collect::<Vec<_>>()
            });
        let levels: Vec<_> = levels.collect();
        assert_eq!(levels[0], ["XAdES-BASELINE-T"; 2]);
        assert_eq!(levels[1], ["XAdES-BASELINE-LT"; 2]);
    }
}

#[test]
fn the_reference_validator_is_content_without_a_network() {
    let signed = signed_by(&[&RSA, &P256, &P384], "B-T");
    let (archived, _) = archived_with(&signed, answer).unwrap();
    let written = Written::new(&[signed, archived], "asice");
    let Some(dss) = Dss::find(&[PKI.folder().join("root.pem")]) else {
        return;
    };

    let verdicts = dss.verdicts(&written.files, &["--level", "LT"]);

    let content: Vec<bool> = verdicts.iter().map(|verdict| verdict.ok).collect();
    assert_eq!(content, [false, true], "{verdicts:#?}");
    assert_eq!(verdicts[1].signatures.len(), 3);
}
