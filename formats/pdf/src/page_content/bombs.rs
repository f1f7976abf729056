//! Decompression bombs: content that viewers need minutes to process (ISO
//! 32000-2, 7.8.2).

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};

use flate2::read::DeflateDecoder;
use lopdf::{Object, ObjectId, Stream};
use parafa_format_core::{Blob, Refusal};

use super::contents::Contents;
use super::decoder::HEADER_BYTES;
use crate::limits::Limits;
use crate::structure::{DecodeError, Decoder, PdfFile};

/// Maximum ratio of inflated to deflated bytes (RFC 1951).
const MOST_INFLATED: usize = 1032;

/// Maximum number of filters; programs write one or two.
const MAX_FILTERS: usize = 8;

/// Size of the buffer for inflated data, in bytes.
const CHUNK: usize = 64 * 1024;

/// Refuses pages and form XObjects (8.10) whose content inflates past the
/// limits. Data that was not loaded is read from the document if it could be
/// that long.
///
/// # Errors
/// `decompression-bomb`, or the error of reading an object.
pub(crate) fn refuse_bombs<B: Blob>(file: &PdfFile<'_>, document: &B) -> Result<(), Refusal> {
    let mut lengths = Lengths {
        file,
        document,
        remaining: file.limits().content_total_bytes,
        known: BTreeMap::new(),
    };
    let refusal = |kind, id: ObjectId| {
        let detail = format!(
            "The content of the {kind} {} is inflated to too much.",
            id.0
        );
        Refusal::new("decompression-bomb", detail)
    };
    let mut checked = BTreeSet::new();
    for page in file.pages()? {
        let contents = Contents::of(file, page);
        if checked.contains(&contents) {
            continue;
        }
        if lengths.are_too_long(&contents.streams(file))? {
            return Err(refusal("page", page));
        }
        checked.insert(contents);
    }
    for (id, object) in file.objects() {
        if let Object::Stream(Stream { dict, .. }) = object
            && let Some(Object::Name(subtype)) = file.entry(dict, b"Subtype")
            && subtype == b"Form"
            && lengths.are_too_long(&[id])?
        {
            return Err(refusal("form XObject", id));
        }
    }
    Ok(())
}

/// Lengths of the contents of a document.
struct Lengths<'f, 'a, B> {
    file: &'f PdfFile<'a>,
    document: &'f B,
    /// Remaining budget of inflated bytes.
    remaining: usize,
    /// Lengths computed so far: pages may share content.
    known: BTreeMap<ObjectId, Option<usize>>,
}

impl<B: Blob> Lengths<'_, '_, B> {
    fn are_too_long(&mut self, streams: &[ObjectId]) -> Result<bool, Refusal> {
        let limits = self.file.limits();
        let mut longest = 0_usize;
        for id in streams {
            longest = longest.saturating_add(Content::of(self.file, *id)?.longest());
        }
        if longest <= limits.page_content_bytes {
            return Ok(false);
        }
        let mut len = 0_usize;
        for id in streams {
            let own = if let Some(own) = self.known.get(id) {
                *own
            } else {
                let content = Content::of(self.file, *id)?;
                let own = content.len(self.document, limits, &mut self.remaining);
                *self.known.entry(*id).or_insert(own)
            };
            len = own.map_or(usize::MAX, |own| len.saturating_add(own));
            if len > limits.page_content_bytes {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A content stream.
struct Content<'f> {
    stream: &'f Stream,
    filters: Vec<&'f [u8]>,
    /// Offset and length of data in the document that was not loaded.
    left_out: (u64, usize),
}

impl<'f> Content<'f> {
    fn of(file: &'f PdfFile<'_>, id: ObjectId) -> Result<Self, Refusal> {
        let Some(Object::Stream(stream)) = file.object(id) else {
            let detail = format!("The content {} is no stream.", id.0);
            return Err(Refusal::new("object-damaged", detail));
        };
        let filters = match file.entry(&stream.dict, b"Filter") {
            Some(Object::Array(names)) => {
                names.iter().filter_map(|name| file.resolve(name)).collect()
            }
            filter => Vec::from_iter(filter),
        };
        let filters = filters.into_iter().filter_map(|name| name.as_name().ok());
        let left_out = if stream.content.is_empty() {
            let span = file.raw_object(id)?.data_span.unwrap_or_default();
            (span.start as u64, span.len())
        } else {
            (0, 0)
        };
        Ok(Self {
            stream,
            filters: filters.collect(),
            left_out,
        })
    }

    fn encoded_len(&self) -> usize {
        self.stream.content.len() + self.left_out.1
    }

    fn is_only_deflated(&self) -> bool {
        let mut filters = self.filters.iter();
        filters.all(|name| matches!(*name, b"FlateDecode" | b"Fl"))
    }

    /// Returns the maximum decoded length; unbounded for other filters.
    fn longest(&self) -> usize {
        let encoded = self.encoded_len();
        match self.filters.len() {
            levels if self.is_only_deflated() => {
                (0..levels).fold(encoded, |len, _| len.saturating_mul(MOST_INFLATED))
            }
            _ if encoded == 0 => 0,
            _ => usize::MAX,
        }
    }

    /// Returns the decoded length; `None` if it exceeds the limits. Content
    /// that viewers cannot decode has length 0.
    fn len<B: Blob>(&self, document: &B, limits: &Limits, remaining: &mut usize) -> Option<usize> {
        let limit = limits.page_content_bytes.min(*remaining);
        let len = if self.filters.len() > MAX_FILTERS {
            None
        } else if self.is_only_deflated() {
            let levels = 1..=self.filters.len();
            // The output of each filter is the input of the next.
            levels
                .map(|levels| self.inflated_len(document, levels, limit))
                .try_fold(self.encoded_len(), |_, len| len)
        } else {
            self.decoded_len(document, limits, limit)
        };
        *remaining = remaining.saturating_sub(len?);
        len
    }

    fn inflated_len<B: Blob>(&self, document: &B, levels: usize, limit: usize) -> Option<usize> {
        let mut content = (0..levels).fold(self.data(document), |data, _| inflated(data));
        let mut chunk = vec![0; CHUNK];
        let mut len = 0;
        while let Ok(more @ 1..) = content.read(&mut chunk) {
            len += more;
            if len > limit {
                return None;
            }
        }
        Some(len)
    }

    fn decoded_len<B: Blob>(&self, document: &B, limits: &Limits, limit: usize) -> Option<usize> {
        let mut stream = self.stream.clone();
        if stream.content.is_empty() {
            self.data(document).read_to_end(&mut stream.content).ok()?;
        }
        let decoder = Decoder::new(&Limits {
            decoded_stream_bytes: limit,
            decoded_ratio: usize::MAX,
            ..limits.clone()
        });
        match decoder.decode_object(&stream) {
            Ok(content) => Some(content.len()),
            Err(DecodeError::Bomb { .. }) => None,
            Err(_) => Some(0),
        }
    }

    fn data<'d, B: Blob>(&'d self, document: &'d B) -> Box<dyn Read + 'd> {
        let (offset, len) = self.left_out;
        let left_out = LeftOut { document, offset };
        Box::new(
            self.stream
                .content
                .as_slice()
                .chain(left_out.take(len as u64)),
        )
    }
}

/// Inflates data after its header; some viewers ignore the header.
fn inflated<'d>(mut data: Box<dyn Read + 'd>) -> Box<dyn Read + 'd> {
    // Data too short for a header is empty after it.
    let _ = data.read_exact(&mut [0; HEADER_BYTES]);
    Box::new(DeflateDecoder::new(data))
}

/// A document, read from an offset on.
struct LeftOut<'d, B> {
    document: &'d B,
    offset: u64,
}

impl<B: Blob> Read for LeftOut<'_, B> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let len = bytes.len().min(CHUNK).try_into().unwrap_or(u32::MAX);
        let read = self.document.read(self.offset, len);
        self.offset += read.len() as u64;
        read.as_slice().read(bytes)
    }
}
