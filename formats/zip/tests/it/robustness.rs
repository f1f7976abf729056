use parafa_fixtures::{Zip, ZipMember};
use parafa_format_core::MemoryBlob;
use parafa_zip::{Archive, Limits};
use proptest::prelude::*;

fn sound(zip64: bool) -> Vec<u8> {
    let mut zip = Zip::of([
        ZipMember::stored("mimetype", b"application/x"),
        ZipMember {
            descriptor: 16,
            ..ZipMember::deflated("a/b", b"bbbbbbbbbbbbbbb")
        },
    ]);
    zip.zip64 = zip64;
    zip.build()
}

/// Asserts that all data is inside the file and in sequence.
fn assert_consistent(bytes: Vec<u8>) {
    let len = bytes.len() as u64;
    let Ok(archive) = Archive::read(&MemoryBlob(bytes), &Limits::default()) else {
        return;
    };
    let mut end = 0;
    for entry in archive.entries() {
        assert!(end < entry.data_offset);
        end = entry.data_offset + entry.data_len;
    }
    assert!(end <= archive.directory_offset() && archive.directory_offset() <= len);
}

proptest! {
    #[test]
    fn no_bytes_confuse_it(bytes in any::<Vec<u8>>()) {
        assert_consistent(bytes);
    }

    #[test]
    fn no_changed_archive_confuses_it(
        zip64 in any::<bool>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = sound(zip64);
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        assert_consistent(bytes);
    }
}
