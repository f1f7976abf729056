use parafa_plugin_sdk::core::{MemoryBlob, NativeEnvironment};

use crate::{MEDIA_TYPE, inspect};

#[test]
fn text_is_accepted() {
    let document = MemoryBlob(b"Labas.\n".to_vec());

    let report = inspect(&NativeEnvironment, &document).unwrap();

    assert_eq!(report.media_type, MEDIA_TYPE);
    assert_eq!(report.signatures, []);
}

#[test]
fn what_is_no_text_is_refused() {
    for (document, code) in [(&b""[..], "empty"), (b"\xff", "not-text")] {
        let document = MemoryBlob(document.to_vec());

        let refusal = inspect(&NativeEnvironment, &document).unwrap_err();

        assert_eq!(refusal.code, code);
    }
}
