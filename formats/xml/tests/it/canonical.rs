use std::fs;
use std::io::Read as _;

use flate2::read::DeflateDecoder;
use parafa_fixtures::tool::samples;
use parafa_format_core::MemoryBlob;
use parafa_xml::{Canonicalization, Document, Element, Limits};
use parafa_zip::Archive;
use proptest::prelude::*;

use crate::generated::document;
use crate::xmlsec::assert_agrees;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn xmlsec1_finds_the_same_canonical_forms(xml in document()) {
        assert_agrees(&xml, &[], |_| true);
        assert_agrees(&xml, &["a", "#default", "absent"], |_| true);
    }

    #[test]
    fn a_canonical_form_is_its_own(xml in document()) {
        let document = Document::parse(xml.as_bytes(), &Limits::default()).unwrap();
        for algorithm in Canonicalization::ALL {
            let once = document.root().canonicalize(algorithm, &[]).unwrap();
            let again = Document::parse(&once, &Limits::default()).unwrap();
            prop_assert_eq!(again.root().canonicalize(algorithm, &[]).unwrap(), once);
        }
    }
}

#[test]
fn base_addresses_are_joined_by_version_1_1_alone() {
    let xml = "<r xml:base='http://a/b/'><m xml:base='c/'><e xml:base='d'>1</e></m></r>";
    assert_agrees(xml, &[], |_| true);
}

#[test]
fn an_identifier_that_version_1_1_does_not_inherit_is_refused() {
    let xml = "<r xml:id='r'><m/><m xml:id='m'/></r>";
    let document = Document::parse(xml.as_bytes(), &Limits::default()).unwrap();
    let canonical =
        |element: Element<'_>| element.canonicalize(Canonicalization::INCLUSIVE_11, &[]);
    let inherited: Vec<_> = document.root().children().map(canonical).collect();

    assert!(inherited[0].is_err());
    assert_eq!(
        inherited[1].as_deref(),
        Ok(br#"<m xml:id="m"></m>"#.as_slice())
    );
}

#[test]
fn algorithms_are_known_by_their_identifiers() {
    for algorithm in Canonicalization::ALL {
        assert_eq!(Canonicalization::from_uri(algorithm.uri()), Some(algorithm));
    }
    let xslt = "http://www.w3.org/TR/1999/REC-xslt-19991116";
    assert_eq!(Canonicalization::from_uri(xslt), None);
}

/// Uses XML members of public sample containers: manifests, metadata and
/// signatures by many writers.
#[test]
fn xmlsec1_finds_the_same_canonical_forms_in_samples() {
    let Some(folder) = samples() else {
        return;
    };
    let mut compared = 0;
    for name in ["containers", "generated"] {
        let mut files: Vec<_> = fs::read_dir(folder.join(name)).unwrap().collect();
        files.sort_by_key(|file| file.as_ref().unwrap().file_name());
        for file in files {
            let bytes = fs::read(file.unwrap().path()).unwrap();
            for xml in xml_members(bytes) {
                let Some(cases) = assert_agrees(&xml, &[], is_signed) else {
                    return;
                };
                compared += cases;
            }
        }
    }
    assert!(compared > 1000, "{compared} forms were compared");
    println!("{compared} canonical forms");
}

/// Returns whether signatures of containers cover elements like this one.
fn is_signed(element: Element<'_>) -> bool {
    const NAMES: [&str; 4] = [
        "SignedInfo",
        "SignedProperties",
        "SignatureValue",
        "KeyInfo",
    ];

    NAMES.contains(&element.local_name()) || element.attribute("ID").is_some()
}

/// Returns the XML members that are not refused.
fn xml_members(bytes: Vec<u8>) -> Vec<String> {
    let blob = MemoryBlob(bytes);
    let Ok(archive) = Archive::read(&blob, &parafa_zip::Limits::default()) else {
        return Vec::new();
    };
    let members = archive
        .members()
        .filter(|member| member.name.ends_with(".xml"));
    let texts = members.filter_map(|member| {
        let begins = usize::try_from(member.data_offset).ok()?;
        let data = &blob.0[begins..][..usize::try_from(member.data_len).ok()?];
        let mut text = String::new();
        if member.deflated {
            DeflateDecoder::new(data).read_to_string(&mut text).ok()?;
        } else {
            text.push_str(std::str::from_utf8(data).ok()?);
        }
        Document::parse(text.as_bytes(), &Limits::default()).ok()?;
        Some(text)
    });
    texts.collect()
}
