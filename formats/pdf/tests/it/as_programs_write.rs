//! Deviations of programs from the standard, one per test.

use parafa_fixtures::{CrossReference, Objects, PdfBuilder, plain};

use crate::ceremony::P256;
use crate::earlier_signatures::{number_after, updated};
use crate::intake::{inspected, notes, refused, replaced, table};
use crate::real_samples::{integrities, signed_and_taken_again};

fn assert_taken(document: &[u8]) {
    if let Err(refusal) = inspected(document) {
        panic!("{refusal}\n{}", String::from_utf8_lossy(document));
    }
    assert_eq!(signed_and_taken_again(document), Ok(()));
}

fn with_page(entries: &str) -> Objects {
    let mut objects = PdfBuilder::new().objects();
    objects.set(5, format!("<< /Type /Page /Parent 2 0 R {entries} >>"));
    objects
}

/// An object with number 9 that is in no cross-reference.
const HIDDEN: &str = "9 0 obj\n<< /Length 0 >>\nstream\n\nendstream\nendobj\n";

#[test]
fn objects_that_are_listed_at_the_start_of_the_file_are_not_in_use() {
    let entries = "8 2\n0000000000 65536 n \n0000000000 00000 n \ntrailer";
    let listing = |contents: &str, hidden: &str| {
        let page = with_page(&format!("/MediaBox [0 0 595 842] /Contents {contents}"));
        let bytes = replaced(&table(&page), "trailer", entries);
        let start = number_after(&bytes, "startxref\n");
        let bytes = replaced(&bytes, "xref\n0 ", &format!("{hidden}xref\n0 "));
        let end = format!("startxref\n{start}\n");
        let after = format!("startxref\n{}\n", start + hidden.len());
        replaced(&bytes, &end, &after)
    };

    assert_taken(&listing("6 0 R", ""));
    assert_taken(&listing("6 0 R", HIDDEN));
    assert_taken(&listing("[6 0 R 9 0 R]", ""));
    // Some readers search for a referenced object.
    assert_eq!(refused(&listing("[6 0 R 9 0 R]", HIDDEN)), "xref-ambiguous");
}

#[test]
fn a_cross_reference_stream_may_list_objects_at_the_start_as_well() {
    let mut bytes = PdfBuilder::new()
        .cross_reference(CrossReference::Stream)
        .build();
    let (prev, start) = (number_after(&bytes, "startxref\n"), bytes.len());
    let own = number_after(&bytes, "/Size ");
    bytes.extend_from_slice(
        format!(
            "{own} 0 obj\n<< /Type /XRef /Size {} /Root 1 0 R /Prev {prev} /W [1 1 1] \
             /Index [{own} 1] /Length 3 >>\nstream\n\u{1}\0\0\nendstream\nendobj\n\
             startxref\n{start}\n%%EOF\n",
            own + 1
        )
        .as_bytes(),
    );

    assert_taken(&bytes);
}

#[test]
fn white_space_before_a_section_or_an_object_is_passed_over() {
    let document = plain(1);
    let start = number_after(&document, "startxref\n");
    let from = |start: usize| {
        let old = number_after(&document, "startxref\n");
        replaced(&document, &format!("\n{old}\n"), &format!("\n{start}\n"))
    };
    assert_taken(&from(start - 1));
    // Other readers find the previous section only by the original offset.
    let signed = P256.signs(&from(start - 1)).unwrap();
    assert_eq!(number_after(&signed, "/Prev "), start - 1);
    assert_eq!(refused(&from(start - 2)), "xref-damaged");

    let page = document
        .windows(8)
        .position(|at| at == b"\n5 0 obj")
        .unwrap()
        + 1;
    let entry = |offset: usize| format!("{offset:010} 00000 n");
    let listed = |offset| replaced(&document, &entry(page), &entry(offset));
    assert_taken(&listed(page - 1));
    assert_eq!(refused(&listed(page - 2)), "xref-damaged");
}

#[test]
fn an_update_of_a_hybrid_file_may_carry_its_stream_on() {
    let hybrid = PdfBuilder::new()
        .cross_reference(CrossReference::Hybrid)
        .build();
    let stream = number_after(&hybrid, "/XRefStm ");
    let carrying = |font: &str| {
        let update = updated(&hybrid, &[(3, font)]);
        replaced(&update, "/Prev", &format!("/XRefStm {stream} /Prev"))
    };

    assert_taken(&carrying(
        "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
    ));
    // The newer table lists the font elsewhere than the stream, and takes
    // precedence.
    assert_eq!(refused(&carrying("<< /Other 1 7 R >>")), "xref-ambiguous");
}

/// Nuance PDF Create 8.
#[test]
fn members_of_an_object_stream_may_end_as_objects_of_the_file_do() {
    let members = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << >> >>",
    ];
    let ending = |end: &str| {
        let (mut header, mut content) = (String::new(), String::new());
        for (number, member) in (1..).zip(members) {
            header.push_str(&format!("{number} {} ", content.len()));
            content.push_str(&format!("{member}{end}"));
        }
        let before = format!(
            "%PDF-1.7\n4 0 obj\n<< /Type /ObjStm /N 3 /First {} /Length {} >>\n\
             stream\n{header}{content}\nendstream\nendobj\n",
            header.len(),
            header.len() + content.len()
        );
        let start = before.len();
        let table = format!(
            "5 0 obj\n<< /Type /XRef /Size 6 /Root 1 0 R /W [1 2 1] /Filter /ASCIIHexDecode \
             /Length 54 >>\nstream\n00000000 02000400 02000401 02000402 01000900 01{start:04X}00>\n\
             endstream\nendobj\nstartxref\n{start}\n%%EOF\n"
        );
        [before, table].concat().into_bytes()
    };

    assert_taken(&ending("\n"));
    assert_taken(&ending("\nendobj\n"));
    for end in [" endobj 9 0 obj null\n", " endobj endobj\n", " endobject\n"] {
        assert_eq!(refused(&ending(end)), "object-stream-damaged", "{end}");
    }
}

/// Word 2007, signed in 2012.
#[test]
fn an_update_may_begin_at_once_after_the_marker_before_it() {
    let hybrid = PdfBuilder::new()
        .cross_reference(CrossReference::Hybrid)
        .build();
    let stream = number_after(&hybrid, "/XRefStm ");
    let hybrid = hybrid.strip_suffix(b"\n").unwrap();
    let glued = |before: &str, font: &str| {
        let hybrid = [hybrid, before.as_bytes()].concat();
        let update = updated(&hybrid, &[(3, font)]);
        // Some readers then search for the objects.
        replaced(&update, "/Prev", &format!("/XRefStm {stream} /Prev"))
    };
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>";

    assert_taken(&glued("", font));
    for (before, font) in [
        ("%", font),
        (" ", font),
        ("3 0 obj null endobj ", font),
        ("", "<< /A (%%EOF3 0 obj null endobj) >>"),
    ] {
        assert_eq!(refused(&glued(before, font)), "xref-ambiguous", "{before}");
    }
}

#[test]
fn sections_may_be_completed_together() {
    let document = plain(1);
    let start = number_after(&document, "startxref\n");
    let trailer = document
        .windows(9)
        .rposition(|at| at == b"startxref")
        .unwrap();
    let second = format!(
        "xref\n0 0\ntrailer\n<< /Size 8 /Root 1 0 R /Prev {start} >>\nstartxref\n{trailer}\n%%EOF\n"
    );
    let document = [&document[..trailer], second.as_bytes()].concat();

    assert_taken(&document);
    // Here nothing completes the section where readers start.
    let last = format!("startxref\n{trailer}\n");
    let first = format!("startxref\n{start}\n");
    assert_eq!(
        refused(&replaced(&document, &last, &first)),
        "xref-ambiguous"
    );
}

#[test]
fn a_trailer_after_a_stream_is_passed_over_if_it_leads_nowhere() {
    let document = PdfBuilder::new()
        .cross_reference(CrossReference::Stream)
        .build();
    let followed_by = |trailer: &str| {
        let trailer = format!("trailer\n<< /Size 9 {trailer} >>\nstartxref");
        replaced(&document, "startxref", &trailer)
    };

    assert_taken(&followed_by("/ID [<00> <00>]"));
    assert_eq!(refused(&followed_by("/Root 5 0 R")), "xref-ambiguous");
}

#[test]
fn the_last_marker_may_be_missing_or_doubled() {
    let document = plain(1);
    let ending = |end: &str| replaced(&document, "%%EOF\n", end);

    for end in ["", "%%E", "%%EOF\n%%EOF\n", "%%EOF\r\n\r\n%%EOF"] {
        assert_taken(&ending(end));
    }
    // Some readers use the last marker in the file and the section before it.
    let update = updated(&document, &[(8, "null")]);
    let update = replaced(&update, "%%EOF\n", "");
    assert_eq!(refused(&update), "xref-ambiguous");
    assert_eq!(refused(&ending("x")), "xref-damaged");
}

#[test]
fn a_page_without_a_box_has_the_format_letter() {
    let document = table(&with_page("/Contents 6 0 R"));

    assert_taken(&document);
    let unusable = table(&with_page("/MediaBox [0 0 595] /Contents 6 0 R"));
    assert_eq!(refused(&unusable), "page-invalid");
}

#[test]
fn what_is_no_field_may_be_left_in_the_list_of_fields() {
    let listing = |entries: &str| {
        let mut objects = PdfBuilder::new().objects();
        let form = "/AcroForm << /Fields [8 0 R] >>";
        objects.set(1, format!("<< /Type /Catalog /Pages 2 0 R {form} >>"));
        objects.set_stream(8, entries, "q Q");
        table(&objects)
    };

    assert_taken(&listing("/Subtype /Form"));
    // Some readers accept a stream as a dictionary.
    for entries in ["/FT /Sig", "/T (a)", "/Kids [5 0 R]", "/V 4 0 R"] {
        assert_eq!(refused(&listing(entries)), "form-tree", "{entries}");
    }
}

#[test]
fn a_number_may_be_used_again_by_another_generation() {
    let document = PdfBuilder::new()
        .cross_reference(CrossReference::Stream)
        .build();
    let (prev, own) = (
        number_after(&document, "startxref\n"),
        number_after(&document, "/Size "),
    );
    // The page is an unchanged member of an object stream.
    let with_content = |of_page: &str| {
        let mut bytes = document.clone();
        let mut row = |body: String, generation: u16| {
            let offset = u32::try_from(bytes.len()).unwrap();
            bytes.extend_from_slice(body.as_bytes());
            let offset = offset.to_be_bytes();
            [&[1][..], &offset, &generation.to_be_bytes()].concat()
        };
        let page = "/Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]";
        let page = format!("5 0 obj\n<< {page} /Contents {of_page} >>\nendobj\n");
        let rows = [row(page, 0), row(HIDDEN.replace("9 0 obj", "6 1 obj"), 1)];
        let start = bytes.len();
        let head = format!(
            "{own} 0 obj\n<< /Type /XRef /Size {} /Root 1 0 R /Prev {prev} /W [1 4 2] \
             /Index [5 2] /Length 14 >>\nstream\n",
            own + 1
        );
        let tail = format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n");
        [&bytes, head.as_bytes(), &rows.concat(), tail.as_bytes()].concat()
    };

    assert_taken(&with_content("6 1 R"));
    assert_eq!(refused(&with_content("6 0 R")), "xref-ambiguous");
}

#[test]
fn what_only_viewers_read_may_be_said_twice() {
    let with_catalog = |entries: &str| {
        let mut objects = PdfBuilder::new().objects();
        objects.set(1, format!("<< /Type /Catalog /Pages 2 0 R {entries} >>"));
        table(&objects)
    };

    // TCPDF, with bookmarks.
    let document = with_catalog("/PageMode /UseNone /PageMode /UseOutlines");
    assert_taken(&document);
    let signed = P256.signs(&document).unwrap();
    let text = String::from_utf8_lossy(&signed);
    let (_, catalog) = text.rsplit_once("\n1 0 obj").expect("a catalog");
    let (catalog, _) = catalog.split_once("endobj").expect("its end");
    let saved = |value: &str| {
        let saved = updated(&signed, &[(1, &catalog.replacen("/UseNone", value, 1))]);
        integrities(&saved).unwrap()
    };
    assert_eq!(saved("/UseOutlines"), ["intact"], "one of both");
    assert_ne!(saved("/FullScreen"), ["intact"]);
    let form = "/AcroForm << /Fields [] >>";
    assert_taken(&with_catalog(&format!("{form} /Lang (lt) {form}")));
    let other = "/AcroForm << /Fields [5 0 R] >>";
    let twice = with_catalog(&format!("{form} {other}"));
    assert_eq!(refused(&twice), "object-damaged");
}

#[test]
fn a_link_may_start_a_program_that_is_clicked() {
    let with_link = |entries: &str| {
        let link = format!("<< /Subtype /Link /Rect [0 0 9 9] {entries} >>");
        table(&with_page(&format!(
            "/MediaBox [0 0 595 842] /Annots [{link}]"
        )))
    };
    let launch = "<< /S /Launch /F (a.pdf) >>";

    let clicked = with_link(&format!("/A {launch}"));
    assert_eq!(notes(&clicked), ["launch"]);
    assert_taken(&clicked);
    for event in ["E", "PO", "U"] {
        let document = with_link(&format!("/AA << /{event} {launch} >>"));
        assert_eq!(refused(&document), "launch-action", "{event}");
    }
}
