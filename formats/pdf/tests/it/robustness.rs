//! Every input has an answer.

use std::sync::LazyLock;

use parafa_fixtures::{CrossReference, PdfBuilder};
use parafa_format_core::{Answer, MemoryBlob, NativeEnvironment, Step};
use parafa_format_pdf::verify;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::archiving::{HIERARCHY, archived, archived_with, request, step};
use crate::ceremony::P256;
use crate::flatten::{flattened, form, written};
use crate::intake::inspected;
use crate::rehearse::rehearsed;

static SOUND: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let layouts = CrossReference::ALL;
    let document = |layout| {
        PdfBuilder::new()
            .cross_reference(layout)
            .text_field("Vardas", "Ona")
            .build()
    };
    let mut documents: Vec<_> = layouts.into_iter().map(document).collect();
    documents.extend(layouts.map(|layout| P256.signs(&document(layout)).unwrap()));
    documents.extend([
        SIGNED.clone(),
        archived(&SIGNED),
        parafa_fixtures::form(7),
        layered(),
    ]);
    documents
});

static SIGNED: LazyLock<Vec<u8>> =
    LazyLock::new(|| HIERARCHY.signed(&PdfBuilder::new().build(), &[&HIERARCHY.ona]));

/// Sound answers to all needs of archiving this document.
static ANSWERS: LazyLock<Vec<Answer>> = LazyLock::new(|| {
    let mut answers = Vec::new();
    archived_with(&SIGNED, |need| {
        answers.push(HIERARCHY.answer(need));
        answers[answers.len() - 1].clone()
    })
    .unwrap();
    answers
});

/// Returns a document with a layer, a widget and an appearance that uses an
/// external font resource.
fn layered() -> Vec<u8> {
    let mut objects = form(&["/FT /Tx /T (a) /V (Ona) /AP << /N 60 0 R >>"]);
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] \
         /DR << /Font << /Helv 3 0 R >> >> >> \
         /OCProperties << /OCGs [61 0 R] /D << /OFF [61 0 R] >> >> >>",
    );
    objects.set_deflated(
        60,
        "/Subtype /Form /BBox [0 0 100 20]",
        b"BT /Helv 9 Tf (Ona) Tj ET",
    );
    objects.set(61, "<< /Type /OCG /Name (layer) >>");
    objects.set_stream(6, "", *b"/OC /Layer BDC q Q EMC /OC /Layer BDC");
    written(&objects)
}

fn answers(bytes: &[u8]) {
    let is_sound = inspected(bytes).is_ok();
    if let Ok(made) = rehearsed(bytes) {
        assert!(made.starts_with(bytes));
        assert!(!is_sound || inspected(&made).is_ok());
    }
    if let Ok(flattened) = flattened(bytes) {
        assert!(!is_sound || inspected(&flattened).is_ok());
    }
    let _ = verify(&NativeEnvironment, &MemoryBlob(bytes.to_vec()));
    let _ = step(bytes, &request(), &ANSWERS);
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

    #[test]
    fn damaged_answers_are_used_or_refused(
        which in any::<Index>(),
        changes in vec((any::<Index>(), any::<u8>()), 1..4),
        len in any::<Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut answers = ANSWERS.clone();
        let which = which.index(answers.len());
        let bytes = answers[which].outcome.as_mut().unwrap();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if is_cut {
            bytes.truncate(len.index(bytes.len()));
        }
        match step(&SIGNED, &request(), &answers) {
            Ok((Step::Done(outcome), archived)) => {
                prop_assert!(archived.starts_with(&SIGNED));
                let evidence = verify(&NativeEnvironment, &MemoryBlob(archived)).unwrap().signatures;
                prop_assert_eq!(&evidence[0].level, &outcome.level);
            }
            Ok((Step::Needs(_), nothing)) => prop_assert!(nothing.is_empty()),
            Err(refusal) => prop_assert_eq!(refusal.code, "archive-incomplete"),
        }
    }
}
