//! The documents of the conformance cases.

use parafa_fixtures::cases;

use crate::ceremony::{P256, inspected};

#[test]
fn sound_cases_can_be_signed_and_the_others_are_refused_by_their_codes() {
    for case in cases::all().filter(|case| case.folder.starts_with("adoc/")) {
        match inspected(&case.document) {
            Ok(_) => {
                assert!(case.folder.starts_with("adoc/sound-"), "{}", case.folder);
                assert!(P256.signs(&case.document).is_ok(), "{}", case.folder);
            }
            Err(refusal) => {
                let expected = format!("expect.refused = \"{}\"", refusal.code);
                assert!(
                    case.description.contains(&expected),
                    "{}: {refusal}",
                    case.folder
                );
            }
        }
    }
}
