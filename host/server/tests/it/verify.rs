use std::path::{Path, PathBuf};

use crate::support::{Documents, Ended, parafa};

#[test]
fn a_document_that_was_just_signed_is_intact() {
    let documents = Documents::new();
    let signed = signed(&documents);

    let ended = verify(&signed);

    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended
            .stdout
            .contains("is intact, and covers the whole file")
    );
    assert!(ended.stdout.contains("level PAdES-B-B"));
    assert!(ended.stdout.contains("Every signature is intact."));
    assert!(ended.stdout.contains("This check is advisory"));
}

#[test]
fn a_program_is_told_that_the_check_is_advisory() {
    let documents = Documents::new();
    let signed = signed(&documents);

    let verified = parafa(["verify".as_ref(), signed.as_os_str(), "--json".as_ref()]);
    let run = ["plugin", "run", "verify"].map(AsRef::as_ref);
    let of_plugin = parafa(run.into_iter().chain([signed.as_os_str()]));
    let json = [signed.as_os_str(), "--json".as_ref()];
    let of_plugin_json = parafa(run.into_iter().chain(json));

    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert_eq!(verified.json()["advisory"], true);
    assert_eq!(verified.json()["intact"], true);
    assert_eq!(of_plugin.code, Some(0), "{of_plugin:?}");
    assert!(of_plugin.stdout.contains("This check is advisory"));
    assert_eq!(of_plugin_json.json()["outcome"]["advisory"], true);
}

#[test]
fn a_document_that_was_changed_is_not_intact() {
    let documents = Documents::new();
    let mut bytes = std::fs::read(signed(&documents)).unwrap();
    let place = bytes.windows(8).position(|w| w == b"Sutartis").unwrap();
    bytes[place] = b'K';
    let changed = documents.add("changed.pdf", bytes);

    let ended = verify(&changed);

    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("the signed content was changed"));
}

#[test]
fn a_time_stamp_of_something_else_is_told_beside_a_signature_that_is_intact() {
    let sound = verify(&case("signed-stamped"));
    let of_another = verify(&case("tampered-timestamp-of-another"));

    assert_eq!(sound.code, Some(0), "{sound:?}");
    assert!(sound.stdout.contains("; time-stamp of 20"), "{sound:?}");
    assert!(sound.stdout.contains("\nEvery signature is intact.\n"));
    assert_eq!(of_another.code, Some(0), "{of_another:?}");
    assert!(
        of_another
            .stdout
            .contains(", which is one of something else")
    );
    let conclusion = "\nEvery signature is intact, but not every time-stamp.\n";
    assert!(of_another.stdout.contains(conclusion), "{of_another:?}");
}

#[test]
fn a_document_without_a_signature_is_not_verified() {
    let documents = Documents::new();
    let file = documents.add("contract.pdf", parafa_fixtures::plain(1));

    let ended = verify(&file);

    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.starts_with("There is no signature.\n"));
}

#[test]
fn a_file_that_is_not_there_is_refused() {
    let ended = verify(Path::new("/nonexistent/contract.pdf"));

    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("cannot be read"), "{ended:?}");
}

/// Returns the document of a conformance case.
fn case(name: &str) -> PathBuf {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cases/pdf");
    cases.join(name).join("input.pdf")
}

/// Signs a PDF by `plugin run sign`.
fn signed(documents: &Documents) -> PathBuf {
    let file = documents.add("contract.pdf", parafa_fixtures::plain(1));
    let signed = documents.path("signed.pdf");
    let ended = parafa([
        "plugin".as_ref(),
        "run".as_ref(),
        "sign".as_ref(),
        file.as_os_str(),
        "--out".as_ref(),
        signed.as_os_str(),
    ]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    signed
}

fn verify(file: &Path) -> Ended {
    parafa(["verify".as_ref(), file.as_os_str()])
}
