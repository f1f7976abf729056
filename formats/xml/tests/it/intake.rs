use parafa_xml::{Document, Limits};
use proptest::prelude::*;

#[track_caller]
fn assert_refused(xml: impl AsRef<[u8]>, code: &str) {
    let error = Document::parse(xml.as_ref(), &Limits::default()).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
}

#[test]
fn document_types_are_refused_wherever_they_stand() {
    for xml in [
        "<!DOCTYPE x><x/>",
        "<?xml version='1.0'?><!-- a --><!DOCTYPE x [<!ENTITY e 'e'>]><x>&e;</x>",
        "<!DOCTYPE x SYSTEM 'http://example.com/x.dtd'><x/>",
    ] {
        assert_refused(xml, "xml-doctype");
    }
}

#[test]
fn entities_of_a_document_type_do_not_exist() {
    assert_refused("<x>&e;</x>", "xml-invalid");
    assert_refused("<x a='&e;'/>", "xml-invalid");
}

#[test]
fn what_is_not_well_formed_is_refused() {
    for xml in [
        "",
        "x",
        "<x>",
        "<x></y>",
        "<x/><y/>",
        "<x a='1' a='2'/>",
        "<a:x/>",
        "<x a='<'/>",
        "<x>]]></x>",
        "<x>\u{1}</x>",
        "<x>&#0;</x>",
        "<x xmlns:a='urn:1' xmlns:b='urn:1' a:k='1' b:k='2'/>",
        "<?xml version='1.1'?><x/>",
    ] {
        assert_refused(xml, "xml-invalid");
    }
}

#[test]
fn other_encodings_than_utf_8_are_refused() {
    assert_refused([b'<', b'x', b'>', 0xff], "xml-invalid");
    assert_refused(
        "<?xml version='1.0' encoding='ISO-8859-13'?><x/>",
        "xml-invalid",
    );
    let utf_16: Vec<u8> = "\u{feff}<x/>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_refused(utf_16, "xml-invalid");
    assert!(Document::parse(b"\xef\xbb\xbf<x/>", &Limits::default()).is_ok());
}

#[test]
fn white_space_that_readers_have_to_change_is_refused() {
    for space in ["\t", "\n", "\r\n"] {
        assert_refused(format!("<x a='{space}'/>"), "xml-invalid");
        let outside = format!("<x{space}a='&#9;'{space}/>");
        assert!(Document::parse(outside.as_bytes(), &Limits::default()).is_ok());
    }
}

#[test]
fn what_is_beyond_a_limit_is_refused_before_a_tree_is_made() {
    let limits = Limits::default();
    let too_deep = "<x>".repeat(200_000);
    assert_refused(too_deep, "xml-too-large");
    let nested = format!("{}{}", "<x>".repeat(65), "</x>".repeat(65));
    assert!(Document::parse(nested.as_bytes(), &limits).is_err());
    assert_refused(vec![b' '; limits.bytes + 1], "xml-too-large");
    let attributes: String = (0..=limits.attributes)
        .map(|k| format!(" a{k}='>'"))
        .collect();
    assert_refused(format!("<x{attributes}/>"), "xml-too-large");
    let declarations = "<y xmlns='urn:1'/>".repeat(limits.namespace_declarations + 1);
    assert_refused(format!("<x>{declarations}</x>"), "xml-too-large");
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in any::<Vec<u8>>()) {
        let _ = Document::parse(&bytes, &Limits::default());
    }

    #[test]
    fn no_markup_makes_it_panic(
        pieces in proptest::collection::vec(
            prop::sample::select(vec![
                "<", ">", "/", "x", " ", "=", "'", "\"", "&", ";", "#", "!--", "--", "![CDATA[",
                "]]", "?", "xmlns", ":", "<x>", "</x>", "xml", "ą",
            ]),
            0..40,
        ),
    ) {
        let text = pieces.concat();
        if let Ok(document) = Document::parse(text.as_bytes(), &Limits::default()) {
            for element in document.root().descendants() {
                prop_assert!(text.get(element.range()).is_some());
            }
        }
    }
}
