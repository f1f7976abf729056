//! Later revisions of long documents are compared within the limits of memory
//! and work.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use parafa_fixtures::CrossReference;
use parafa_fixtures::signed::{Draft, Identity, SignedPdf, Signing};
use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment};
use parafa_format_pdf::verify;

use crate::ceremony::P256;
use crate::earlier_signatures::number_after;
use crate::flatten::form;
use crate::form_changes::is_intact;
use crate::intake::inspected;
use crate::memory::peak_of;

/// Number of the first widget of a form.
const FIELD: u32 = 20;

#[test]
fn long_values_that_are_compared_are_held_once() {
    const LEN: usize = 8 << 20;

    // Irregular, so that it does not compress too well.
    let text: String = (0_u32..10_000)
        .map(|number| format!("{:08x}", number.wrapping_mul(2_654_435_761)))
        .collect();
    let spaces = " ".repeat(LEN - text.len());
    let entries = |last: &str| format!("/Rect [0 0 9 9] /FT /Tx /T (a) /V ({text}{spaces}{last})");
    let original = form(&[&entries("first")]).write("1.7", CrossReference::Stream, "/Root 1 0 R");
    let signed = P256.signs(&original).unwrap();
    let field = format!("<< /Type /Annot /Subtype /Widget {} >>", entries("second"));
    let filled_in = with_object_stream(&signed, FIELD, &field);

    let (report, peak) = peak_of(|| inspected(&filled_in).unwrap());

    assert_eq!(report.signatures.len(), 1);
    // Both values inflated, the newer one loaded, and the overhead of inflating
    // and loading one.
    assert!(peak < 6 * LEN, "{:.1} values", peak as f64 / LEN as f64);
    let (evidence, peak) = peak_of(|| {
        verify(&NativeEnvironment, &MemoryBlob(filled_in))
            .unwrap()
            .signatures
    });
    assert_eq!(evidence[0].integrity, Integrity::Intact);
    assert!(peak < 6 * LEN, "{:.1} values", peak as f64 / LEN as f64);
}

#[test]
fn resources_of_many_names_may_get_another() {
    let fonts = |more: &str| {
        let mut fonts = String::new();
        for name in 0..100_000 {
            write!(fonts, "/F{name} 3 0 R ").unwrap();
        }
        format!("/DR << /Font << {fonts} {more} >> >>")
    };
    let draft = Draft {
        form: fonts(""),
        ..Draft::default()
    };
    let amended = |more: &str| {
        let signed = SignedPdf::drafted(draft.clone()).sign(Signing::by(Identity::Ona));
        let amended = signed.amended(|draft| {
            draft.form = fonts(more);
            Vec::new()
        });
        is_intact(&amended.build())
    };

    assert!(amended("/Other 3 0 R"));
}

#[test]
fn pages_may_share_a_long_list_of_annotations() {
    const PAGES: u32 = 300;

    let pages = 100..100 + PAGES;
    let kids: String = pages.clone().map(|page| format!("{page} 0 R ")).collect();
    let list = |item: &str| format!("[{} {item}]", "null ".repeat(20_000));
    let mut objects = vec![
        (
            2,
            format!(
                "<< /Type /Pages /Count {} /Kids [5 0 R {kids}] >>",
                PAGES + 1
            ),
        ),
        (50, list("")),
    ];
    objects.extend(pages.map(|page| {
        let entries = "/Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Annots 50 0 R";
        (page, format!("<< {entries} >>"))
    }));
    let draft = Draft {
        objects,
        ..Draft::default()
    };
    let amended = |access: u8| {
        let certified = Signing {
            certifies: Some(access),
            ..Signing::by(Identity::Ona)
        };
        let note = "<< /Type /Annot /Subtype /Text /Rect [1 1 2 2] /Contents (A note) >>";
        let signed = SignedPdf::drafted(draft.clone()).sign(certified);
        let amended = signed.amended(|_| vec![(50, list("60 0 R")), (60, note.into())]);
        is_intact(&amended.build())
    };

    assert!(amended(3));
    assert!(!amended(2));
}

#[test]
fn locks_of_many_signatures_may_share_a_long_list_of_names() {
    const SIGNATURES: u32 = 1_000;

    let document = |names: &str| {
        let mut objects = form(&[]);
        let fields = 1_000..1_000 + SIGNATURES;
        let references: String = fields
            .clone()
            .map(|field| format!("{field} 0 R "))
            .collect();
        objects.set(
            1,
            format!("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{references}] >> >>"),
        );
        objects.set(8, format!("({})", "x".repeat(1 << 20)));
        objects.set(9, format!("[{names}]"));
        let names = "/Action /Include /Fields 9 0 R";
        for field in fields {
            objects.set(
                field,
                format!(
                    "<< /FT /Sig /T (a{field}) /Lock << {names} >> /V << /Type /Sig /Contents <3000> \
                     /Reference [<< /TransformMethod /FieldMDP /TransformParams << {names} >> >>] >> >>"
                ),
            );
        }
        objects.write("1.7", CrossReference::Table, "/Root 1 0 R")
    };
    for names in ["(a name) ".repeat(20_000), "8 0 R ".repeat(1_000)] {
        let document = document(&names);

        let (refusal, peak) = peak_of(|| inspected(&document).unwrap_err());

        assert_eq!(refusal.code, "signature-byterange");
        assert!(peak < 128 << 20, "{peak} bytes");
    }
}

#[test]
fn new_fields_may_share_a_long_list_of_kids_that_are_none() {
    const FIELDS: u32 = 5_000;

    let signed = SignedPdf::drafted(Draft::default()).sign(Signing::by(Identity::Ona));
    let amended = signed.amended(|draft| {
        let fields = 1_000..1_000 + FIELDS;
        draft.fields = fields
            .clone()
            .map(|field| format!("{field} 0 R "))
            .collect();
        let empty = fields.map(|field| {
            let entries = format!("/FT /Sig /T (a{field}) /Rect [0 0 0 0] /Kids 999 0 R");
            (
                field,
                format!("<< /Type /Annot /Subtype /Widget {entries} >>"),
            )
        });
        let kids = (999, format!("[{}]", "null ".repeat(500_000)));
        std::iter::once(kids).chain(empty).collect()
    });

    assert!(is_intact(&amended.build()));
}

#[test]
fn a_new_field_may_have_many_kids_without_names_of_their_own() {
    const KIDS: u32 = 40_000;

    let signed = SignedPdf::drafted(Draft::default()).sign(Signing::by(Identity::Ona));
    let amended = signed.amended(|draft| {
        draft.fields = "999 0 R ".into();
        let kids = 1_000..1_000 + KIDS;
        let list: String = kids.clone().map(|kid| format!("{kid} 0 R ")).collect();
        let field = format!("<< /FT /Sig /T (New) /Kids [{list}] >>");
        let widget = "<< /Type /Annot /Subtype /Widget /Rect [0 0 0 0] /Parent 999 0 R >>";
        let kids = kids.map(|kid| (kid, widget.to_owned()));
        std::iter::once((999, field)).chain(kids).collect()
    });

    assert!(is_intact(&amended.build()));
}

/// Adds a revision with an object in an object stream (ISO 32000-2, 7.5.7).
fn with_object_stream(document: &[u8], number: u32, object: &str) -> Vec<u8> {
    let mut bytes = document.to_vec();
    let previous = number_after(&bytes, "startxref\n");
    let stream = number_after(&bytes, "/Size ");
    let own = stream + 1;
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let header = format!("{number} 0 ");
    write!(encoder, "{header}{object}").unwrap();
    let data = encoder.finish().unwrap();
    let place = bytes.len();
    let entries = format!(
        "/Type /ObjStm /N 1 /First {} /Filter /FlateDecode /Length {}",
        header.len(),
        data.len()
    );
    write!(bytes, "{stream} 0 obj\n<< {entries} >>\nstream\n").unwrap();
    bytes.extend_from_slice(&data);
    bytes.extend_from_slice(b"\nendstream\nendobj\n");
    let start = bytes.len();
    let rows: String = [(2, stream, 0), (1, place, 0), (1, start, 0)]
        .map(|(kind, second, third)| format!("{kind:02X}{second:08X}{third:04X}"))
        .concat();
    write!(
        bytes,
        "{own} 0 obj\n<< /Type /XRef /Size {} /W [1 4 2] /Index [{number} 1 {stream} 2] \
         /Root 1 0 R /Prev {previous} /Filter /ASCIIHexDecode /Length {} >>\n\
         stream\n{rows}>\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n",
        own + 1,
        rows.len() + 1
    )
    .unwrap();
    bytes
}
