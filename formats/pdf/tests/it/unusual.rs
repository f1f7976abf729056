//! Files with common deviations from the standard. They are accepted where all
//! readers agree, and refused where they may not.

use parafa_fixtures::PdfBuilder;

use crate::ceremony::P256;
use crate::flatten::{assert_form_is_gone, flattened, form, written};
use crate::intake::{inspected, notes, refused, table};
use crate::referees::{assert_openssl_accepts, assert_pyhanko_accepts};

const CONTENT: &str = "BT /F1 12 Tf 72 700 Td (Sutinku) Tj ET";

/// A file of one page with its deviation.
struct Unusual<'a> {
    /// The first line.
    header: &'a [u8],
    /// Between `stream` and the data.
    before_data: &'a str,
    /// Between the data and `endstream`.
    after_data: &'a str,
    /// At the end of each entry of the cross-reference table.
    entry_end: &'a str,
    /// Before the object of the page's content, object 5.
    before_content: &'a str,
    /// After that object.
    hidden: &'a str,
    /// After `%%EOF`.
    trailing: &'a [u8],
}

const USUAL: Unusual<'_> = Unusual {
    header: b"%PDF-1.4\n",
    before_data: "\n",
    after_data: "\n",
    entry_end: " \n",
    before_content: "",
    hidden: "",
    trailing: b"\n",
};

impl Unusual<'_> {
    fn written(&self) -> Vec<u8> {
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [] >> >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R \
             /Resources << /Font << /F1 4 0 R >> >> >>"
                .to_owned(),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
            format!(
                "<< /Length {} >>\nstream{}{CONTENT}{}endstream",
                CONTENT.len(),
                self.before_data,
                self.after_data
            ),
        ];
        let mut file = self.header.to_vec();
        let mut table = format!("0000000000 65535 f{}", self.entry_end);
        for (object, number) in objects.iter().zip(1..) {
            if number == objects.len() {
                file.extend(self.before_content.as_bytes());
            }
            table += &format!("{:010} 00000 n{}", file.len(), self.entry_end);
            file.extend(format!("{number} 0 obj\n{object}\nendobj\n").into_bytes());
        }
        file.extend(self.hidden.as_bytes());
        let start = file.len();
        let end = format!(
            "xref\n0 6\n{table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF"
        );
        file.extend(end.into_bytes());
        file.extend(self.trailing);
        file
    }
}

/// Returns the usual file with a change.
fn unusual<'a>(change: impl FnOnce(&mut Unusual<'a>)) -> Vec<u8> {
    let mut file = USUAL;
    change(&mut file);
    file.written()
}

/// Returns deviations that all readers read alike.
fn harmless() -> [Vec<u8>; 10] {
    [
        unusual(|file| file.entry_end = "\n"),
        unusual(|file| file.entry_end = "\r"),
        unusual(|file| file.header = b"%PDF-1.4 \n"),
        unusual(|file| file.header = b"%PDF-1.4 %\xE2\xE3\xCF\xD3\r\n"),
        unusual(|file| file.after_data = "\n\n"),
        unusual(|file| file.after_data = " \r\n"),
        unusual(|file| file.before_data = " \n"),
        unusual(|file| file.before_data = "  \r\n"),
        unusual(|file| file.before_data = "\r"),
        Unusual {
            before_data: "\r",
            after_data: "\r\r",
            entry_end: "\r",
            ..USUAL
        }
        .written(),
    ]
}

#[test]
fn what_all_readers_read_alike_is_taken_and_signed() {
    for document in harmless() {
        assert_eq!(notes(&document), [""; 0]);

        let signed = P256.signs(&P256.signs(&document).unwrap()).unwrap();

        assert!(signed.starts_with(&document));
        assert_openssl_accepts(&signed);
        assert_pyhanko_accepts(&signed, 2, false);
    }
}

#[test]
fn a_file_that_is_written_anew_is_written_as_it_should_be() {
    for document in harmless() {
        let made = flattened(&document).unwrap();

        let expected = format!("stream\n{CONTENT}\nendstream");
        let text = String::from_utf8_lossy(&made);
        assert!(text.starts_with("%PDF-1.4\n"), "{text}");
        assert!(text.contains(&expected), "{text}");
        assert_eq!(notes(&made), [""; 0]);
    }
}

#[test]
fn much_that_follows_the_end_is_noted_and_kept() {
    let trailing = "x".repeat(5000);
    let document = unusual(|file| file.trailing = trailing.as_bytes());

    assert_eq!(notes(&document), ["trailing-data"]);
    let signed = P256.signs(&document).unwrap();

    assert!(signed.starts_with(&document));
    assert_eq!(inspected(&signed).unwrap().signatures.len(), 1);
    assert_openssl_accepts(&signed);
    assert_pyhanko_accepts(&signed, 1, false);
}

#[test]
fn where_data_begins_or_ends_must_be_certain() {
    for (before_data, after_data) in [
        ("", "\n"),
        (" ", "\n"),
        ("\t\n", "\n"),
        ("%\n", "\n"),
        ("\n", "x"),
    ] {
        let document = unusual(|file| {
            (file.before_data, file.after_data) = (before_data, after_data);
        });

        let told = format!("{before_data:?} {after_data:?}");
        assert_eq!(refused(&document), "object-damaged", "{told}");
    }
}

#[test]
fn an_object_that_is_not_what_it_should_be_is_named() {
    let detail = |number: u32, body: &str| {
        let mut objects = PdfBuilder::new().objects();
        objects.set(number, body);
        let refusal = inspected(&table(&objects)).unwrap_err();
        assert_eq!(refusal.code, "object-damaged", "{refusal}");
        refusal.detail
    };

    // AutoCAD writes metadata this way.
    let metadata = "<< /Type /Metadata >>\nstream\n<x/>\nendstream";
    let detail_of_metadata = detail(12, metadata);
    assert!(detail_of_metadata.starts_with("The object 12 0 at byte "));
    assert!(detail_of_metadata.ends_with(": the stream has no /Length."));
    assert_eq!(
        detail(1, "<< /Pages 2 0 R >>"),
        "The object 1 0 is not a catalog."
    );
}

/// Content for readers that scan the bytes, and for no other reader.
const HIDDEN: [&str; 5] = [
    "5 0 obj\n<< /Length 0 >>\nstream\n\nendstream\nendobj\n",
    "5 0\nobj<< /Length 0 >>\nstream\n\nendstream\nendobj\n",
    "5 %\n0 obj\n<< /Length 0 >>\nstream\n\nendstream\nendobj\n",
    "9 0 obj\n<< /Type /Page >>\nendobj\n",
    "trailer\n<< /Root 9 0 R >>\n",
];

#[test]
fn readers_that_look_for_the_objects_must_find_the_same() {
    let far = "x".repeat(600);
    for hidden in HIDDEN {
        assert!(inspected(&Unusual { hidden, ..USUAL }.written()).is_ok());
        for document in [
            Unusual {
                hidden,
                entry_end: "\n",
                ..USUAL
            },
            Unusual {
                hidden,
                trailing: far.as_bytes(),
                ..USUAL
            },
            Unusual {
                hidden,
                trailing: &[0; 600],
                ..USUAL
            },
            Unusual {
                trailing: ["\n", hidden, &far].concat().as_bytes(),
                ..USUAL
            },
        ] {
            assert_eq!(refused(&document.written()), "xref-ambiguous", "{hidden}");
        }
    }
}

#[test]
fn what_seems_to_be_an_older_object_must_be_that_to_every_reader() {
    let far = "x".repeat(600);
    let older = "5 0 obj\n<< >>\nendobj\n";
    let replaced = Unusual {
        before_content: older,
        trailing: far.as_bytes(),
        ..USUAL
    };
    assert!(inspected(&replaced.written()).is_ok());
    for start in ["4%5\n0", "4%5\r 0", "4 %5 0", "4 /5 0", "4 x5 0", "4 .5 0"] {
        let before_content = &older.replacen("5 0", start, 1);
        let hidden = Unusual {
            before_content,
            ..replaced
        };
        assert_eq!(refused(&hidden.written()), "xref-ambiguous", "{start}");
    }
}

#[test]
fn a_file_that_is_read_leniently_must_have_a_page_tree() {
    for (kids, expected) in [
        ("/Kids [5 0 R]", None),
        ("/Kids 40 0 R", None),
        ("/Kids 41 0 R", Some("page-tree")),
        ("/Kids 99 0 R", Some("page-tree")),
        ("", Some("page-tree")),
    ] {
        let mut objects = PdfBuilder::new().objects();
        objects.set(2, format!("<< /Type /Pages /Count 1 {kids} >>"));
        objects.set(40, "[5 0 R]");
        objects.set(41, "<< /Kids [5 0 R] >>");
        let mut document = table(&objects);
        assert!(document.starts_with(b"%PDF-1.7\n%"));
        for byte in [b'\n', b' '] {
            document[8] = byte;

            let refusal = inspected(&document).err();

            let code = refusal.map(|refusal| refusal.code);
            assert_eq!(code.as_deref(), expected, "{kids} {byte}");
        }
    }
}

#[test]
fn what_follows_the_end_is_gone_through_once() {
    let sound = USUAL.written();
    let followed_by = |words: &str| [&sound, words.repeat(1_600_000).as_bytes()].concat();

    assert_eq!(notes(&followed_by("xtrailer%")), ["trailing-data"]);
    assert_eq!(refused(&followed_by("trailer%")), "xref-ambiguous");
}

#[test]
fn a_stream_without_data_is_empty_whatever_its_filters() {
    for filter in [
        "/FlateDecode",
        "[/FlateDecode]",
        "[/ASCII85Decode /FlateDecode]",
        "/LZWDecode",
    ] {
        let mut objects = form(&["/FT /Btn /T (a) /AP << /N 60 0 R >>"]);
        objects.set_stream(6, format!("/Filter {filter}"), "");
        let entries = format!("/Subtype /Form /BBox [0 0 9 9] /Filter {filter}");
        objects.set_stream(60, entries, "");

        assert_form_is_gone(&flattened(&written(&objects)).unwrap());
    }
}
