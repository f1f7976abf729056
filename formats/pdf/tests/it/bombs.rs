//! Content that viewers would inflate for minutes, and documents that are too
//! long.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use parafa_fixtures::{CrossReference, Objects, PdfBuilder, plain};

use crate::intake::{inspected, refused, table};
use crate::rehearse::rehearsed;

const MIB: usize = 1024 * 1024;

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Returns pages with these contents.
fn pages(contents: &[&str]) -> Objects {
    let mut objects = PdfBuilder::new().objects();
    let kids: String = (0..contents.len())
        .map(|page| format!("{} 0 R ", 100 + page))
        .collect();
    let count = contents.len();
    objects.set(
        2,
        format!("<< /Type /Pages /Count {count} /MediaBox [0 0 595 842] /Kids [{kids}] >>"),
    );
    for (contents, number) in contents.iter().zip(100..) {
        objects.set(
            number,
            format!("<< /Type /Page /Parent 2 0 R /Contents {contents} >>"),
        );
    }
    objects
}

#[test]
fn content_is_inflated_to_a_limit_whatever_its_filters() {
    let blank = |len: usize| vec![b' '; len];
    let once = deflated(&blank(80 * MIB));
    let twice = deflated(&once);
    assert!(twice.len() < 4096);
    for (filter, data, is_bomb) in [
        ("/FlateDecode", deflated(&blank(60 * MIB)), false),
        ("/FlateDecode", once.clone(), true),
        ("[/FlateDecode /FlateDecode]", twice.clone(), true),
        // The final output is short, the intermediate one is not.
        ("[/FlateDecode /FlateDecode]", once.clone(), true),
        (
            "[/ASCIIHexDecode /FlateDecode]",
            b"789C 0300 0000 0001>".to_vec(),
            false,
        ),
        (
            "[/ASCIIHexDecode /FlateDecode /FlateDecode]",
            hex(&twice),
            true,
        ),
        (
            "[/RunLengthDecode /RunLengthDecode]",
            [129, 0].repeat(9),
            false,
        ),
        ("/DCTDecode", once, false),
    ] {
        for (contents, subtype) in [("6 0 R", ""), ("7 0 R", "/Subtype /Form")] {
            let mut objects = pages(&[contents]);
            objects.set_stream(6, format!("{subtype} /Filter {filter}"), data.clone());
            objects.set_stream(7, "", *b"/Fm Do");
            let document = table(&objects);

            if is_bomb {
                assert_eq!(refused(&document), "decompression-bomb", "{filter}");
                let rehearsed = rehearsed(&document);
                assert_eq!(rehearsed.unwrap_err().code, "decompression-bomb");
            } else {
                assert!(inspected(&document).is_ok(), "{filter}");
            }
        }
    }
}

#[test]
fn contents_of_one_page_count_together_and_of_all_pages_to_a_limit() {
    let with_streams = |contents: &[&str], streams: u32| {
        let mut objects = pages(contents);
        let data = vec![b' '; 40 * MIB];
        for number in 200..200 + streams {
            objects.set_deflated(number, "", &data);
        }
        objects.write("1.7", CrossReference::Table, "/Root 1 0 R")
    };
    let apart = ["200 0 R", "201 0 R", "202 0 R", "203 0 R"];

    assert!(inspected(&with_streams(&["200 0 R"; 20], 1)).is_ok());
    assert!(inspected(&with_streams(&apart, 4)).is_ok());
    let together = with_streams(&["[200 0 R 201 0 R]"], 2);
    assert_eq!(refused(&together), "decompression-bomb");
    let repeated = with_streams(&["[200 0 R 200 0 R]"], 1);
    assert_eq!(refused(&repeated), "decompression-bomb");
}

#[test]
fn a_document_that_would_be_too_long_when_it_is_signed_is_refused() {
    let followed_by = |len: usize| [plain(1), vec![b'\n'; len]].concat();

    assert_eq!(refused(&followed_by(62 * MIB)), "document-too-long");
    assert!(inspected(&followed_by(MIB)).is_ok());
}

fn hex(data: &[u8]) -> Vec<u8> {
    let digits = data.iter().map(|byte| format!("{byte:02X}"));
    let digits: String = digits.collect();
    format!("{digits}>").into_bytes()
}
