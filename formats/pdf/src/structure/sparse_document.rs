//! Reading a file without the data of its long streams.
//!
//! Most of a long document is images, fonts and drawings; data that an
//! operation does not need is hashed and copied by the host. The omitted ranges
//! are guesses, and a wrong guess is harmless: omitted bytes cannot be read,
//! and a file that does not parse without them is read completely.

use memchr::memmem;
use parafa_format_core::Blob;

use super::budget::Budget;
use super::dictionary::{RawDictionary, as_name};
use super::indirect::{self, Length, ObjectHead};
use super::source::{OmittedStream, Source};
use crate::limits::Limits;

/// Read size and minimum length of omitted data, in bytes.
const CHUNK: u32 = 64 * 1024;

/// Maximum length of an omitted stream's head, from object number to data, in
/// bytes.
const MAX_HEAD_BYTES: usize = 4096;

/// Types of structural streams and those decoded by intake.
const KEPT_TYPES: [&[u8]; 3] = [b"Metadata", b"ObjStm", b"XRef"];

const STREAM: &[u8] = b"stream";

/// Long streams to read without their data.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Unread {
    /// All except those decoded to recognize the file.
    All,
    /// Images (ISO 32000-2, 8.9.5).
    Images,
}

/// The loaded parts of a file.
pub(super) struct SparseDocument {
    /// As long as the file, with zeros for omitted data.
    bytes: Vec<u8>,
    omissions: Vec<OmittedStream>,
}

impl SparseDocument {
    /// Reads a document without the data of such long streams.
    pub(super) fn read<B: Blob>(document: &B, unread: Unread) -> Self {
        let len = usize::try_from(document.len()).unwrap_or(usize::MAX);
        let mut excerpt = Self {
            bytes: Vec::with_capacity(len),
            omissions: Vec::new(),
        };
        let mut search = Search::default();
        while excerpt.bytes.len() < len {
            let chunk = document.read(excerpt.bytes.len() as u64, CHUNK);
            if chunk.is_empty() {
                break;
            }
            excerpt.bytes.extend_from_slice(&chunk);
            let unfinished = search.unfinished_stream(&excerpt.bytes);
            let stream = unfinished.and_then(|keyword| unread.long_stream(&excerpt.bytes, keyword));
            if let Some(stream) = stream.filter(|stream| stream.data.end <= len) {
                excerpt.leave_out(stream);
                search = Search {
                    from: excerpt.bytes.len(),
                    ..Search::default()
                };
            }
        }
        excerpt
    }

    /// Returns only the loaded parts.
    pub(super) fn source(&self) -> Source<'_> {
        Source::with_omissions(&self.bytes, &self.omissions)
    }

    /// Returns whether nothing was omitted.
    pub(super) fn is_whole(&self) -> bool {
        self.omissions.is_empty()
    }

    fn leave_out(&mut self, stream: OmittedStream) {
        self.bytes.truncate(stream.data.start);
        self.bytes.resize(stream.data.end, 0);
        self.omissions.push(stream);
    }
}

/// Progress of the search for stream keywords.
#[derive(Default)]
struct Search {
    from: usize,
    /// The last `stream` without an `endstream`.
    unfinished: Option<usize>,
}

impl Search {
    /// Returns the keyword of a stream that continues after the bytes read.
    fn unfinished_stream(&mut self, bytes: &[u8]) -> Option<usize> {
        let rest = bytes.get(self.from..).unwrap_or_default();
        for found in memmem::find_iter(rest, STREAM) {
            let keyword = self.from + found;
            let is_end = bytes
                .get(..keyword)
                .is_some_and(|bytes| bytes.ends_with(b"end"));
            self.unfinished = (!is_end).then_some(keyword);
        }
        // The next keyword may be split.
        self.from = bytes.len().saturating_sub(STREAM.len() - 1).max(self.from);
        self.unfinished
    }
}

impl Unread {
    /// Returns the stream with its keyword at a position, if its data is long
    /// and may be omitted.
    fn long_stream(self, bytes: &[u8], keyword: usize) -> Option<OmittedStream> {
        let start = keyword.saturating_sub(MAX_HEAD_BYTES);
        let before = bytes.get(start..keyword)?;
        let offset = start + start_of_header(before, memmem::rfind(before, b"obj")?)?;
        let head = bytes.get(offset..)?;
        let head = head.get(..MAX_HEAD_BYTES).unwrap_or(head);
        let opened = indirect::open(Source::whole(head), 0, &mut Budget::new(&Limits::default()));
        let Ok(ObjectHead::Stream {
            id,
            dictionary,
            data_start,
            length: Length::Direct(length),
        }) = opened
        else {
            return None;
        };
        let entries = RawDictionary::scan(head.get(dictionary)?).ok()?;
        if length < CHUNK as usize || !self.includes(&entries) {
            return None;
        }
        let data_start = offset + data_start;
        Some(OmittedStream {
            object: id.0,
            offset,
            data: data_start..data_start.checked_add(length)?,
        })
        .filter(|stream| stream.data.end > bytes.len())
    }

    fn includes(self, dictionary: &RawDictionary<'_>) -> bool {
        let name_of = |key| dictionary.value(key).map(as_name);
        match self {
            Self::All => name_of(b"Type")
                .is_none_or(|name| name.is_some_and(|name| !KEPT_TYPES.contains(&name.as_slice()))),
            Self::Images => {
                name_of(b"Subtype").flatten().as_deref() == Some(b"Image")
                    && name_of(b"Type").is_none_or(|name| name.as_deref() == Some(b"XObject"))
            }
        }
    }
}

/// Returns the offset of the two numbers before the keyword `obj`.
fn start_of_header(bytes: &[u8], keyword: usize) -> Option<usize> {
    let mut start = keyword;
    for belongs in [u8::is_ascii_whitespace, u8::is_ascii_digit].repeat(2) {
        let before = bytes.get(..start)?;
        start = before
            .iter()
            .rposition(|byte| !belongs(byte))
            .map_or(0, |last| last + 1);
    }
    Some(start)
}

#[cfg(test)]
mod tests {
    use lopdf::Object;
    use parafa_fixtures::{CrossReference, MEDIUM, PdfBuilder};
    use parafa_format_core::{MemoryBlob, Refusal, bytes_read};
    use proptest::prelude::*;

    use super::*;
    use crate::structure::{PdfFile, with_file, with_structure};

    const LONG: usize = 2 * CHUNK as usize;

    #[test]
    fn the_data_of_a_long_stream_is_not_read() {
        let document = MemoryBlob(PdfBuilder::new().build_of_size(MEDIUM));
        let before = bytes_read();

        let objects = with_structure(&document, &Limits::default(), |file| {
            Ok(file.objects().count())
        });

        assert_eq!(objects, Ok(7));
        let read = bytes_read() - before;
        assert!(read <= 2 * u64::from(CHUNK), "{read}");
    }

    #[test]
    fn a_file_without_its_long_streams_is_what_it_is_with_them() {
        for layout in CrossReference::ALL {
            let builder = PdfBuilder::new().pages(3).cross_reference(layout);
            let file = builder.build_of_size(3 * LONG);

            assert_eq!(omitted(&file), 1, "{layout:?}");
            assert_same(&file);
        }
    }

    #[test]
    fn data_that_is_compared_decoded_or_not_listed_is_read() {
        let image = stream(9, "/Subtype /Image", &[b'i'; LONG]);
        let other = stream(9, "/Subtype /Image", &[b'o'; LONG]);
        let metadata = stream(9, "/Type /Metadata", &[b'm'; LONG]);
        let nested = stream(
            8,
            "/Type /EmbeddedFile",
            &[b"%PDF-1.4\n", &image[..], b"more"].concat(),
        );
        let indirect = stream_of_length(9, "", "7 0 R", &[b'i'; LONG]);
        let length = format!("7 0 obj {LONG} endobj\n").into_bytes();
        for (catalog, objects) in [
            ("", vec![image.clone(), other]),
            ("/Metadata 9 0 R", vec![stream(9, "", &[b'm'; LONG])]),
            ("/Metadata 9 0 R", vec![metadata]),
            (
                "/DSS << /CRLs [9 0 R] >>",
                vec![stream(9, "", &[b'c'; LONG])],
            ),
            (
                "/DSS 8 0 R",
                vec![
                    b"8 0 obj << /CRLs 10 0 R >> endobj\n".to_vec(),
                    b"10 0 obj [9 0 R] endobj\n".to_vec(),
                    image,
                ],
            ),
            ("", vec![nested]),
            ("", vec![indirect, length]),
        ] {
            let file = file_of(catalog, &objects);

            assert_eq!(
                is_excerpt(with_structure, &file),
                Ok(false),
                "{catalog} {}",
                objects.len()
            );
            assert_same(&file);
        }
    }

    #[test]
    fn content_is_read_where_only_images_are_not() {
        let content = file_of("", &[stream(9, "", &[b'c'; LONG])]);
        let image = file_of(
            "",
            &[stream(9, "/Type /XObject /Subtype /Image", &[b'i'; LONG])],
        );

        assert_eq!(is_excerpt(with_structure, &content), Ok(true));
        assert_eq!(is_excerpt(with_file, &content), Ok(false));
        assert_eq!(is_excerpt(with_file, &image), Ok(true));
    }

    #[test]
    fn an_end_of_file_inside_a_stream_is_found() {
        let mut file = file_of("", &[stream(9, "", &[b'i'; LONG])]);
        let hidden = [&[b'x'; LONG][..], b"startxref\n0\n%%EOF\n", &[b'x'; LONG]].concat();
        file.extend(stream(10, "", &hidden));

        assert_eq!(omitted(&file), 2);
        assert!(PdfFile::parse(&file, &Limits::default()).is_err());
        assert_same(&file);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_damaged_file_is_judged_as_if_it_were_read_whole(
            damages in prop::collection::vec((0_usize..1000, any::<u8>(), 0_usize..12), 1..3)
        ) {
            let mut file = file_of("/Metadata 8 0 R", &[
                stream(8, "/Type /Metadata", b"metadata"),
                stream(9, "/Subtype /Image", &[b'i'; LONG]),
            ]);
            let pieces: [&[u8]; 12] = [
                b"", b"endstream endobj", b"9 0 obj", b"stream\n", b"(", b")", b"<<", b">>",
                b"/Type /ObjStm", b"%", b"startxref 0 %%EOF", b"131072",
            ];
            for (place, byte, piece) in damages {
                // In the head or the tail; the bytes between are stream data.
                let place = if place < 500 { place } else { file.len() - (place - 500) };
                let place = place.min(file.len() - 1);
                match pieces[piece] {
                    b"" => file[place] = byte,
                    piece => drop(file.splice(place..place, piece.iter().copied())),
                }
            }
            assert_same(&file);
        }
    }

    fn is_excerpt(
        with: impl FnOnce(&MemoryBlob, &Limits, Look) -> Result<bool, Refusal>,
        file: &[u8],
    ) -> Result<bool, Refusal> {
        with(&MemoryBlob(file.to_vec()), &Limits::default(), |file| {
            Ok(!file.source().omissions().is_empty())
        })
    }

    type Look = fn(&PdfFile<'_>) -> Result<bool, Refusal>;

    fn omitted(file: &[u8]) -> usize {
        SparseDocument::read(&MemoryBlob(file.to_vec()), Unread::All)
            .omissions
            .len()
    }

    fn assert_same(file: &[u8]) {
        let whole = PdfFile::parse(file, &Limits::default()).and_then(|file| seen(&file));
        let document = MemoryBlob(file.to_vec());
        assert_eq!(with_structure(&document, &Limits::default(), seen), whole);
        assert_eq!(with_file(&document, &Limits::default(), seen), whole);
    }

    /// Describes a file without the data of long streams.
    fn seen(file: &PdfFile<'_>) -> Result<String, Refusal> {
        let mut seen = format!(
            "{} {} {:?}",
            file.end(),
            file.next_object_number(),
            file.trailer_entries()
        );
        for (id, object) in file.objects() {
            let raw = file.raw_object(id)?;
            let data = raw.data.map(<[u8]>::len);
            seen += &format!("\n{id:?} {:?} {data:?} {:?}", raw.bytes, raw.offset);
            match object {
                Object::Stream(stream) if data >= Some(CHUNK as usize) => {
                    let mut dictionary = stream.dict.clone();
                    dictionary.set("Length", 0);
                    seen += &format!(" {dictionary:?}");
                }
                object => seen += &format!(" {object:?}"),
            }
        }
        Ok(seen)
    }

    fn stream(number: u32, entries: &str, data: &[u8]) -> Vec<u8> {
        stream_of_length(number, entries, &data.len().to_string(), data)
    }

    fn stream_of_length(number: u32, entries: &str, length: &str, data: &[u8]) -> Vec<u8> {
        let head = format!("{number} 0 obj\n<< {entries} /Length {length} >>\nstream\n");
        [head.as_bytes(), data, b"\nendstream\nendobj\n"].concat()
    }

    /// Creates a file with one page and these objects. Of several with one
    /// number, the last is listed in a section of its own.
    fn file_of(catalog: &str, objects: &[Vec<u8>]) -> Vec<u8> {
        let mut file = b"%PDF-1.7\n".to_vec();
        let mut listed: Vec<(u32, usize)> = Vec::new();
        let base = [
            format!("1 0 obj << /Type /Catalog /Pages 2 0 R {catalog} >> endobj\n").into_bytes(),
            b"2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 9 9] >> endobj\n"
                .to_vec(),
            b"3 0 obj << /Type /Page /Parent 2 0 R >> endobj\n".to_vec(),
        ];
        let mut previous = None;
        for object in base.iter().chain(objects) {
            let number = object.iter().take_while(|byte| byte.is_ascii_digit());
            let number = number.fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
            if listed.iter().any(|(earlier, _)| *earlier == number) {
                previous = Some(end_revision(&mut file, &listed, previous));
                listed.clear();
            }
            listed.push((number, file.len()));
            file.extend_from_slice(object);
        }
        end_revision(&mut file, &listed, previous);
        file
    }

    fn end_revision(file: &mut Vec<u8>, listed: &[(u32, usize)], previous: Option<usize>) -> usize {
        let start = file.len();
        let mut section = "xref\n0 1\n0000000000 65535 f \n".to_owned();
        for (number, offset) in listed {
            section += &format!("{number} 1\n{offset:010} 00000 n \n");
        }
        let previous = previous.map_or_else(String::new, |previous| format!("/Prev {previous}"));
        section +=
            &format!("trailer << /Size 11 /Root 1 0 R {previous} >>\nstartxref\n{start}\n%%EOF\n");
        file.extend_from_slice(section.as_bytes());
        start
    }
}
