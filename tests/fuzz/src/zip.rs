//! Archives, as containers are read.

use parafa_fixtures::{Zip, ZipMember};
use parafa_format_core::{MemoryBlob, MemorySink, NativeEnvironment};
use parafa_zip::{Archive, Content, Limits, Writer};

use crate::target::Target;

/// The reader and the writer of archives.
///
/// Data stand inside the archive, one after the other; a member can be added
/// behind them, which is found together with those that were there.
pub const ZIP: Target = Target {
    name: "zip",
    run,
    seeds,
};

fn run(input: &[u8]) {
    let blob = MemoryBlob(input.to_vec());
    let Ok(archive) = Archive::read(&blob, &Limits::default()) else {
        return;
    };
    let mut end = 0;
    for entry in archive.entries() {
        assert!(end < entry.data_offset);
        end = entry.data_offset + entry.data_len;
    }
    assert!(end <= archive.directory_offset());
    for member in archive.members() {
        let _ = member.read(&NativeEnvironment, &blob, 64 * 1024);
    }
    let _ = archive.media_type(&NativeEnvironment, &blob);

    if archive.member("added").is_some() {
        return;
    }
    let mut sink = MemorySink::default();
    let mut writer = Writer::append(&mut sink, 0, &blob, &archive);
    let added = writer.add("added", &Content::Bytes(b"bytes"));
    if added
        .and_then(|()| writer.finish(archive.comment()))
        .is_err()
    {
        return;
    }
    let limits = Limits {
        entries: Limits::default().entries + 1,
        directory_bytes: u64::MAX,
        ..Limits::default()
    };
    let longer = Archive::read(&MemoryBlob(sink.0), &limits).expect("what was written is sound");
    assert_eq!(
        longer.entries()[..archive.entries().len()],
        *archive.entries()
    );
}

fn seeds() -> Vec<Vec<u8>> {
    let zip = Zip::of([
        ZipMember::stored("mimetype", b"application/vnd.etsi.asic-e+zip"),
        ZipMember {
            descriptor: 16,
            ..ZipMember::deflated("a/b", &b"text ".repeat(9))
        },
    ]);
    let long = Zip {
        zip64: true,
        comment: b"comment".to_vec(),
        ..zip.clone()
    };
    vec![zip.build(), long.build()]
}
