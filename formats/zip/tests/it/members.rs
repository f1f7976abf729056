use parafa_fixtures::{Zip, ZipMember};
use parafa_format_core::{
    DigestAlgorithm, Environment, MemoryBlob, MemorySink, NativeEnvironment, Part,
};
use parafa_zip::{Archive, Error, Limits};

const TEXT: &[u8] = b"a text, a text, a text, a text, a text";

struct Opened {
    blob: MemoryBlob,
    archive: Archive,
}

fn open(zip: &Zip) -> Opened {
    let blob = MemoryBlob(zip.build());
    let archive = Archive::read(&blob, &Limits::default()).unwrap();
    Opened { blob, archive }
}

impl Opened {
    fn read(&self, most: u64) -> Result<Vec<u8>, Error> {
        self.archive.entries()[0].read(&NativeEnvironment, &self.blob, most)
    }

    fn media_type(&self) -> Result<(String, Vec<String>), Error> {
        let (media_type, notes) = self.archive.media_type(&NativeEnvironment, &self.blob)?;
        let codes = notes
            .into_iter()
            .map(|note| note.code.into_owned())
            .collect();
        Ok((media_type, codes))
    }
}

fn both() -> [ZipMember; 2] {
    [ZipMember::stored("a", TEXT), ZipMember::deflated("a", TEXT)]
}

#[test]
fn members_are_read_digested_checked_and_extracted() {
    for member in both() {
        let opened = open(&Zip::of([member]));
        let entry = &opened.archive.entries()[0];
        let (environment, blob) = (&NativeEnvironment, &opened.blob);

        assert_eq!(opened.read(100).unwrap(), TEXT);
        let expected = environment.digest(DigestAlgorithm::Sha384, &[Part::Bytes(TEXT)]);
        assert_eq!(
            entry.digest(environment, blob, DigestAlgorithm::Sha384),
            Ok(expected)
        );
        assert_eq!(entry.check(environment, blob), Ok(()));
        let mut sink = MemorySink::default();
        entry.extract(blob, &mut sink).unwrap();
        assert_eq!(sink.0, TEXT);
    }
}

#[test]
fn a_member_with_another_checksum_is_damaged() {
    for member in both() {
        let opened = open(&Zip::of([ZipMember {
            crc32: Some(1),
            ..member
        }]));

        assert_eq!(opened.read(100).unwrap_err().code(), "member-damaged");
        let checked = opened.archive.entries()[0].check(&NativeEnvironment, &opened.blob);
        assert_eq!(checked.unwrap_err().code(), "member-damaged");
    }
}

#[test]
fn a_member_that_inflates_to_another_size_is_damaged() {
    for size in [1, 37, 39] {
        let member = ZipMember {
            size: Some(size),
            ..ZipMember::deflated("a", TEXT)
        };
        let opened = open(&Zip::of([member]));
        let entry = &opened.archive.entries()[0];

        assert_eq!(opened.read(100).unwrap_err().code(), "member-damaged");
        assert!(
            entry
                .digest(&NativeEnvironment, &opened.blob, DigestAlgorithm::Sha256)
                .is_err()
        );
        assert!(
            entry
                .extract(&opened.blob, &mut MemorySink::default())
                .is_err()
        );
    }
}

#[test]
fn no_more_is_read_than_was_asked_for() {
    let opened = open(&Zip::of([ZipMember::stored("a", TEXT)]));
    assert_eq!(opened.read(37).unwrap_err().code(), "member-too-long");
}

#[test]
fn the_media_type_of_a_container_is_its_first_member() {
    let opened = open(&Zip::of([ZipMember::stored("mimetype", b"application/x")]));
    assert_eq!(
        opened.media_type().unwrap(),
        ("application/x".into(), vec![])
    );
}

#[test]
fn what_is_odd_about_the_media_type_is_told() {
    let odd = Zip::of([
        ZipMember::stored("a", b""),
        ZipMember {
            local_extra: b"\xfe\xca\x00\x00".to_vec(),
            ..ZipMember::deflated("mimetype", "\u{feff}Application/X\r\n".as_bytes())
        },
    ]);
    let codes = [
        "mimetype-not-first",
        "mimetype-compressed",
        "mimetype-extra-field",
        "mimetype-padded",
    ];

    let (media_type, notes) = open(&odd).media_type().unwrap();
    assert_eq!(media_type, "application/x");
    assert_eq!(notes, codes);
}

#[test]
fn a_container_without_a_media_type_is_refused() {
    for zip in [
        Zip::default(),
        Zip::of([ZipMember::stored("mimetype", b"zip")]),
        Zip::of([ZipMember::stored("mimetype", b"\xff\xfe\x61\x00/\x00")]),
        Zip::of([ZipMember::stored("mimetype", b"")]),
    ] {
        assert_eq!(open(&zip).media_type().unwrap_err().code(), "mimetype");
    }
}
