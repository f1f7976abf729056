//! The documents of the conformance cases.

use parafa_fixtures::cases;

use crate::ceremony::{P256, inspected};

#[test]
fn cases_that_can_be_signed_are_and_the_others_are_refused_by_their_codes() {
    let documents = cases::all().filter(|case| {
        let is_document = !case.folder.starts_with("adoc/composed");
        case.folder.starts_with("adoc/") && is_document
    });
    for case in documents {
        let is_sound = ["adoc/sound-", "adoc/signed-"]
            .iter()
            .any(|sound| case.folder.starts_with(sound));
        let answer = inspected(&case.document).and_then(|_| P256.signs(&case.document));
        match answer {
            Ok(_) => assert!(is_sound, "{}", case.folder),
            Err(refusal) => {
                assert!(!is_sound, "{}: {refusal}", case.folder);
                let code = format!("\"{}\"", refusal.code);
                assert!(
                    case.description.contains(&code),
                    "{}: {refusal}",
                    case.folder
                );
            }
        }
    }
}
