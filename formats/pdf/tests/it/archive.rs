//! Archiving: adds the material needed for verification, and nothing else.

mod anchors;
mod asked;
mod document_timestamps;
mod evidence;
mod hostile;
mod levels;
mod other_profiles;
mod referees;
mod revoked;
mod tampered;
mod unverifiable_timestamps;
mod written;

use openssl::x509::X509;
use parafa_format_core::{Answer, Integrity, Need, NeedKind, Step};

use crate::archiving::{HIERARCHY, certificate, request, step, subject};
use crate::earlier_signatures::{number_after, object, updated, with_entries};
use crate::pki::{Holder, Pki};
use crate::verify::evidence;

/// Returns a document signed by Ona.
fn signed(document: &[u8]) -> Vec<u8> {
    HIERARCHY.signed(document, &[&HIERARCHY.ona])
}

fn levels(document: &[u8]) -> Vec<(String, Integrity)> {
    evidence(document)
        .into_iter()
        .map(|signature| (signature.level, signature.integrity))
        .collect()
}

fn level(document: &[u8]) -> String {
    let levels = levels(document);
    let [(level, Integrity::Intact)] = &levels[..] else {
        panic!("{levels:?}")
    };
    level.clone()
}

/// Returns the level of the first signature, which is intact.
fn level_of_first(document: &[u8]) -> String {
    let (level, integrity) = levels(document).swap_remove(0);
    assert_eq!(integrity, Integrity::Intact);
    level
}

fn long_term(signatures: usize) -> Vec<(String, Integrity)> {
    vec![("PAdES-B-LT".to_owned(), Integrity::Intact); signatures]
}

fn needs(document: &[u8], answers: &[Answer]) -> Vec<Need> {
    match step(document, &request(), answers).unwrap() {
        (Step::Needs(needs), _) => needs,
        (Step::Done(outcome), _) => panic!("{outcome:?}"),
    }
}

/// Returns the needs by kind and name.
fn asked(needs: &[Need]) -> Vec<(&'static str, String)> {
    let mut asked: Vec<_> = needs
        .iter()
        .map(|need| (need.kind.name(), subject(need)))
        .collect();
    asked.sort();
    asked
}

/// Answers all needs soundly, except for the certificate with this name.
fn but(name: &str, other: impl Fn(&X509, &Holder) -> Vec<u8>) -> impl FnMut(&Need) -> Answer {
    move |need| {
        if need.kind == NeedKind::Revocation && subject(need) == name {
            let certificate = certificate(need);
            let issuer = HIERARCHY.issuer_of(&certificate);
            return need.answer(Ok(other(&certificate, issuer)));
        }
        HIERARCHY.answer(need)
    }
}

/// Adds a revision that extends the security store; `before` begins an array.
fn with_more(document: &[u8], before: &str, ders: &[Vec<u8>]) -> Vec<u8> {
    const FIRST: u32 = 3_000;

    let store = number_after(object(document, 1).as_bytes(), "/DSS ");
    let store = u32::try_from(store).unwrap();
    let streams: Vec<String> = ders.iter().map(|der| stream(der)).collect();
    let references: String = (FIRST..)
        .take(ders.len())
        .map(|number| format!("{number} 0 R "))
        .collect();
    let begun = format!("{before}{references}");
    let old = object(document, store);
    let new = match old.split_once(before) {
        Some((front, rest)) => format!("{front}{begun}{rest}"),
        None => with_entries(&old, &format!("{begun}]")),
    };
    let objects = (FIRST..).zip(streams.iter().map(String::as_str));
    let objects: Vec<(u32, &str)> = [(store, new.as_str())].into_iter().chain(objects).collect();
    updated(document, &objects)
}

fn stream(der: &[u8]) -> String {
    let hex: String = der.iter().map(|byte| format!("{byte:02X}")).collect();
    let len = hex.len() + 1;
    format!("<< /Filter /ASCIIHexDecode /Length {len} >>\nstream\n{hex}>\nendstream")
}

/// Adds a revision with a security store by another producer.
fn with_store(
    document: &[u8],
    certificates: &[Vec<u8>],
    responses: &[Vec<u8>],
    lists: &[Vec<u8>],
) -> Vec<u8> {
    const FIRST: u32 = 200;

    let streams: Vec<String> = [certificates, responses, lists]
        .concat()
        .iter()
        .map(|der| stream(der))
        .collect();
    let mut numbers = FIRST..;
    let mut references = |count: usize| {
        let references = numbers.by_ref().take(count);
        let references: Vec<String> = references.map(|number| format!("{number} 0 R")).collect();
        references.join(" ")
    };
    let store = format!(
        "/DSS << /Certs [{}] /OCSPs [{}] /CRLs [{}] >>",
        references(certificates.len()),
        references(responses.len()),
        references(lists.len())
    );
    let catalog = with_entries(&object(document, 1), &store);
    let objects = (FIRST..).zip(streams.iter().map(String::as_str));
    let objects: Vec<(u32, &str)> = [(1, catalog.as_str())].into_iter().chain(objects).collect();
    updated(document, &objects)
}

/// Adds a document time-stamp (ISO 32000-2, 12.8.5); it takes two object
/// numbers.
fn time_stamped(document: &[u8], pki: &Pki, field: u32) -> Vec<u8> {
    let entries = "/Type /DocTimeStamp /SubFilter /ETSI.RFC3161";
    with_value(document, field, entries, |covered| pki.timestamp(covered))
}

/// Adds a signature field; its value, computed from the covered bytes, has the
/// next object number.
fn with_value(
    document: &[u8],
    field: u32,
    entries: &str,
    make: impl FnOnce(&[u8]) -> Vec<u8>,
) -> Vec<u8> {
    const BLANK_RANGES: &str = "[0 1111111111 2222222222 3333333333]";
    const RESERVED_DIGITS: usize = 2 * 8192;

    let value = field + 1;
    let catalog = object(document, 1);
    let (form, fields, catalog) = if catalog.contains("/AcroForm ") {
        let form = u32::try_from(number_after(catalog.as_bytes(), "/AcroForm ")).unwrap();
        let fields = format!("/Fields [{field} 0 R ");
        let fields = object(document, form).replacen("/Fields [", &fields, 1);
        (form, fields, catalog)
    } else {
        let form = field + 2;
        let fields = format!("<< /Fields [{field} 0 R] /SigFlags 3 >>");
        let catalog = with_entries(&catalog, &format!("/AcroForm {form} 0 R"));
        (form, fields, catalog)
    };
    let widget = format!(
        "<< /FT /Sig /T (Field{field}) /V {value} 0 R /Type /Annot /Subtype /Widget \
         /Rect [0 0 0 0] /F 132 >>"
    );
    let blank = "0".repeat(RESERVED_DIGITS);
    let filled = format!(
        "<< {entries} /Filter /Adobe.PPKLite /ByteRange {BLANK_RANGES} /Contents <{blank}> >>"
    );
    let objects = [
        (1, catalog.as_str()),
        (form, fields.as_str()),
        (field, widget.as_str()),
        (value, filled.as_str()),
    ];
    let mut bytes = updated(document, &objects);
    let find = |bytes: &[u8], text: &[u8]| {
        let mut windows = bytes.windows(text.len());
        windows.rposition(|window| window == text).unwrap()
    };
    let start = find(&bytes, b"/Contents <") + "/Contents ".len();
    let end = start + RESERVED_DIGITS + 2;
    let ranges = format!("[0 {start:010} {end:010} {:010}]", bytes.len() - end);
    let at = find(&bytes, BLANK_RANGES.as_bytes());
    bytes[at..at + ranges.len()].copy_from_slice(ranges.as_bytes());
    let made = make(&[&bytes[..start], &bytes[end..]].concat());
    let hex: String = made.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes[start + 1..=start + hex.len()].copy_from_slice(hex.as_bytes());
    bytes
}
