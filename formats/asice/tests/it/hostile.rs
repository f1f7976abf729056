//! Invalid containers, sound ones with oddities, and containers that exceed
//! limits. The conformance cases cover the rest.

use parafa_fixtures::cases;
use parafa_fixtures::signed::Identity::{Jonas, Ona};
use parafa_fixtures::signed::container::{ContainerSigning, SignedContainer, manifest};
use parafa_fixtures::{Zip, ZipMember};
use parafa_format_asice::{members, verify};
use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment, Operation, refusal};

use crate::ceremony::{MEDIA_TYPE, P256, P384, TIME, composed, inspected};

const FILES: [(&str, &str, &str, &[u8]); 1] = [("a.txt", "a.txt", "text/plain", b"a")];

/// Returns one signed file.
fn signed() -> SignedContainer {
    SignedContainer::unsigned(&FILES).sign(ContainerSigning::by(Ona))
}

fn refused(container: &SignedContainer) -> (String, Vec<String>) {
    let refusal = inspected(&container.zip.build()).unwrap_err();
    (refusal.code.into_owned(), refusal.subjects)
}

#[test]
fn a_refusal_names_every_member_concerned() {
    let unlisted = signed()
        .and(ZipMember::stored("b.txt", b"b"))
        .and(ZipMember::stored("c.txt", b"c"));
    let unsound = refusal::CONTAINER_UNSOUND.to_owned();
    assert_eq!(
        refused(&unlisted),
        (
            unsound.clone(),
            vec!["b.txt".to_owned(), "c.txt".to_owned()]
        )
    );

    let absent = manifest([("a.txt", "text/plain"), ("b.txt", "t/p"), ("c.txt", "t/p")]);
    let absent = signed().with("META-INF/manifest.xml", |member| {
        member.data = absent.into_bytes();
    });
    assert_eq!(
        refused(&absent),
        (unsound, vec!["b.txt".to_owned(), "c.txt".to_owned()])
    );
}

#[test]
fn another_format_is_named_for_the_host_to_ask() {
    let adoc = "application/vnd.lt.archyvai.adoc-2008";
    let container = signed().with("mimetype", |member| member.data = adoc.into());
    assert_eq!(
        refused(&container),
        (refusal::OTHER_FORMAT.to_owned(), vec![adoc.to_owned()])
    );
}

#[test]
fn members_of_meta_inf_may_be_named_by_the_manifest_and_are_no_files() {
    let names = [
        ("a.txt", "text/plain"),
        ("META-INF/", ""),
        ("META-INF/signatures0.xml", "text/xml"),
        ("mimetype", "text/plain"),
    ];
    let container = signed().with("META-INF/manifest.xml", |member| {
        member.data = manifest(names).into_bytes();
    });
    let bytes = container.zip.build();

    assert_eq!(inspected(&bytes).unwrap().obstacles, []);
    let members = members(&NativeEnvironment, &MemoryBlob(bytes)).unwrap();
    assert_eq!(members.len(), 1);
}

#[test]
fn a_media_type_of_no_known_form_is_told_as_any_and_not_signed() {
    for (media_type, told) in [
        ("text/plain; a=b c", "application/octet-stream"),
        ("", "application/octet-stream"),
        ("text/x-any", "text/x-any"),
    ] {
        let files = [("a.txt", "a.txt", media_type, &b"a"[..])];
        let bytes = SignedContainer::unsigned(&files).zip.build();
        let members = members(&NativeEnvironment, &MemoryBlob(bytes.clone())).unwrap();
        assert_eq!(members[0].media_type, told);
        let signs = P256.signs(&bytes, "B-B");
        match signs.map_err(|refusal| refusal.code) {
            Ok((signed, _)) => {
                assert_eq!(media_type, told);
                assert_eq!(inspected(&signed).unwrap().obstacles, []);
            }
            Err(code) => {
                assert_ne!(media_type, told);
                assert_eq!(code, refusal::CONTAINER_UNSOUND);
            }
        }
    }
}

#[test]
fn a_copied_signature_is_told_once_and_verified_each_time() {
    let copy = ZipMember {
        name: b"META-INF/signatures1.xml".to_vec(),
        ..signed().zip.members.pop().unwrap()
    };
    let bytes = signed().and(copy).zip.build();

    let report = inspected(&bytes).unwrap();
    assert_eq!(report.signatures.len(), 1);
    let evidence = verify(&NativeEnvironment, &MemoryBlob(bytes.clone())).unwrap();
    assert_eq!(evidence.signatures.len(), 2);
    let (_, outcome) = P256.signs(&bytes, "B-B").unwrap();
    assert!(
        outcome
            .signature_id
            .starts_with("META-INF/signatures2.xml#")
    );
}

#[test]
fn what_one_signer_added_another_one_may_sign() {
    let files = [FILES[0], ("b.txt", "b.txt", "text/plain", b"b")];
    let bytes = SignedContainer::unsigned(&files)
        .sign(ContainerSigning {
            files: 1,
            ..ContainerSigning::by(Ona)
        })
        .sign(ContainerSigning::by(Jonas))
        .zip
        .build();

    let report = inspected(&bytes).unwrap();
    assert_eq!(report.obstacles, []);
    let evidence = verify(&NativeEnvironment, &MemoryBlob(bytes)).unwrap();
    let covered = evidence.signatures.iter();
    let covered: Vec<_> = covered.map(|one| one.coverage.members.clone()).collect();
    assert_eq!(covered[0], ["a.txt"]);
    assert_eq!(covered[1], ["a.txt", "b.txt"]);
}

fn obstacle(bytes: &[u8]) -> Option<String> {
    let report = inspected(bytes).unwrap();
    let obstacle = report.obstacles.into_iter().next()?;
    assert_eq!(obstacle.operation, Operation::Sign);
    let refused = P256.signs(bytes, "B-B").unwrap_err();
    assert_eq!(refused, obstacle.refusal, "sign answers its obstacle");
    Some(obstacle.refusal.code.into_owned())
}

#[test]
fn a_container_without_room_for_a_signature_says_so_before_anybody_signs() {
    let with_entries = |entries: usize| {
        let mut container = signed();
        let more = entries - container.zip.members.len();
        let empty = (0..more).map(|number| ZipMember::stored(&format!("META-INF/{number}"), b""));
        container.zip.members.extend(empty);
        container.zip.build()
    };
    assert_eq!(obstacle(&with_entries(999)), None);
    let most = with_entries(1000);
    assert_eq!(obstacle(&most).as_deref(), Some(refusal::DOCUMENT_TOO_LONG));
    let report = inspected(&most).unwrap();
    let detail = &report.obstacles[0].refusal.detail;
    assert!(detail.contains("1000 of at most 1000 entries"), "{detail}");

    let crowd = |signatures| {
        let signings = (0..signatures).map(|_| ContainerSigning::by(Ona));
        let container = signings.fold(SignedContainer::unsigned(&FILES), SignedContainer::sign);
        container.zip.build()
    };
    assert_eq!(obstacle(&crowd(127)), None);
    assert_eq!(
        obstacle(&crowd(128)).as_deref(),
        Some(refusal::DOCUMENT_TOO_LONG)
    );
    let refused = inspected(&crowd(129)).unwrap_err();
    assert_eq!(refused.code, refusal::TOO_MUCH_TO_VERIFY);
}

#[test]
fn signature_files_that_are_too_long_together_are_not_verified() {
    let mut container = signed();
    for number in 1..4 {
        let padding = vec![b' '; 3 * 1024 * 1024];
        let signature = container.zip.members[3].data.clone();
        let name = format!("META-INF/signatures{number}.xml");
        let member = ZipMember::stored(&name, &[signature, padding].concat());
        container.zip.members.push(member);
    }
    let refused = inspected(&container.zip.build()).unwrap_err();
    assert_eq!(refused.code, refusal::TOO_MUCH_TO_VERIFY);
}

#[test]
fn members_are_not_inflated_for_digests_without_end() {
    const MEMBERS: usize = 10;

    let large = vec![b'a'; 15 * 1024 * 1024];
    let files: Vec<_> = (0..MEMBERS).map(|number| format!("{number}.txt")).collect();
    let named = files.iter().map(|name| (name.as_str(), "text/plain"));
    let manifest = manifest(named.chain([("noise", "t/p")]));
    let noise = parafa_fixtures::noise(2 * 1024 * 1024, 1);
    let mut members = vec![
        ZipMember::stored("mimetype", MEDIA_TYPE.as_bytes()),
        ZipMember::stored("META-INF/manifest.xml", manifest.as_bytes()),
        ZipMember::stored("noise", &noise),
    ];
    members.extend(files.iter().map(|name| ZipMember::deflated(name, &large)));
    let bytes = Zip::of(members).build();

    let (signed, _) = P256.signs(&bytes, "B-B").unwrap();
    assert_eq!(inspected(&signed).unwrap().obstacles, []);
    // Another digest would inflate everything again.
    let refused = P384.signs(&signed, "B-B").unwrap_err();
    assert_eq!(refused.code, refusal::TOO_MUCH_TO_VERIFY);
}

#[test]
fn times_that_cannot_be_written_are_refused() {
    let container = composed(&[("a", "t/p", b"a")]).unwrap();
    let document = MemoryBlob(container);
    let mut request = P256.request("B-B", &["a".to_owned()]);
    request.time = -TIME;
    let mut sink = parafa_format_core::MemorySink::default();
    let step = parafa_format_asice::sign(&NativeEnvironment, &document, &request, &[], &mut sink);
    assert_eq!(step.unwrap_err().code, refusal::BAD_REQUEST);
}

/// Every conformance case, in-process: no panic, and the same answer twice.
#[test]
fn every_case_gets_the_same_answer_twice() {
    let own = cases::all().filter(|case| case.folder.starts_with("asice/"));
    let own = own.filter(|case| case.document.len() < cases::KEPT_BYTES);
    let mut count = 0;
    for case in own {
        count += 1;
        let first = inspected(&case.document);
        assert_eq!(first, inspected(&case.document), "{}", case.folder);
    }
    assert!(count > 50, "{count} cases");
}

#[test]
fn nobody_signs_beside_a_signature_that_can_be_made_to_fit() {
    let sha_1 = SignedContainer::unsigned(&FILES).sign(ContainerSigning {
        is_weak: true,
        ..ContainerSigning::by(Ona)
    });
    let method = "http://www.w3.org/2001/04/xmldsig-more#";
    let md5 = signed().sign(ContainerSigning::by(Jonas)).replaced(
        "META-INF/signatures1.xml",
        &format!("{method}ecdsa-sha256"),
        &format!("{method}rsa-md5"),
    );

    for (container, algorithm) in [(sha_1, "ecdsa-sha1"), (md5, "rsa-md5")] {
        let bytes = container.zip.build();
        let unsound = Some(refusal::CONTAINER_UNSOUND);
        assert_eq!(obstacle(&bytes).as_deref(), unsound, "{algorithm}");
        let report = inspected(&bytes).unwrap();
        let detail = &report.obstacles[0].refusal.detail;
        assert!(detail.contains(algorithm), "{detail}");
    }
}

#[test]
fn a_signature_with_a_list_of_further_digests_is_not_signed_beside() {
    let listing = signed().replaced(
        "META-INF/signatures0.xml",
        "</ds:Signature>",
        "<ds:Object><ds:Manifest><ds:Reference URI=\"a.txt\"><ds:DigestMethod Algorithm=\"urn:a\"/>\
         <ds:DigestValue>AA==</ds:DigestValue></ds:Reference></ds:Manifest></ds:Object></ds:Signature>",
    );

    let bytes = listing.zip.build();
    let unsound = Some(refusal::CONTAINER_UNSOUND);
    assert_eq!(obstacle(&bytes).as_deref(), unsound);
    let evidence = verify(&NativeEnvironment, &MemoryBlob(bytes));
    let evidence = evidence.unwrap().signatures;
    assert_eq!(evidence[0].integrity, Integrity::Intact);
}

#[test]
fn a_file_in_meta_inf_that_others_show_and_nobody_signs_is_refused() {
    let name = "META-INF/priedas.pdf";
    let listed = manifest([("a.txt", "text/plain"), (name, "application/pdf")]);
    let container =
        signed()
            .and(ZipMember::stored(name, b"%PDF"))
            .with("META-INF/manifest.xml", |member| {
                member.data = listed.into_bytes();
            });

    let unsound = refusal::CONTAINER_UNSOUND.to_owned();
    assert_eq!(refused(&container), (unsound, vec![name.to_owned()]));
}

#[test]
fn a_member_named_as_signatures_of_another_kind_is_refused() {
    let name = "META-INF/signatures1.txt";
    let container = signed().and(ZipMember::stored(name, b"<a/>"));

    let unsound = refusal::CONTAINER_UNSOUND.to_owned();
    assert_eq!(refused(&container), (unsound, vec![name.to_owned()]));
}
