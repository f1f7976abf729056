//! Contents of pages with a drawing after them (ISO 32000-2, 7.8.2).

use std::collections::BTreeMap;

use lopdf::{Dictionary, ObjectId, Stream};
use parafa_format_core::Refusal;

use super::content::open_ends;
use super::follow::follow;
use crate::limits::Limits;
use crate::structure::{Decoder, PdfFile, RawDictionary, array_items};
use crate::update::{Update, reference};

/// Most bytes of content, decoded, that are read for what they leave open;
/// content after that is taken to be sound.
const MAX_DECODED_BYTES: usize = 128 * 1024 * 1024;

/// Most bytes of content that are written anew.
const MAX_REWRITTEN_BYTES: usize = 16 * 1024 * 1024;

/// Puts drawings after the content of pages, whatever state that leaves
/// behind. Streams stay as they are, and what pages share they share
/// afterwards.
pub(super) struct PageContents<'f, 'a> {
    file: &'f PdfFile<'a>,
    decoder: Decoder,
    rewritten_bytes: usize,
    /// New content streams by their data.
    streams: BTreeMap<Vec<u8>, ObjectId>,
    /// New arrays by the old one and the stream that comes last.
    arrays: BTreeMap<(ObjectId, ObjectId), ObjectId>,
    known: BTreeMap<Vec<ObjectId>, Known>,
}

/// What holds for every page of one content.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Closes what the content leaves open.
    closing: Vec<u8>,
    /// The content without what would undo the state that is saved before it.
    rewritten: Option<ObjectId>,
}

impl<'f, 'a> PageContents<'f, 'a> {
    pub(super) fn new(file: &'f PdfFile<'a>) -> Self {
        let limits = Limits {
            decoded_total_bytes: MAX_DECODED_BYTES,
            ..file.limits().clone()
        };
        Self {
            file,
            decoder: Decoder::new(&limits),
            rewritten_bytes: 0,
            streams: BTreeMap::new(),
            arrays: BTreeMap::new(),
            known: BTreeMap::new(),
        }
    }

    /// The value of `/Contents` in place of an old one, which is empty when
    /// there was none.
    pub(super) fn extended(
        &mut self,
        update: &mut Update<'_>,
        contents: &[u8],
        drawing: &str,
    ) -> Result<Vec<u8>, Refusal> {
        let (streams, shared) = self.streams_of(contents);
        if streams.is_empty() {
            let only = self.stream(update, drawing.as_bytes().to_vec())?;
            return Ok(reference(only).into_bytes());
        }
        let known = self.known(update, &streams)?;
        let after = [b"\n", known.closing.as_slice(), b"Q\n", drawing.as_bytes()].concat();
        let after = self.stream(update, after)?;
        let shared = shared.map(|id| (id, after));
        if let Some(known) = shared.and_then(|shared| self.arrays.get(&shared)) {
            return Ok(reference(*known).into_bytes());
        }
        let mut items = vec![self.stream(update, b"q\n".to_vec())?];
        match known.rewritten {
            Some(id) => items.push(id),
            None => items.extend(streams),
        }
        items.push(after);
        let items: Vec<String> = items.into_iter().map(reference).collect();
        let extended = format!("[{}]", items.join(" ")).into_bytes();
        let Some(shared) = shared else {
            return Ok(extended);
        };
        let id = update.allocate()?;
        update.object(id, &extended)?;
        self.arrays.insert(shared, id);
        Ok(reference(id).into_bytes())
    }

    /// The streams that a value of `/Contents` leads to, and the object that
    /// has them as an array. Anything else in the array is no content, but
    /// viewers may give up at it.
    fn streams_of(&self, contents: &[u8]) -> (Vec<ObjectId>, Option<ObjectId>) {
        let stream = |value: &[u8]| {
            follow(self.file, value)
                .filter(|found| found.data.is_some())?
                .id
        };
        match follow(self.file, contents) {
            Some(found) if found.data.is_some() => (found.id.into_iter().collect(), None),
            Some(found) => {
                let items = array_items(&found.source).unwrap_or_default();
                (items.into_iter().filter_map(stream).collect(), found.id)
            }
            None => (Vec::new(), None),
        }
    }

    fn known(&mut self, update: &mut Update<'_>, streams: &[ObjectId]) -> Result<Known, Refusal> {
        if let Some(known) = self.known.get(streams) {
            return Ok(known.clone());
        }
        let known = match self.decoded(streams) {
            Some(content) => self.read(update, content)?,
            None => Known::default(),
        };
        self.known.insert(streams.to_vec(), known.clone());
        Ok(known)
    }

    /// The content that streams are together; `None` when one of them cannot
    /// be decoded here.
    fn decoded(&mut self, streams: &[ObjectId]) -> Option<Vec<u8>> {
        let mut content = Vec::new();
        for stream in streams {
            let object = self.file.raw_object(*stream).ok()?;
            let dictionary = RawDictionary::scan(&object.bytes).ok()?;
            content.extend(self.decoder.decode(&dictionary, object.data?).ok()?);
            content.push(b'\n');
        }
        Some(content)
    }

    fn read(&mut self, update: &mut Update<'_>, mut content: Vec<u8>) -> Result<Known, Refusal> {
        let ends = open_ends(&content);
        let room = MAX_REWRITTEN_BYTES.saturating_sub(self.rewritten_bytes);
        let rewritten = if ends.unmatched_restores.is_empty() || content.len() > room {
            None
        } else {
            self.rewritten_bytes += content.len();
            for place in ends.unmatched_restores {
                if let Some(operator) = content.get_mut(place) {
                    *operator = b' ';
                }
            }
            Some(compressed(update, content)?)
        };
        Ok(Known {
            closing: ends.closing,
            rewritten,
        })
    }

    /// A content stream; there is one only for the same data.
    fn stream(&mut self, update: &mut Update<'_>, data: Vec<u8>) -> Result<ObjectId, Refusal> {
        if let Some(id) = self.streams.get(&data) {
            return Ok(*id);
        }
        let id = update.allocate()?;
        update.stream(id, "", &data)?;
        self.streams.insert(data, id);
        Ok(id)
    }
}

fn compressed(update: &mut Update<'_>, content: Vec<u8>) -> Result<ObjectId, Refusal> {
    let mut stream = Stream::new(Dictionary::new(), content);
    let entries = match stream.compress() {
        Ok(()) if stream.dict.has(b"Filter") => "/Filter /FlateDecode",
        _ => "",
    };
    let id = update.allocate()?;
    update.stream(id, entries, &stream.content)?;
    Ok(id)
}
