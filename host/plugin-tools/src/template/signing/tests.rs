#[test]
fn a_signature_that_cannot_be_read_is_one_all_the_same() {
    let document = b"Labas.\nSigned: 7\n-----BEGIN CMS-----\nAAAA\n-----END CMS-----\n";
    let document = MemoryBlob(document.to_vec());

    let report = inspect(&NativeEnvironment, &document).unwrap();

    assert_eq!(report.signatures.len(), 1);
    assert_eq!(report.signatures[0].claimed_time, Some(7));
}
