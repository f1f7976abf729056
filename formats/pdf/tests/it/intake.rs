//! Intake for signing: acceptance, refusals and notes.

mod actions;

use parafa_fixtures::{CrossReference, Objects, PdfBuilder, hostile, plain};
use parafa_format_core::{MemoryBlob, NativeEnvironment, Refusal, Report};
use parafa_format_pdf::inspect;

/// Returns the report on a document to be signed; an obstacle to signing is a
/// refusal.
pub(crate) fn inspected(bytes: &[u8]) -> Result<Report, Refusal> {
    let report = carried(bytes)?;
    let obstacle = report.obstacles.first();
    obstacle.map_or(Ok(report.clone()), |obstacle| Err(obstacle.refusal.clone()))
}

/// Returns the report on a document that is only carried.
pub(crate) fn carried(bytes: &[u8]) -> Result<Report, Refusal> {
    inspect(&NativeEnvironment, &MemoryBlob(bytes.to_vec()))
}

pub(crate) fn refused(bytes: &[u8]) -> String {
    inspected(bytes).unwrap_err().code.into_owned()
}

pub(crate) fn notes(bytes: &[u8]) -> Vec<String> {
    let notes = inspected(bytes).unwrap().notes;
    notes
        .into_iter()
        .map(|note| note.code.into_owned())
        .collect()
}

pub(crate) fn table(objects: &Objects) -> Vec<u8> {
    objects.write("1.7", CrossReference::Table, "/Root 1 0 R /Info 4 0 R")
}

fn with_catalog(entries: &str) -> Vec<u8> {
    let mut objects = PdfBuilder::new().objects();
    objects.set(1, format!("<< /Type /Catalog /Pages 2 0 R {entries} >>"));
    table(&objects)
}

fn references(numbers: std::ops::RangeInclusive<u32>) -> String {
    numbers.map(|number| format!("{number} 0 R ")).collect()
}

pub(crate) fn replaced(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let at = bytes
        .windows(old.len())
        .rposition(|window| window == old.as_bytes())
        .unwrap();
    [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]].concat()
}

#[test]
fn every_hostile_document_is_refused_by_its_code() {
    let wrong: Vec<String> = hostile::ALL
        .iter()
        .filter_map(|hostile| match inspected(&hostile.bytes()) {
            Err(refusal) if refusal.code == hostile.code => None,
            other => Some(format!(
                "{}: expected {}, got {other:?}",
                hostile.name, hostile.code
            )),
        })
        .collect();

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sound_documents_of_every_layout_are_taken_without_a_note() {
    for layout in CrossReference::ALL {
        let bytes = PdfBuilder::new().cross_reference(layout).pages(3).build();

        assert_eq!(notes(&bytes), [""; 0], "{layout:?}");
    }
}

#[test]
fn a_report_tells_version_and_fields() {
    let report = inspected(
        &PdfBuilder::new()
            .version("1.5")
            .text_field("Vardas", "Ona")
            .build(),
    )
    .unwrap();

    assert_eq!(report.media_type, "application/pdf");
    assert_eq!(report.format_version, "1.5");
    assert_eq!(report.fields.len(), 1);
    assert_eq!(
        (
            report.fields[0].name.as_str(),
            report.fields[0].kind.as_str()
        ),
        ("Vardas", "text")
    );
    assert!(report.signatures.is_empty());
}

#[test]
fn a_later_version_in_the_catalog_counts() {
    assert_eq!(
        inspected(&with_catalog("/Version /2.0"))
            .unwrap()
            .format_version,
        "2.0"
    );
    assert_eq!(
        inspected(&with_catalog("/Version /1.3"))
            .unwrap()
            .format_version,
        "1.7"
    );
}

#[test]
fn field_names_are_joined_from_the_root_and_widgets_have_their_fields() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R] >> >>",
    );
    objects.set(7, "<< /T (contract) /Kids [8 0 R] >>");
    objects.set(
        8,
        "<< /T <FEFF0160017E> /FT /Btn /Parent 7 0 R /Kids [9 0 R 10 0 R] >>",
    );
    objects.set(9, "<< /Subtype /Widget /Parent 8 0 R >>");
    objects.set(10, "<< /Subtype /Widget /Parent 8 0 R >>");
    let fields = inspected(&table(&objects)).unwrap().fields;

    assert_eq!(fields.len(), 1);
    assert_eq!(
        (fields[0].name.as_str(), fields[0].kind.as_str()),
        ("contract.Šž", "button")
    );
}

#[test]
fn a_null_entry_is_none() {
    let with_stream = |entries: &str| {
        let mut objects = PdfBuilder::new().objects();
        objects.set(8, "null");
        objects.set_stream(9, entries, *b"data");
        table(&objects)
    };
    let form = |entries: &str| {
        let form = format!("/AcroForm << /Fields [] {entries} >>");
        with_catalog(&form)
    };

    for absent in ["/F null", "/F 8 0 R", "/F 99 0 R"] {
        assert_eq!(notes(&with_stream(absent)), [""; 0], "{absent}");
    }
    assert_eq!(refused(&with_stream("/F (a.bin)")), "external-stream");
    for absent in ["/XFA null", "/XFA 99 0 R"] {
        assert_eq!(notes(&form(absent)), [""; 0], "{absent}");
    }
    assert_eq!(refused(&form("/XFA []")), "xfa");
    let script =
        |entries: &str| with_catalog(&format!("/OpenAction << /S /Rendition {entries} >>"));
    assert_eq!(notes(&script("/JS null")), [""; 0]);
    assert_eq!(notes(&script("/JS (app.beep)")), ["javascript"]);
}

#[test]
fn embedded_files_are_noted() {
    let attached = |file: &str| {
        let mut objects = PdfBuilder::new().objects();
        objects.set(
            5,
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Annots [7 0 R] >>",
        );
        objects.set(
            7,
            format!("<< /Type /Annot /Subtype /FileAttachment /Rect [9 9 29 29] /FS {file} >>"),
        );
        objects.set(8, "<< /Type /Filespec /F (a.txt) /EF << /F 9 0 R >> >>");
        objects.set_stream(9, "/Type /EmbeddedFile", "text");
        table(&objects)
    };

    for document in [
        with_catalog("/Names << /EmbeddedFiles << /Names [] >> >>"),
        with_catalog("/AF [<< /F (a.txt) /EF << /F 6 0 R >> >>]"),
        attached("8 0 R"),
        attached("<< /Type /Filespec /F (a.txt) /EF << /F 9 0 R >> >>"),
    ] {
        assert_eq!(notes(&document), ["embedded-files"]);
    }
    assert_eq!(notes(&plain(1)), [""; 0]);
}

#[test]
fn a_claim_of_pdf_a_is_noted() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(1, "<< /Type /Catalog /Pages 2 0 R /Metadata 7 0 R >>");
    objects.set_stream(
        7,
        "/Type /Metadata /Subtype /XML",
        "<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B<",
    );
    let report = inspected(&table(&objects)).unwrap();

    assert_eq!(report.notes[0].code, "pdfa");
    assert_eq!(
        report.notes[0].detail,
        "The document says that it is PDF/A-2b."
    );
}

#[test]
fn what_follows_the_end_is_noted_unless_it_is_white_space() {
    assert_eq!(notes(&[plain(1), b"\r\n\0 ".to_vec()].concat()), [""; 0]);
    assert_eq!(
        notes(&[plain(1), b"more".to_vec()].concat()),
        ["trailing-data"]
    );
    assert_eq!(
        refused(&[plain(1), b"startxref\n9\n".to_vec()].concat()),
        "xref-ambiguous"
    );
}

#[test]
fn a_wrong_size_is_noted() {
    assert_eq!(
        notes(&replaced(&plain(1), "/Size 7", "/Size 5")),
        ["size-wrong"]
    );
    assert_eq!(
        notes(&replaced(&plain(1), "/Size 7", "/Size 900")),
        ["size-wrong"]
    );
}

#[test]
fn a_media_box_may_be_inherited() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        2,
        "<< /Type /Pages /Count 1 /Kids [5 0 R] /MediaBox [0 0 595 842] >>",
    );
    objects.set(5, "<< /Type /Page /Parent 2 0 R >>");

    assert!(inspected(&table(&objects)).is_ok());
}

#[test]
fn a_page_without_a_parent_may_take_nothing_from_above() {
    let with = |of_root: &str, of_page: &str| {
        let mut objects = PdfBuilder::new().objects();
        objects.set(
            2,
            format!("<< /Type /Pages /Count 1 /Kids [5 0 R] {of_root} >>"),
        );
        objects.set(5, format!("<< /Type /Page {of_page} >>"));
        table(&objects)
    };
    let own_box = "/MediaBox [0 0 595 842]";

    for (of_root, of_page) in [
        ("", own_box.to_owned()),
        ("", format!("{own_box} /Parent null")),
        ("/Rotate 90", format!("{own_box} /Rotate 0")),
        ("/Rotate 90", format!("{own_box} /Parent 2 0 R")),
        ("/Parent 1 0 R", format!("{own_box} /Parent 2 0 R")),
    ] {
        assert!(inspected(&with(of_root, &of_page)).is_ok(), "{of_root}");
    }
    for (of_root, of_page) in [
        (own_box, String::new()),
        ("/Rotate 90", own_box.to_owned()),
        ("/CropBox [0 0 9 9]", format!("{own_box} /Parent null")),
        ("/Resources << >>", own_box.to_owned()),
        ("", format!("{own_box} /Parent 1 0 R")),
        ("", format!("{own_box} /Parent 99 0 R")),
        ("/Parent 5 0 R", format!("{own_box} /Parent 2 0 R")),
        (
            "/Parent << /Rotate 90 >>",
            format!("{own_box} /Parent 2 0 R"),
        ),
    ] {
        assert_eq!(refused(&with(of_root, &of_page)), "page-tree", "{of_root}");
    }
}

#[test]
fn a_dictionary_with_a_key_twice_is_refused() {
    assert_eq!(
        refused(&with_catalog("/Lang (lt) /Lang (en)")),
        "object-damaged"
    );
    assert_eq!(
        refused(&replaced(&plain(1), "/Size 7", "/Size 7 /Prev 9 /Prev 8")),
        "xref-ambiguous"
    );
}

#[test]
fn an_object_inside_another_is_refused() {
    let mut objects = PdfBuilder::new().objects();
    objects.set_stream(8, "", "7 0 obj null endobj");
    let bytes = table(&objects);
    let inner = bytes
        .windows(7)
        .position(|window| window == b"7 0 obj")
        .unwrap();
    let at = bytes
        .windows(8)
        .rposition(|window| window == b"8 1\n0000")
        .unwrap();
    let entry = format!("7 1\n{inner:010} 00000 n \n");

    assert_eq!(
        refused(&[&bytes[..at], entry.as_bytes(), &bytes[at..]].concat()),
        "xref-ambiguous"
    );
}

#[test]
fn more_pages_than_the_limit_are_refused() {
    let mut objects = PdfBuilder::new().objects();
    let kids: String = (100..20_101)
        .map(|number| format!("{number} 0 R "))
        .collect();
    objects.set(
        2,
        format!("<< /Type /Pages /Count 20001 /MediaBox [0 0 1 1] /Kids [{kids}] >>"),
    );
    for number in 100..20_101 {
        objects.set(number, "<< /Type /Page /Parent 2 0 R >>");
    }

    assert_eq!(refused(&table(&objects)), "page-tree");
}

#[test]
fn an_escaped_key_does_not_hide_that_it_comes_twice() {
    assert_eq!(
        refused(&with_catalog("/Lang (lt) /L#61ng (en)")),
        "object-damaged"
    );
}

#[test]
fn names_that_would_not_fit_into_memory_are_refused() {
    const KIDS: u32 = 2_000;

    let mut objects = PdfBuilder::new().objects();
    let first = objects.next_number();
    let kids = references(first + 1..=first + KIDS);
    objects.set(
        1,
        format!("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{first} 0 R] >> >>"),
    );
    let name = "n".repeat(100_000);
    objects.set(first, format!("<< /FT /Tx /T ({name}) /Kids [{kids}] >>"));
    for number in 1..=KIDS {
        objects.set(
            first + number,
            format!("<< /T ({number}) /Parent {first} 0 R >>"),
        );
    }

    assert_eq!(refused(&table(&objects)), "form-tree");
}

#[test]
fn names_that_cannot_be_decoded_count_as_well() {
    const FIELDS: u32 = 2_000;

    let mut objects = PdfBuilder::new().objects();
    let name = objects.next_number();
    let fields = references(name + 1..=name + FIELDS);
    objects.set(
        1,
        format!("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{fields}] >> >>"),
    );
    let unpaired_surrogate = format!("<FEFFD800{}>", "0061".repeat(50_000));
    objects.set(name, unpaired_surrogate);
    for number in 1..=FIELDS {
        objects.set(name + number, format!("<< /FT /Tx /T {name} 0 R >>"));
    }

    assert_eq!(refused(&table(&objects)), "form-tree");
}

#[test]
fn a_reference_to_the_highest_object_number_leaves_no_room_for_a_signature() {
    assert_eq!(
        refused(&with_catalog("/Nothing 16777215 0 R")),
        "too-many-objects"
    );
    assert!(inspected(&with_catalog("/Nothing 4294967295 0 R")).is_ok());
}
