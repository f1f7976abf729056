use parafa_fixtures::{Zip, ZipMember};
use parafa_format_core::{MemoryBlob, MemorySink};
use parafa_zip::{Archive, Content, Error, Limits, Writer};
use proptest::prelude::*;

/// 2026-01-02T03:04:06Z.
const TIME: i64 = 1_767_323_046;

fn read(bytes: &[u8]) -> Archive {
    Archive::read(&MemoryBlob(bytes.into()), &Limits::default()).unwrap()
}

fn written(write: impl FnOnce(&mut MemorySink) -> Result<(), Error>) -> Vec<u8> {
    let mut sink = MemorySink::default();
    write(&mut sink).unwrap();
    sink.0
}

fn data<'a>(bytes: &'a [u8], name: &str) -> &'a [u8] {
    let archive = read(bytes);
    let member = archive.member(name).unwrap();
    let begins = usize::try_from(member.data_offset).unwrap();
    &bytes[begins..][..usize::try_from(member.data_len).unwrap()]
}

#[test]
fn a_type_in_the_first_member_stands_at_byte_38() {
    let bytes = written(|sink| {
        let mut writer = Writer::<MemoryBlob, _>::new(sink, TIME);
        writer.add("mimetype", &Content::Bytes(b"application/x"))?;
        writer.finish(b"")
    });

    assert_eq!(&bytes[..8], b"PK\x03\x04\x14\0\0\0");
    assert_eq!(&bytes[28..30], [0, 0]);
    assert_eq!(&bytes[30..51], b"mimetypeapplication/x");
}

#[test]
fn a_member_may_be_a_document_that_is_copied() {
    let source = MemoryBlob(b"a document".to_vec());
    let content = Content::Blob {
        source: &source,
        crc32: 0xe215_d084,
    };
    let bytes = written(|sink| {
        let mut writer = Writer::new(sink, TIME);
        writer.add("ąžuolas", &content)?;
        writer.finish(b"")
    });

    assert_eq!(data(&bytes, "ąžuolas"), b"a document");
    assert!(read(&bytes).notes().is_empty());
}

#[test]
fn appending_keeps_everything_before_the_directory_and_every_entry_in_it() {
    for zip64 in [false, true] {
        let mut zip = Zip::of([
            ZipMember::deflated("a", b"1111111111111111"),
            ZipMember {
                descriptor: 16,
                ..ZipMember::stored("b", b"2")
            },
        ]);
        zip.zip64 = zip64;
        zip.comment = b"comment".to_vec();
        let before = zip.build();
        let archive = read(&before);
        let bytes = written(|sink| {
            let mut writer = Writer::append(sink, TIME, &MemoryBlob(before.clone()), &archive);
            writer.add("c", &Content::Bytes(b"3"))?;
            writer.finish(archive.comment())
        });

        let directory = usize::try_from(archive.directory_offset()).unwrap();
        assert_eq!(bytes[..directory], before[..directory]);
        let after = read(&bytes);
        let has_zip64_record = |bytes: &[u8]| bytes.windows(4).any(|four| four == b"PK\x06\x06");
        assert_eq!(has_zip64_record(&before), zip64);
        assert!(!has_zip64_record(&bytes), "nothing here needs one");
        assert_eq!(after.entries()[..2], archive.entries()[..]);
        assert_eq!(data(&bytes, "c"), b"3");
        assert_eq!(after.comment(), b"comment");
    }
}

#[test]
fn a_member_is_replaced_among_others_that_stay_as_they_are() {
    for zip64 in [false, true] {
        let mut zip = Zip::of([
            ZipMember::stored("a", b"long before"),
            ZipMember::deflated("b", b"2222222222222222"),
        ]);
        zip.zip64 = zip64;
        let before = zip.build();
        let source = MemoryBlob(before.clone());
        let archive = read(&before);
        let bytes = written(|sink| {
            let mut writer = Writer::new(sink, TIME);
            writer.add("a", &Content::Bytes(b"short"))?;
            writer.keep(&source, archive.member("b").unwrap())?;
            writer.finish(b"")
        });

        assert_eq!(data(&bytes, "a"), b"short");
        assert_eq!(data(&bytes, "b"), data(&before, "b"));
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        members in proptest::collection::btree_map("[a-zą-ž]{1,9}", any::<Vec<u8>>(), 0..9),
        comment in "[a-z ]{0,20}",
        time in any::<i64>(),
    ) {
        let bytes = written(|sink| {
            let mut writer = Writer::<MemoryBlob, _>::new(sink, time);
            for (name, bytes) in &members {
                writer.add(name, &Content::Bytes(bytes))?;
            }
            writer.finish(comment.as_bytes())
        });

        let archive = read(&bytes);
        prop_assert_eq!(archive.members().count(), members.len());
        for (name, expected) in &members {
            prop_assert_eq!(data(&bytes, name), expected.as_slice());
        }
        prop_assert_eq!(archive.comment(), comment.as_bytes());
    }
}
