//! Valid signatures that violate the schemas of XML Signature and XAdES, and
//! odd ones that do not.

use parafa_fixtures::referees::Dss;
use parafa_fixtures::signed::Change;
use parafa_fixtures::signed::Identity::Ona;
use parafa_fixtures::signed::container::{ContainerSigning, SignatureTimestamp, SignedContainer};
use parafa_fixtures::signed::schemas::{BROKEN, FOREIGN_PROPERTY, OPEN};
use parafa_fixtures::{Zip, ZipMember};
use parafa_format_asice::verify;
use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment, refusal};
use parafa_zip::{Archive, Limits};

use crate::ceremony::{P256, inspected, signed_by};
use crate::signers::{Written, anchors};

const FILES: [(&str, &str, &str, &[u8]); 1] = [("a.txt", "a.txt", "text/plain", b"a")];

/// Returns a container with one modified signature.
fn signed(change: Change) -> SignedContainer {
    SignedContainer::unsigned(&FILES).sign(ContainerSigning {
        timestamp: SignatureTimestamp::Own,
        change: Some(change),
        ..ContainerSigning::by(Ona)
    })
}

fn integrity(container: &[u8]) -> Integrity {
    let evidence = verify(&NativeEnvironment, &MemoryBlob(container.to_vec()));
    let [signature] = &evidence.unwrap().signatures[..] else {
        panic!("there is one signature");
    };
    signature.integrity
}

#[test]
fn a_signature_that_breaks_its_schema_is_signed_beside_by_nobody() {
    for broken in BROKEN {
        let bytes = signed(broken.change).zip.build();

        let obstacles = inspected(&bytes).unwrap().obstacles;
        let [obstacle] = &obstacles[..] else {
            panic!("{broken:?}: {obstacles:?}");
        };
        assert_eq!(obstacle.refusal.code, refusal::CONTAINER_UNSOUND);
        // Other possible defects are reported first.
        let told = format!(": {} is not built as its schema has it: ", broken.element);
        let detail = &obstacle.refusal.detail;
        assert!(detail.contains(&told), "{broken:?}: {detail}");
        assert_eq!(integrity(&bytes), Integrity::Malformed, "{broken:?}");
    }
}

#[test]
fn a_signature_file_that_holds_more_than_signatures_is_signed_beside_by_nobody() {
    let more = SignedContainer::unsigned(&FILES)
        .sign(ContainerSigning::by(Ona))
        .replaced("META-INF/signatures0.xml", "</asic:", "<more/></asic:");
    let bytes = more.zip.build();

    let obstacles = inspected(&bytes).unwrap().obstacles;
    assert_eq!(obstacles[0].refusal.code, refusal::CONTAINER_UNSOUND);
    let detail = &obstacles[0].refusal.detail;
    assert!(detail.contains("more has no place there"), "{detail}");
    assert_eq!(integrity(&bytes), Integrity::Malformed);
}

#[test]
fn what_the_schemas_leave_open_is_signed_beside() {
    for change in OPEN.into_iter().chain([FOREIGN_PROPERTY]) {
        let bytes = signed(change).zip.build();

        assert_eq!(inspected(&bytes).unwrap().obstacles, [], "{change:?}");
        assert_eq!(integrity(&bytes), Integrity::Intact, "{change:?}");
        assert!(P256.signs(&bytes, "B-B").is_ok(), "{change:?}");
    }
}

/// Replaces a text in the only signature file; `None` if the text does not
/// occur.
fn changed(container: &[u8], (text, by): Change) -> Option<Vec<u8>> {
    let blob = MemoryBlob(container.to_vec());
    let archive = Archive::read(&blob, &Limits::default()).unwrap();
    let members = archive.members().map(|member| {
        let bytes = member.read(&NativeEnvironment, &blob, u64::MAX).unwrap();
        ZipMember::stored(&member.name, &bytes)
    });
    let mut members: Vec<_> = members.collect();
    let is_file = |member: &&mut ZipMember| member.name.starts_with(b"META-INF/signatures");
    let file = members.iter_mut().find(is_file).unwrap();
    let before = String::from_utf8(file.data.clone()).unwrap();
    let after = before.replacen(text, by, 1);
    file.data = after.clone().into_bytes();
    (after != before).then(|| Zip::of(members).build())
}

#[test]
fn what_the_reference_validator_does_not_accept_is_signed_beside_by_nobody() {
    let signed = signed_by(&[&P256], "B-T");
    let broken = BROKEN.into_iter().filter(|broken| !broken.is_signed);
    let changes = OPEN.into_iter().chain(broken.map(|broken| broken.change));
    let containers: Vec<_> = changes
        .filter_map(|change| changed(&signed, change))
        .collect();
    let obstacles = containers.iter().map(|container| {
        let report = inspected(container).unwrap();
        report.obstacles.into_iter().next()
    });
    let obstacles: Vec<_> = obstacles.collect();
    let written = Written::new(&containers, "asice");
    let Some(dss) = Dss::find(&anchors(written.path())) else {
        return;
    };

    let verdicts = dss.verdicts(&written.files, &["--level", "T"]);

    for (obstacle, verdict) in obstacles.iter().zip(&verdicts) {
        assert!(verdict.ok || obstacle.is_some(), "{verdict:#?}");
    }
    let refused = obstacles.iter().flatten().count();
    let not_accepted = verdicts.iter().filter(|verdict| !verdict.ok).count();
    assert!(
        not_accepted > refused / 2,
        "DSS does not accept {not_accepted} of {refused}"
    );
}
