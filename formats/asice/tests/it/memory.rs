//! Data of a container that is loaded into a plugin's memory.

use parafa_fixtures::signed::container::manifest;
use parafa_fixtures::{Zip, ZipMember, noise};
use parafa_format_asice::{inspect, members, sign, verify};
use parafa_format_core::{Blob, MemoryBlob, NativeEnvironment, bytes_read};

use crate::ceremony::{MEDIA_TYPE, P256};

/// Returns a stored and a deflated member, 15 MiB.
fn large() -> Vec<u8> {
    const HALF: usize = 7_800_000;

    let named = manifest([("a.bin", "t/p"), ("b.bin", "t/p")]);
    Zip::of([
        ZipMember::stored("mimetype", MEDIA_TYPE.as_bytes()),
        ZipMember::stored("META-INF/manifest.xml", named.as_bytes()),
        ZipMember::stored("a.bin", &noise(HALF, 1)),
        ZipMember::deflated("b.bin", &noise(HALF, 2)),
    ])
    .build()
}

#[test]
fn files_are_hashed_where_they_are() {
    const MOST_READ: u64 = 512 * 1024;

    let document = MemoryBlob(large());
    let request = P256.request("B-B", &["a.bin".to_owned(), "b.bin".to_owned()]);
    let before = bytes_read();
    let (signed, _) = P256
        .answers(|answers, out| sign(&NativeEnvironment, &document, &request, answers, out))
        .unwrap();
    let signed = MemoryBlob(signed);
    assert_eq!(inspect(&NativeEnvironment, &signed).unwrap().obstacles, []);
    assert_eq!(members(&NativeEnvironment, &signed).unwrap().len(), 2);
    assert_eq!(
        verify(&NativeEnvironment, &signed)
            .unwrap()
            .signatures
            .len(),
        1
    );
    let read = bytes_read() - before;

    assert!(document.len() > 15_000_000);
    // Each of the five calls reads the tail to find the end record.
    assert!(read < MOST_READ, "{read} bytes were read");
}
