use parafa_fixtures::{Zip, ZipMember};
use parafa_format_core::{MemoryBlob, Refusal};
use parafa_zip::{Archive, Limits};

fn read(bytes: Vec<u8>) -> Result<Archive, Refusal> {
    Archive::read(&MemoryBlob(bytes), &Limits::default()).map_err(Refusal::from)
}

#[track_caller]
fn assert_refused(zip: &Zip, code: &str, subjects: &[&str]) {
    let refusal = read(zip.build()).unwrap_err();
    assert_eq!(
        (refusal.code.as_ref(), refusal.subjects),
        (code, subjects.iter().map(ToString::to_string).collect())
    );
}

fn two_members() -> Zip {
    Zip::of([
        ZipMember::stored("mimetype", b"text/plain"),
        ZipMember::deflated("aplankas/ąžuolas.txt", &b"leaves ".repeat(100)),
    ])
}

/// Returns two members, the second one changed.
fn with_second(change: impl FnOnce(&mut ZipMember)) -> Zip {
    let mut zip = two_members();
    change(&mut zip.members[1]);
    zip
}

#[test]
fn members_are_found_with_their_places() {
    for zip64 in [false, true] {
        for descriptor in [0, 12, 16, 20, 24] {
            let mut zip = with_second(|member| member.descriptor = descriptor);
            zip.zip64 = zip64;
            zip.comment = b"a comment".to_vec();
            let bytes = zip.build();
            let archive = read(bytes.clone()).unwrap();

            let names: Vec<_> = archive.members().map(|member| &member.name).collect();
            assert_eq!(names, ["mimetype", "aplankas/ąžuolas.txt"]);
            let first = archive.member("mimetype").unwrap();
            let begins = usize::try_from(first.data_offset).unwrap();
            assert_eq!(&bytes[begins..begins + 10], b"text/plain");
            let second = archive.member("aplankas/ąžuolas.txt").unwrap();
            assert!(second.deflated && second.size == 700 && second.data_len < 700);
            assert_eq!(archive.comment(), b"a comment");
            assert!(archive.notes().is_empty());
        }
    }
}

#[test]
fn a_local_header_with_a_descriptor_may_tell_the_true_size_alone() {
    let told = |size| {
        with_second(|member| {
            member.descriptor = 16;
            member.local_size = Some(size);
        })
    };

    assert!(read(told(700).build()).is_ok());
    assert_refused(&told(701), "zip-ambiguous", &["aplankas/ąžuolas.txt"]);
}

#[test]
fn an_archive_without_members_is_one() {
    assert_eq!(read(Zip::default().build()).unwrap().entries().len(), 0);
}

#[test]
fn folders_are_entries_and_no_members() {
    let zip = Zip::of([ZipMember::stored("a/", b""), ZipMember::stored("a/b", b"1")]);
    let archive = read(zip.build()).unwrap();

    assert_eq!(archive.entries().len(), 2);
    assert_eq!(archive.members().count(), 1);
}

#[test]
fn names_that_differ_in_case_only_are_told_of() {
    let zip = Zip::of([
        ZipMember::stored("a.txt", b"1"),
        ZipMember::stored("A.txt", b"2"),
    ]);

    assert_eq!(read(zip.build()).unwrap().notes()[0].code, "name-collision");
}

#[test]
fn a_name_in_utf_8_that_does_not_say_so_is_told_of() {
    let mut bytes = Zip::of([ZipMember::stored("ą", b"1")]).build();
    for record in [b"PK\x03\x04".as_slice(), b"PK\x01\x02"] {
        let at = bytes
            .windows(4)
            .position(|window| window == record)
            .unwrap();
        let flags = if record[2] == 3 { at + 7 } else { at + 9 };
        bytes[flags] = 0;
    }

    assert_eq!(read(bytes).unwrap().notes()[0].code, "name-encoding");
}

#[test]
fn what_is_no_archive_is_refused() {
    for bytes in [b"".as_slice(), b"%PDF-1.7", &[0; 100]] {
        assert_eq!(read(bytes.into()).unwrap_err().code, "not-a-zip");
    }
}

#[test]
fn bytes_before_and_behind_an_archive_are_refused() {
    let bytes = two_members().build();

    let behind = [bytes.as_slice(), b"x"].concat();
    assert_eq!(read(behind).unwrap_err().code, "zip-ambiguous");
    let before = [b"x", bytes.as_slice()].concat();
    assert_eq!(read(before).unwrap_err().code, "zip-ambiguous");
    let mut counted = two_members();
    counted.members[0].before = b"MZ".to_vec();
    assert_refused(&counted, "zip-ambiguous", &[]);
}

#[test]
fn an_archive_that_is_cut_short_is_refused() {
    let bytes = two_members().build();
    for len in 0..bytes.len() {
        assert!(read(bytes[..len].to_vec()).is_err(), "{len} bytes");
    }
}

#[test]
fn an_archive_in_the_comment_of_another_is_refused() {
    let mut zip = two_members();
    zip.comment = Zip::of([ZipMember::stored("b", b"2")]).build();

    assert_refused(&zip, "zip-ambiguous", &[]);
}

#[test]
fn a_stored_archive_is_a_member_like_others() {
    let inner = Zip::of([ZipMember::stored("b", b"2")]).build();
    let zip = Zip::of([ZipMember::stored("inner.zip", &inner)]);

    assert_eq!(read(zip.build()).unwrap().members().count(), 1);
}

#[test]
fn bytes_between_entries_are_refused() {
    assert_refused(
        &with_second(|member| member.before = b"hidden".to_vec()),
        "zip-ambiguous",
        &[],
    );
}

#[test]
fn entries_that_share_data_are_refused() {
    let zip = with_second(|member| {
        member.name = b"mimetype2".to_vec();
        member.offset = Some(0);
    });

    assert!(read(zip.build()).is_err());
}

#[test]
fn a_local_header_that_contradicts_the_directory_is_refused() {
    const NAME: &[&str] = &["aplankas/ąžuolas.txt"];

    let name = with_second(|member| member.local_name = Some("aplankas/azuolas_.txt".into()));
    assert_refused(&name, "zip-ambiguous", NAME);
    let size = with_second(|member| member.local_size = Some(1));
    assert_refused(&size, "zip-ambiguous", NAME);
}

#[test]
fn a_member_with_another_name_for_some_readers_is_refused() {
    let unicode_path = b"\x75\x70\x06\x00\x01\x00\x00\x00\x00b";
    let zip = with_second(|member| member.local_extra = unicode_path.to_vec());
    assert_refused(&zip, "zip-ambiguous", &[]);
    assert!(read(with_second(|member| member.extra = unicode_path.to_vec()).build()).is_err());
}

#[test]
fn encrypted_members_are_refused() {
    let zip = with_second(|member| member.flags = 1);
    assert_refused(&zip, "encrypted", &["aplankas/ąžuolas.txt"]);
}

#[test]
fn methods_other_than_deflate_are_refused() {
    let zip = with_second(|member| member.method = Some(12));
    assert_refused(&zip, "zip-method", &["aplankas/ąžuolas.txt"]);
}

#[test]
fn symbolic_links_are_refused() {
    let zip = with_second(|member| member.attributes = 0o120_777 << 16);
    assert_refused(&zip, "zip-special-file", &["aplankas/ąžuolas.txt"]);
    let regular = with_second(|member| member.attributes = 0o100_644 << 16);
    assert!(read(regular.build()).is_ok());
}

#[test]
fn names_that_lead_out_are_refused_all_at_once() {
    let zip = Zip::of(["../a", "b", "/c", "C:d"].map(|name| ZipMember::stored(name, b"")));
    assert_refused(&zip, "member-name", &["../a", "/c", "C:d"]);
}

#[test]
fn a_name_that_is_not_utf_8_is_refused() {
    let zip = with_second(|member| member.name = vec![0xff, b'a']);
    assert_refused(&zip, "member-name", &["\u{fffd}a"]);
}

#[test]
fn long_names_are_refused() {
    let zip = Zip::of([ZipMember::stored(&"a".repeat(1025), b"")]);
    assert_eq!(read(zip.build()).unwrap_err().code, "member-name");
}

#[test]
fn two_members_of_one_name_are_refused() {
    let zip = Zip::of(["a", "b", "a"].map(|name| ZipMember::stored(name, b"")));
    assert_refused(&zip, "duplicate-member", &["a"]);
    let folder = Zip::of(["a", "a/"].map(|name| ZipMember::stored(name, b"")));
    assert_refused(&folder, "duplicate-member", &["a/"]);
}

#[test]
fn more_members_than_anybody_signs_are_refused() {
    let members = |count: usize| {
        let names = (0..count).map(|number| ZipMember::stored(&format!("{number}"), b""));
        Zip::of(names.collect::<Vec<_>>())
    };

    assert!(read(members(1000).build()).is_ok());
    assert_refused(&members(1001), "too-many-members", &[]);
}

#[test]
fn a_member_that_inflates_without_measure_is_refused() {
    let zip = Zip::of([ZipMember::deflated("a", &vec![0; 2 * 1024 * 1024])]);
    assert_refused(&zip, "decompression-bomb", &[]);
    let small = Zip::of([ZipMember::deflated("a", &vec![0; 1024 * 1024])]);
    assert!(read(small.build()).is_ok());
}

#[test]
fn members_beyond_the_limit_are_refused_by_what_they_declare() {
    let zip = with_second(|member| member.size = Some(201 * 1024 * 1024));
    assert_refused(&zip, "decompression-bomb", &[]);
}
