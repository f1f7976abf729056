//! Log in JSON, for operators' programs.

use std::io;

use parafa_platform::{PlatformError, log_failure};
use parafa_store::bytes::ByteFileError;
use serde_json::{Value, json};

use super::support::Log;

#[test]
fn a_line_in_json_says_which_file_failed_and_with_which_error_number() {
    let log = Log::in_json();
    let full = PlatformError::from(ByteFileError::Io {
        action: "write",
        path: "/data/bytes/a".to_owned(),
        source: io::Error::from_raw_os_error(28),
    });

    log_failure(&full, "a document is not stored");
    tracing::warn!("nothing failed");

    let written = log.take();
    let lines = written.lines().map(serde_json::from_str);
    let lines: Vec<Value> = lines.collect::<Result<_, _>>().unwrap();
    let fields = &lines[0]["fields"];
    assert_eq!(lines[0]["level"], "ERROR");
    assert_eq!(fields["message"], "a document is not stored");
    assert_eq!(fields["error"], "a byte file failed");
    let sources = json!([
        "could not write /data/bytes/a",
        "No space left on device (os error 28)"
    ]);
    assert_eq!(fields["error.sources"], sources);
    assert_eq!(lines[1]["fields"], json!({"message": "nothing failed"}));
}
