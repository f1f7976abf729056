//! Whatever the bytes are, there is an answer.

use std::sync::LazyLock;

use parafa_fixtures::{CrossReference, PdfBuilder};
use parafa_format_core::{MemoryBlob, NativeEnvironment};
use parafa_format_pdf::verify;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::ceremony::P256;
use crate::intake::inspected;

static SOUND: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let layouts = [
        CrossReference::Hybrid,
        CrossReference::Stream,
        CrossReference::Table,
    ];
    let document = |layout| {
        PdfBuilder::new()
            .cross_reference(layout)
            .text_field("Vardas", "Ona")
            .build()
    };
    let mut documents: Vec<_> = layouts.into_iter().map(document).collect();
    documents.extend(layouts.map(|layout| P256.signs(&document(layout)).unwrap()));
    documents
});

fn answers(bytes: &[u8]) {
    let _ = inspected(bytes);
    let _ = verify(&NativeEnvironment, &MemoryBlob(bytes.to_vec()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_have_an_answer(bytes in vec(any::<u8>(), 0..2_000)) {
        answers(&bytes);
        answers(&[b"%PDF-1.7\n".to_vec(), bytes].concat());
    }

    #[test]
    fn flipped_bits_have_an_answer(
        document in any::<Index>(),
        flips in vec((any::<Index>(), 0..8_u8), 1..4),
    ) {
        let mut bytes = document.get(&SOUND).clone();
        for (place, bit) in flips {
            let place = place.index(bytes.len());
            bytes[place] ^= 1 << bit;
        }
        answers(&bytes);
    }

    #[test]
    fn digits_and_delimiters_in_the_wrong_place_have_an_answer(
        document in any::<Index>(),
        changes in vec((any::<Index>(), "[0-9<>()\\[\\]/% R]"), 1..6),
    ) {
        let mut bytes = document.get(&SOUND).clone();
        for (place, text) in changes {
            let place = place.index(bytes.len());
            bytes[place] = text.as_bytes()[0];
        }
        answers(&bytes);
    }

    #[test]
    fn missing_parts_have_an_answer(document in any::<Index>(), from in any::<Index>(), len in 1..200_usize) {
        let mut bytes = document.get(&SOUND).clone();
        let from = from.index(bytes.len());
        bytes.drain(from..(from + len).min(bytes.len()));
        answers(&bytes);
    }
}
