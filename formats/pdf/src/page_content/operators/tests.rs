use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;

use super::*;

fn operators(content: &[u8]) -> Vec<String> {
    let names = Operators::new(content).filter_map(|operand| match operand {
        Operand::Operator(name) => Some(String::from_utf8_lossy(name).into_owned()),
        _ => None,
    });
    names.collect()
}

fn is_clear(content: &[u8]) -> bool {
    let mut operators = Operators::new(content);
    while operators.next().is_some() {}
    operators.is_clear()
}

#[test]
fn what_stands_in_strings_and_comments_is_no_operator() {
    let content = b"q (a Q \\) (b) Q) Tj % Q Q\n<51> Tj[(Q)-5.5<>]TJ/Q gs Q";

    assert_eq!(operators(content), ["q", "Tj", "Tj", "TJ", "gs", "Q"]);
    assert!(is_clear(content));
}

#[test]
fn an_inline_image_is_as_long_as_its_entries_say() {
    let content = b"q BI /W 3 /H 1 /BPC 8 /CS /G ID \x01\xFFQ EI Q";

    assert_eq!(operators(content), ["q", "BI", "ID", "EI", "Q"]);
    assert!(is_clear(content));
}

#[test]
fn a_content_is_not_clear_when_its_images_inflate_to_more_than_allowed_together() {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&[0; 100_000]).unwrap();
    let counted = 100_000 + inline_image::COUNTED_BYTES;
    let entries = b"BI /W 100000 /H 1 /BPC 8 /CS /G /F /Fl ID ";
    let image = [&entries[..], &encoder.finish().unwrap(), b" EI\n"].concat();
    let is_clear = |images, bytes| {
        let content = image.repeat(images);
        let mut operators = Operators::with_image_bytes(&content, bytes);
        while operators.next().is_some() {}
        operators.is_clear()
    };

    assert!(is_clear(3, 3 * counted));
    assert!(!is_clear(3, 3 * counted - 1));
    let most = usize::try_from(MAX_IMAGE_BYTES / counted).unwrap();
    assert!(is_clear(most, u64::MAX));
    assert!(!is_clear(most + 1, u64::MAX));
}

#[test]
fn an_inline_image_of_unknown_length_ends_with_its_last_line() {
    let content = b"q BI /W 1 /H 1 ID \x01 EI\x02\xFF Q EI \xF0\x9F EI Q";

    assert_eq!(operators(content), ["q", "BI", "ID", "EI", "Q"]);
    assert!(!is_clear(content));
    assert_eq!(operators(b"BI ID \x00\x01"), ["BI", "ID"]);
    assert_eq!(operators(b"ID Q"), ["ID", "Q"]);
}

#[test]
fn content_is_clear_where_every_reader_reads_the_same() {
    for content in [
        &b""[..],
        b"q 1 0 0 1 0 0 cm Q % end",
        b"/OC /A BDC /Span << /ActualText (x) /A [1 true null] >> BDC EMC EMC",
        b"[3 2] 0 d -.5 +5 5. .5 rg 1 2 3 -4-5 1..2 k",
        b"BT (a)Tj (b)' 1 2(c)\" ET",
        b"/P scn 1 sc BX EX",
        b"BX /Sh0 foo [1 (a)] << /A /B >> bar EX",
        b"BX BX foo EX BI /W 1 /H 1 /BPC 8 /CS /G ID \x01 EI bar EX",
    ] {
        assert!(is_clear(content), "{}", String::from_utf8_lossy(content));
    }
}

#[test]
fn content_is_not_clear_where_readers_may_differ_or_something_has_no_end() {
    for content in [
        &b"(never (ends)"[..],
        b"<41",
        b"[1 2",
        b"/A << /B",
        b"[(a)] ]TJ",
        b"q >> Q",
        b"q ) Q",
        b"q { Q",
        b"[Q] 0 d",
        b"q /A << /B Q >> DP",
        b"0Q",
        b"Q0",
        b"qQ",
        b"1e5 w",
        b"- w",
        b"1 0 cm",
        b"Tj",
        b"1 2 3",
        b"sh",
        b"foo",
        b"BX EX foo",
        b"EX BX foo EX",
        b"BX EX EX BX foo EX",
        b"BX EMCs EX",
        b"BX qs EX",
        b"BX q1 EX",
        b"BX f\x80o EX",
        b"BX 1 0 cm EX",
        b"ID q",
        b"EI",
        b"BI /W 1 q ID x EI",
        b"BI /W 1 /H 1 /BPC 8 /CS /G ID \x01",
        b"BI /W 1 /H 1 /BPC 8 /CS /G ID \x01 Q EI",
        b"BI /W 1",
    ] {
        assert!(!is_clear(content), "{}", String::from_utf8_lossy(content));
    }
    assert!(!is_clear(&b"[".repeat(MAX_NESTING + 1)));
    let operands = |count| [b"1 ".repeat(count).as_slice(), b"scn"].concat();
    assert!(is_clear(&operands(MAX_OPERANDS)));
    assert!(!is_clear(&operands(MAX_OPERANDS + 1)));
}

#[test]
fn an_empty_string_has_no_characters() {
    let strings = |content| {
        let strings = Operators::new(content).filter_map(|operand| match operand {
            Operand::String { is_empty } => Some(is_empty),
            _ => None,
        });
        strings.collect::<Vec<_>>()
    };

    assert_eq!(
        strings(b"() ( ) < > <20> (("),
        [true, false, true, false, false]
    );
}

proptest! {
    #[test]
    fn whatever_the_content_is_it_ends(content in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut operators = Operators::new(&content);
        while operators.next().is_some() {}
        prop_assert_eq!(operators.position(), content.len());
    }
}
