//! Digests of canonical forms by xmlsec1. It signs, with its own key, a
//! signature that is inserted into the document and refers to elements by
//! position.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parafa_fixtures::tool::program;
use parafa_xml::{Canonicalization, Document, Element, Limits};
use sha2::{Digest, Sha256};

const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";

/// Compares the canonical forms of elements of a document, for all algorithms.
/// Returns their number, or `None` without xmlsec1.
#[track_caller]
pub(crate) fn assert_agrees(
    xml: &str,
    prefixes: &[&str],
    of_interest: impl Fn(Element<'_>) -> bool,
) -> Option<usize> {
    let xmlsec1 = program("xmlsec1")?;
    let document = Document::parse(xml.as_bytes(), &Limits::default()).unwrap();
    let root = document.root();
    let Some(last_tag) = xml[root.range()].rfind("</") else {
        return Some(0);
    };
    let end = root.range().start + last_tag;

    let mut references = String::new();
    let mut expected = Vec::new();
    // The signature is inserted into the document element.
    for element in root
        .descendants()
        .skip(1)
        .filter(|element| of_interest(*element))
    {
        for algorithm in Canonicalization::ALL {
            let path = path(element);
            reference(&mut references, &path, algorithm, prefixes);
            let bytes = element.canonicalize(algorithm, prefixes).unwrap();
            expected.push((path, algorithm, bytes));
        }
    }
    if expected.is_empty() {
        return Some(0);
    }
    let template = format!(
        "{}<Signature xmlns=\"{DSIG}\"><SignedInfo>\
         <CanonicalizationMethod Algorithm=\"{}\"/>\
         <SignatureMethod Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#hmac-sha256\"/>\
         {references}</SignedInfo><SignatureValue/></Signature>{}",
        &xml[..end],
        Canonicalization::EXCLUSIVE.uri(),
        &xml[end..],
    );
    let signed = sign(&xmlsec1, &template);
    let signed = Document::parse(signed.as_bytes(), &Limits::default()).unwrap();
    let digests = signed
        .root()
        .descendants()
        .filter(|element| element.is(DSIG, "DigestValue"))
        .map(Element::text);
    let digests: Vec<_> = digests.collect();
    let digests = &digests[digests.len() - expected.len()..];
    for (digest, (path, algorithm, bytes)) in digests.iter().zip(&expected) {
        assert_eq!(
            *digest,
            BASE64_STANDARD.encode(Sha256::digest(bytes)),
            "{path} by {algorithm:?} is {}\nin {xml}",
            String::from_utf8_lossy(bytes),
        );
    }
    Some(expected.len())
}

fn reference(references: &mut String, path: &str, algorithm: Canonicalization, prefixes: &[&str]) {
    let inclusive = if prefixes.is_empty() || !algorithm.uri().contains("exc-c14n") {
        String::new()
    } else {
        format!(
            "<ec:InclusiveNamespaces xmlns:ec=\"{}\" PrefixList=\"{}\"/>",
            Canonicalization::EXCLUSIVE.uri(),
            prefixes.join(" ")
        )
    };
    write!(
        references,
        "<Reference URI=\"#xpointer(/)\"><Transforms>\
         <Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xpath-19991116\">\
         <XPath>count(ancestor-or-self::node()|{path})=count(ancestor-or-self::node())</XPath>\
         </Transform><Transform Algorithm=\"{}\">{inclusive}</Transform></Transforms>\
         <DigestMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"/>\
         <DigestValue/></Reference>",
        algorithm.uri()
    )
    .unwrap();
}

/// Returns the XPath of an element by its position.
fn path(element: Element<'_>) -> String {
    let Some(parent) = element.parent() else {
        return "/*".to_owned();
    };
    let place = parent
        .children()
        .position(|child| child == element)
        .unwrap()
        + 1;
    format!("{}/*[{place}]", path(parent))
}

fn sign(xmlsec1: &Path, template: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let [key, input, output] = ["key", "in.xml", "out.xml"].map(|name| folder.path().join(name));
    fs::write(&key, [7; 32]).unwrap();
    fs::write(&input, template).unwrap();
    let run = Command::new(xmlsec1)
        .arg("--sign")
        .arg("--hmackey")
        .arg(&key)
        .args(["--node-xpath", "/*/*[last()]", "--output"])
        .args([&output, &input])
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}\n{template}",
        String::from_utf8_lossy(&run.stderr)
    );
    fs::read_to_string(output).unwrap()
}
