//! `/Contents` of pages (ISO 32000-2, 7.7.3.3 and 7.8.2).

use std::collections::BTreeMap;
use std::rc::Rc;

use lopdf::{Object, ObjectId};
use parafa_format_core::Refusal;

use super::isolation::{Isolation, PageContentError};
use super::page_tree::node_entries;
use crate::structure::PdfFile;
use crate::write::{Edits, encoded, reference};

/// Maximum number of bytes written for drawings: far above the need of most
/// pages, far below the growth that shared pages could cause.
const MAX_ADDED_BYTES: usize = 32 * 1024 * 1024;

/// Minimum length of an array that becomes an object, so that pages can share
/// it.
const SHARED_FROM: usize = 8;

/// The content of a page; equal for pages that share it.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Contents {
    /// The streams of a direct array.
    Streams(Vec<ObjectId>),
    /// An indirect object: a stream or an array of streams.
    Object(ObjectId),
}

impl Contents {
    /// Returns the content of a page; items that are no streams are skipped.
    pub(super) fn of(file: &PdfFile<'_>, page: ObjectId) -> Self {
        let value = node_entries(file, page).and_then(|page| page.get(b"Contents").ok());
        match value.map(|value| (value, file.resolve_id(value))) {
            None => Self::Streams(Vec::new()),
            Some((_, Some(id))) => Self::Object(id),
            Some((value, None)) => Self::Streams(streams_in(file, value)),
        }
    }

    /// Refuses a value that is neither a stream nor an array of streams: some
    /// readers skip invalid items, others then show nothing. `page` is a page
    /// with this content.
    pub(super) fn check(file: &PdfFile<'_>, page: ObjectId) -> Result<(), PageContentError> {
        let contents = node_entries(file, page).and_then(|page| file.entry(page, b"Contents"));
        let is_content =
            |item: &Object| matches!(file.resolve(item), None | Some(Object::Stream(_)));
        match contents {
            None | Some(Object::Stream(_)) => Ok(()),
            Some(Object::Array(items)) if items.iter().all(is_content) => Ok(()),
            Some(_) => Err(PageContentError::NoStream),
        }
    }

    /// The streams in order.
    pub(super) fn streams(&self, file: &PdfFile<'_>) -> Vec<ObjectId> {
        match self {
            Self::Streams(streams) => streams.clone(),
            Self::Object(id) => match file.object(*id) {
                Some(Object::Stream(_)) => vec![*id],
                Some(array) => streams_in(file, array),
                None => Vec::new(),
            },
        }
    }
}

fn streams_in(file: &PdfFile<'_>, array: &Object) -> Vec<ObjectId> {
    let items = array.as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .filter(|item| matches!(file.resolve(item), Some(Object::Stream(_))))
        .filter_map(|item| file.resolve_id(item))
        .collect()
}

/// Writes new contents, each shared one once, within a byte budget.
pub(super) struct ContentsWriter<'f, 'a> {
    file: &'f PdfFile<'a>,
    /// Streams of indirect contents: pages may share a long array.
    known: BTreeMap<ObjectId, Rc<[ObjectId]>>,
    /// New streams by their data.
    streams: BTreeMap<Vec<u8>, ObjectId>,
    /// Long arrays by the original and the new streams before and after it.
    arrays: BTreeMap<(Contents, [Option<ObjectId>; 2]), Vec<u8>>,
    added_bytes: usize,
}

impl<'f, 'a> ContentsWriter<'f, 'a> {
    /// Creates a writer.
    pub(super) fn new(file: &'f PdfFile<'a>) -> Self {
        Self {
            file,
            known: BTreeMap::new(),
            streams: BTreeMap::new(),
            arrays: BTreeMap::new(),
            added_bytes: 0,
        }
    }

    /// Returns the value of `/Contents` with operators before and after the
    /// content, isolated from it.
    pub(super) fn value(
        &mut self,
        edits: &mut Edits<'_, '_>,
        contents: Contents,
        (below, above): (&[u8], &[u8]),
        isolation: &Isolation,
    ) -> Result<Vec<u8>, Refusal> {
        let added = [self.stream(edits, below)?, self.stream(edits, above)?];
        let key = (contents, added);
        if let Some(array) = self.arrays.get(&key) {
            return Ok(array.clone());
        }
        let (contents, [below, above]) = &key;
        let mut streams: Vec<_> = below.iter().copied().collect();
        streams.extend(self.stream(edits, &isolation.opening)?);
        streams.extend_from_slice(&self.streams_of(contents));
        streams.extend(self.stream(edits, &isolation.closing)?);
        streams.extend(above);
        let references: Vec<_> = streams.iter().copied().map(reference).collect();
        let value = match references.as_slice() {
            [only] => only.clone(),
            _ => format!("[{}]", references.join(" ")),
        };
        self.count(value.len())?;
        if references.len() < SHARED_FROM || matches!(contents, Contents::Streams(_)) {
            return Ok(value.into_bytes());
        }
        let array = reference(edits.add(value.into_bytes())?).into_bytes();
        self.arrays.insert(key, array.clone());
        Ok(array)
    }

    /// Returns the streams of a content, read once for all pages that share it.
    fn streams_of(&mut self, contents: &Contents) -> Rc<[ObjectId]> {
        match contents {
            Contents::Streams(streams) => streams.as_slice().into(),
            Contents::Object(id) => {
                let file = self.file;
                let known = self.known.entry(*id);
                Rc::clone(known.or_insert_with(|| contents.streams(file).into()))
            }
        }
    }

    /// Returns a stream with these operators; `None` if there are none.
    fn stream(
        &mut self,
        edits: &mut Edits<'_, '_>,
        operators: &[u8],
    ) -> Result<Option<ObjectId>, Refusal> {
        if operators.is_empty() {
            return Ok(None);
        }
        if let Some(id) = self.streams.get(operators) {
            return Ok(Some(*id));
        }
        let (dictionary, data) = encoded(b"<<>>", operators.to_vec());
        self.count(data.len())?;
        let id = edits.add_stream(&dictionary, data.into())?;
        self.streams.insert(operators.to_vec(), id);
        Ok(Some(id))
    }

    fn count(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.added_bytes = self.added_bytes.saturating_add(bytes);
        if self.added_bytes > MAX_ADDED_BYTES {
            return Err(Refusal::new(
                "too-many-objects",
                format!("The drawings on the pages would take more than {MAX_ADDED_BYTES} bytes."),
            ));
        }
        Ok(())
    }
}
