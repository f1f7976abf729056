//! Documents with many objects.

use std::fmt::Write;

use parafa_fixtures::{CrossReference, Objects};
use parafa_format_core::{DeriveRequest, MemoryBlob, MemorySink, NativeEnvironment};
use parafa_format_pdf::rehearse;

use crate::ceremony::P256;
use crate::flatten::{assert_form_is_gone, flattened, form};
use crate::intake::{inspected, refused, table};

const FIRST_ELEMENT: u32 = 1_000;

/// Returns a tagged document with this number of elements, and a form (ISO
/// 32000-2, 14.7).
fn tagged(layout: CrossReference, elements: u32) -> Vec<u8> {
    let mut objects = form(&["/FT /Btn /T (a) /StructParent 1 /AP << /N 52 0 R >>"]);
    let root = FIRST_ELEMENT - 1;
    objects.set(
        1,
        format!(
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] >> \
             /MarkInfo << /Marked true >> /StructTreeRoot {root} 0 R >>"
        ),
    );
    let mut references = String::new();
    for number in FIRST_ELEMENT..FIRST_ELEMENT + elements {
        write!(references, "{number} 0 R ").unwrap();
        objects.set(
            number,
            format!("<< /Type /StructElem /S /P /P {root} 0 R /Pg 5 0 R /K [{number}] >>"),
        );
    }
    let widget = FIRST_ELEMENT + elements;
    objects.set(
        widget,
        format!(
            "<< /Type /StructElem /S /Form /P {root} 0 R /K << /Type /OBJR /Obj 20 0 R /Pg 5 0 R >> >>"
        ),
    );
    objects.set(
        root,
        format!(
            "<< /Type /StructTreeRoot /K [{references} {widget} 0 R] \
             /ParentTree << /Nums [0 [{references}] 1 {widget} 0 R] >> /ParentTreeNextKey 2 >>"
        ),
    );
    objects.write("1.7", layout, "/Root 1 0 R /ID [<01> <02>]")
}

#[test]
fn a_long_tagged_document_is_taken_signed_rehearsed_and_flattened() {
    // As many as in a thousand pages, or in one object stream.
    for (layout, elements) in [
        (CrossReference::Table, 100_000),
        (CrossReference::Stream, 60_000),
    ] {
        let document = tagged(layout, elements);
        assert_eq!(inspected(&document).unwrap().fields.len(), 1, "{layout:?}");

        let signed = P256.signs(&document).unwrap();
        assert_eq!(
            inspected(&signed).unwrap().signatures.len(),
            1,
            "{layout:?}"
        );

        let request = DeriveRequest {
            time: 1_795_000_000,
            seed: vec![7; 32],
            params: Vec::new(),
        };
        let mut marked = MemorySink::default();
        let blob = MemoryBlob(document.clone());
        rehearse(&NativeEnvironment, &blob, &request, &mut marked).unwrap();
        assert!(marked.0.starts_with(&document), "{layout:?}");

        assert_form_is_gone(&flattened(&document).unwrap());
    }
}

#[test]
fn values_that_would_not_fit_into_memory_are_refused() {
    for value in ["[] ", "<< /A 0 >> ", "0 "] {
        let document = |bytes: usize| {
            let mut objects: Objects = form(&[]);
            objects.set(60, format!("[{}]", value.repeat(bytes / value.len())));
            table(&objects)
        };

        assert!(inspected(&document(500_000)).is_ok(), "{value}");
        assert_eq!(refused(&document(8_000_000)), "too-many-objects", "{value}");
    }
}

#[test]
fn what_is_unpacked_from_object_streams_has_to_fit_beside_the_values() {
    // Irregular, so that it does not compress too well.
    let text: String = (0_u32..40_000)
        .map(|number| format!("{:08x}", number.wrapping_mul(2_654_435_761)))
        .collect();
    let document = |arrays: usize, bytes: usize| {
        let mut objects: Objects = form(&[]);
        let spaces = " ".repeat(bytes.saturating_sub(text.len()));
        objects.set(60, format!("[{}]", "[]".repeat(arrays)));
        objects.set(61, format!("({text}{spaces})"));
        objects.write("1.7", CrossReference::Stream, "/Root 1 0 R")
    };

    assert!(inspected(&document(300_000, 0)).is_ok());
    assert!(inspected(&document(0, 30 << 20)).is_ok());
    assert_eq!(refused(&document(300_000, 30 << 20)), "too-many-objects");
}
