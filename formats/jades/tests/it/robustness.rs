use std::sync::LazyLock;

use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment};
use parafa_format_jades::{inspect, members, verify};
use proptest::prelude::*;

use crate::ceremony::{ANSWER, WORLD, archived, verified};

static RAISED: LazyLock<Vec<u8>> = LazyLock::new(|| archived(&WORLD.p256.signs(ANSWER, "B-T")));

fn read(document: &[u8]) -> Option<Vec<u8>> {
    let document = MemoryBlob(document.to_vec());
    let members = members(&NativeEnvironment, &document).ok()?;
    inspect(&NativeEnvironment, &document).unwrap();
    Some(members[0].digest.value.clone())
}

proptest! {
    #[test]
    fn no_change_of_a_signature_goes_unseen_or_makes_it_panic(
        index in any::<prop::sample::Index>(),
        byte in prop::sample::select(b"{}[]\",:.=+/-_ aAe0".as_slice()),
    ) {
        let mut document = RAISED.clone();
        let at = index.index(document.len());
        document[at] = byte;
        let payload = read(&document);
        let Ok(evidence) = verify(&NativeEnvironment, &MemoryBlob(document)) else {
            return Ok(());
        };
        let sound = verified(&RAISED);
        for one in evidence.signatures.iter().filter(|one| one.integrity == Integrity::Intact) {
            prop_assert_eq!(&one.signed, &sound.signed);
            prop_assert_eq!(one.claimed_time, sound.claimed_time);
            prop_assert_eq!(&one.value, &sound.value);
            prop_assert_eq!(&payload, &read(ANSWER));
        }
    }

    #[test]
    fn a_part_that_is_missing_makes_nothing_panic(
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
    ) {
        let (from, to) = (from.index(RAISED.len()), to.index(RAISED.len()));
        let cut = [&RAISED[..from.min(to)], &RAISED[from.max(to)..]].concat();
        let _ = read(&cut);
        let _ = verify(&NativeEnvironment, &MemoryBlob(cut));
    }

    #[test]
    fn any_json_of_the_members_of_a_jws_makes_nothing_panic(
        text in r#"\{("(payload|protected|signature|header|etsiU)":("[A-Za-z0-9_-]{0,4}"|\{\}|\[\]|1),?){0,4}\}"#,
    ) {
        let _ = read(text.as_bytes());
        let _ = verify(&NativeEnvironment, &MemoryBlob(text.into_bytes()));
    }
}
