use parafa_format_asice::{extract, members, rehearse};
use parafa_format_core::{
    DeriveRequest, MemberRole, MemoryBlob, MemorySink, NativeEnvironment, Operation, refusal,
};
use proptest::prelude::*;

use crate::ceremony::{FILES, MEDIA_TYPE, P256, TIME, composed, inspected, signed_by};
use crate::sign::verified;

pub(crate) fn rehearsed(container: &[u8]) -> Vec<u8> {
    let request = DeriveRequest {
        time: TIME,
        seed: vec![9; 32],
        params: Vec::new(),
    };
    let mut sink = MemorySink::default();
    let document = MemoryBlob(container.to_vec());
    let made = rehearse(&NativeEnvironment, &document, &request, &mut sink).unwrap();
    assert_eq!(made.media_type, MEDIA_TYPE);
    sink.0
}

#[test]
fn files_are_found_again_under_their_names_the_first_as_the_main_one() {
    let container = MemoryBlob(composed(&FILES).unwrap());
    let members = members(&NativeEnvironment, &container).unwrap();

    assert_eq!(members.len(), FILES.len());
    for (place, (member, (name, media_type, bytes))) in members.iter().zip(FILES).enumerate() {
        assert_eq!([&member.id, &member.name], [name, name]);
        assert_eq!(member.media_type, media_type);
        assert_eq!(member.size, bytes.len() as u64);
        let is_main = member.role == MemberRole::Main;
        assert_eq!(is_main, place == 0);
        let mut sink = MemorySink::default();
        extract(&NativeEnvironment, &container, &member.id, &mut sink).unwrap();
        assert_eq!(sink.0, bytes);
    }
}

#[test]
fn what_is_no_file_of_a_container_is_not_taken_out() {
    let container = MemoryBlob(composed(&FILES).unwrap());
    for id in ["mimetype", "META-INF/manifest.xml", "absent", ""] {
        let refused = extract(
            &NativeEnvironment,
            &container,
            id,
            &mut MemorySink::default(),
        );
        assert_eq!(refused.unwrap_err().code, refusal::NO_SUCH_MEMBER);
    }
}

#[test]
fn a_container_states_its_type_at_byte_38_and_asks_for_a_first_signature() {
    let container = composed(&FILES).unwrap();

    assert_eq!(
        &container[30..69],
        format!("mimetype{MEDIA_TYPE}").as_bytes()
    );
    let report = inspected(&container).unwrap();
    assert_eq!(report.media_type, MEDIA_TYPE);
    assert_eq!(report.notes, []);
    let obstacle = &report.obstacles[0];
    assert_eq!(obstacle.operation, Operation::Sign);
    assert_eq!(obstacle.refusal.code, refusal::CONTAINER_UNSIGNED);
    assert!(P256.signs(&container, "B-B").is_ok());
}

fn file(name: &str) -> (&str, &str, &[u8]) {
    (name, "text/plain", b"a")
}

#[test]
fn files_that_make_no_container_are_refused_all_at_once() {
    let refused = |files: &[(&str, &str, &[u8])], code: &str| {
        let refusal = composed(files).unwrap_err();
        assert_eq!(refusal.code, code, "{refusal}");
        refusal.subjects
    };

    refused(&[], "too-many-members");
    let names: Vec<String> = (0..21).map(|number| number.to_string()).collect();
    let many: Vec<_> = names.iter().map(|name| file(name)).collect();
    refused(&many, "too-many-members");
    assert!(composed(&many[1..]).is_ok());
    let long = "a".repeat(1025);
    let unusable = [
        "",
        "/a",
        "../a",
        "a/",
        "a\\b",
        "a\nb",
        "C:a",
        "mimetype",
        "Mimetype",
        "META-INF/a",
        "meta-inf/a",
        "META-INF",
        "META-INF2/relations.xml",
        "a\u{ffff}",
        &long,
    ];
    let files: Vec<_> = unusable.into_iter().map(file).collect();
    assert_eq!(refused(&files, "member-name"), unusable);
    let twice = [file("a"), file("b"), file("a"), file("b")];
    assert_eq!(refused(&twice, "duplicate-member"), ["a", "b"]);
    let empty = [file("a"), ("b", "text/plain", &[][..])];
    assert_eq!(refused(&empty, "empty-member"), ["b"]);
    let untyped = [
        ("a", "", &b"a"[..]),
        ("b", "text", b"a"),
        ("c", "a/ b", b"a"),
    ];
    assert_eq!(refused(&untyped, refusal::BAD_REQUEST), ["a", "b", "c"]);
    let half = vec![0; 32 * 1024 * 1024];
    let long = [("a", "t/p", half.as_slice()), ("b", "t/p", &half)];
    refused(&long, refusal::DOCUMENT_TOO_LONG);
    assert!(composed(&long[..1]).is_ok());
}

#[test]
fn an_unsigned_container_says_in_its_comment_that_it_is_one() {
    let container = composed(&FILES).unwrap();
    let rehearsal = rehearsed(&container);

    let shown = String::from_utf8_lossy(&rehearsal);
    assert!(shown.ends_with("NEPASIRAŠYTA · UNSIGNED: this container carries no signature."));
    assert_eq!(verified(&rehearsal).signatures, []);
    assert_eq!(rehearsed(&rehearsal), rehearsal);
}

#[test]
fn a_signed_container_is_rehearsed_to_itself() {
    let signed = signed_by(&[&P256], "B-B");
    assert_eq!(rehearsed(&signed), signed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_composed_is_taken_and_can_be_signed(
        files in prop::collection::btree_map("\\PC{1,12}", "[a-z]{1,8}/[a-z+.-]{1,8}", 1..6),
        bytes in prop::collection::vec(any::<u8>(), 1..99),
    ) {
        let files: Vec<_> = files
            .iter()
            .map(|(name, media_type)| (name.as_str(), media_type.as_str(), bytes.as_slice()))
            .collect();
        let Ok(container) = composed(&files) else {
            return Ok(());
        };
        prop_assert!(inspected(&container).is_ok());
        let (signed, _) = P256.signs(&container, "B-B").unwrap();
        prop_assert_eq!(inspected(&signed).unwrap().obstacles, vec![]);
    }
}
