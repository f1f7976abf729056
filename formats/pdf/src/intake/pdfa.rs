//! PDF/A identification in the metadata (ISO 19005-1, 6.7.11).

use lopdf::Object;
use memchr::memmem;
use parafa_format_core::Note;

use crate::structure::{Decoder, PdfFile};

const PART: &[u8] = b"pdfaid:part";
const CONFORMANCE: &[u8] = b"pdfaid:conformance";

/// Returns a note if the metadata identify the document as PDF/A.
pub(super) fn note(file: &PdfFile<'_>) -> Option<Note> {
    let Object::Stream(metadata) = file.entry(file.catalog().ok()?, b"Metadata")? else {
        return None;
    };
    let metadata = Decoder::new(file.limits()).decode_object(metadata).ok()?;
    let part = char::from(value(&metadata, PART).filter(u8::is_ascii_digit)?);
    let conformance = value(&metadata, CONFORMANCE).filter(u8::is_ascii_alphabetic);
    let level: String = conformance
        .map(|level| char::from(level).to_ascii_lowercase())
        .into_iter()
        .collect();
    Some(Note::new(
        "pdfa",
        format!("The document says that it is PDF/A-{part}{level}."),
    ))
}

/// Returns the first character of a property, written as an element or an
/// attribute.
fn value(metadata: &[u8], property: &[u8]) -> Option<u8> {
    let start = memmem::find(metadata, property)? + property.len();
    let rest = metadata.get(start..)?;
    let value = rest.iter().position(|byte| {
        !matches!(
            byte,
            b'=' | b'"' | b'\'' | b'>' | b' ' | b'\t' | b'\r' | b'\n'
        )
    })?;
    rest.get(value).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_is_an_element_or_an_attribute() {
        assert_eq!(value(b"<pdfaid:part>2</pdfaid:part>", PART), Some(b'2'));
        assert_eq!(
            value(b"<rdf:Description pdfaid:part = '3'/>", PART),
            Some(b'3')
        );
        assert_eq!(value(b"<other/>", PART), None);
    }
}
