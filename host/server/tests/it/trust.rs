//! Refusals of `parafa trust import`; reading of lists is tested where lists
//! are made.

use crate::configuration::configuration;
use crate::support::{Documents, parafa};

#[test]
fn nothing_is_imported_that_nobody_vouches_for() {
    let folder = Documents::new();
    configuration(&folder, "");
    let list = folder.add("list.xml", "<list/>");
    let list = list.to_str().unwrap();
    let trust = folder.path("trust");
    let trust = trust.to_str().unwrap();
    let import = ["trust", "import", list, "--lotl", list, "--trust", trust];

    let unpinned = parafa(import);

    assert_eq!(unpinned.code, Some(1), "{unpinned:?}");
    assert!(unpinned.stderr.contains("--lotl-signer"), "{unpinned:?}");

    let signer = folder.path("trust/issuer.pem");
    let out = folder.path("new");
    let more = [
        "--lotl-signer",
        signer.to_str().unwrap(),
        "--write",
        out.to_str().unwrap(),
    ];
    let unsigned = parafa(import.iter().chain(&more));

    assert_eq!(unsigned.code, Some(1), "{unsigned:?}");
    let told = "Signature is not there exactly once";
    assert!(unsigned.stderr.contains(told), "{unsigned:?}");
    assert!(unsigned.stdout.is_empty() && !out.exists(), "{unsigned:?}");
}

#[test]
fn a_file_that_is_not_there_is_a_fault() {
    let folder = Documents::new();
    configuration(&folder, "");
    let [list, trust] = ["absent.xml", "trust"].map(|name| folder.path(name).display().to_string());
    let signer = folder.path("trust/issuer.pem").display().to_string();

    let ended = parafa([
        "trust",
        "import",
        &list,
        "--lotl",
        &list,
        "--lotl-signer",
        &signer,
        "--trust",
        &trust,
    ]);

    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("absent.xml"), "{ended:?}");
}
