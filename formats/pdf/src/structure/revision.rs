//! Objects of the file as of one of its revisions.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use lopdf::{Object, ObjectId};
use parafa_format_core::Refusal;

use super::budget::Budget;
use super::decode::Decoder;
use super::dictionary::{RawDictionary, as_name, as_reference};
use super::indirect::{self, IndirectObject, Length, ObjectHead};
use super::load;
use super::object_source::ObjectSource;
use super::object_stream::{ObjectStream, ObjectStreamError};
use super::refusal;
use super::scan::{Scanner, unsigned};
use super::source::Source;
use super::xref::{self, XrefEntry, XrefSection};
use crate::limits::Limits;

/// Maximum length of an object header, from its number to `obj`.
const MAX_HEADER_BYTES: usize = 64;

/// The exact source of an indirect object.
#[derive(Clone, Debug)]
pub(crate) struct RawObject<'a> {
    /// The value as written, without surrounding white space; for a stream, its
    /// dictionary.
    pub(crate) bytes: ObjectSource<'a>,
    /// The encoded data of a stream.
    pub(crate) data: Option<&'a [u8]>,
    /// Range of the data in the file.
    pub(crate) data_span: Option<Range<usize>>,
    /// Offset of the value in the file; `None` inside an object stream.
    pub(crate) offset: Option<usize>,
    /// Generation; 0 inside an object stream.
    pub(crate) generation: u16,
}

/// The state described by a section and all older ones.
///
/// All revisions of a file share a cache: an object stream is decoded once.
pub(crate) struct Revision<'a> {
    source: Source<'a>,
    /// Entries of the newest revision.
    newest: Rc<[(u32, XrefEntry)]>,
    /// Entries that differ from the newest revision, by object number.
    otherwise: BTreeMap<u32, Option<XrefEntry>>,
    trailer: Range<usize>,
    /// Values of indirect stream lengths.
    lengths: RefCell<BTreeMap<ObjectId, Option<usize>>>,
    state: Rc<RefCell<ReadState>>,
}

struct ReadState {
    budget: Budget,
    decoder: Decoder,
    /// Object streams by offset.
    containers: BTreeMap<usize, Rc<ObjectStream>>,
}

impl<'a> Revision<'a> {
    /// Creates the newest revision, completed by the first section. `table` is
    /// the [`newest_table`] of all sections.
    pub(super) fn newest(
        source: Source<'a>,
        sections: &[XrefSection],
        table: Rc<[(u32, XrefEntry)]>,
        limits: &Limits,
    ) -> Self {
        Self {
            source,
            newest: table,
            otherwise: BTreeMap::new(),
            trailer: newest_trailer(sections),
            lengths: RefCell::default(),
            state: Rc::new(RefCell::new(ReadState {
                budget: Budget::new(limits),
                decoder: Decoder::new(limits),
                containers: BTreeMap::new(),
            })),
        }
    }

    /// Returns the revision before the `later` sections; `older` are all
    /// others.
    pub(super) fn before(&self, later: &[XrefSection], older: &[XrefSection]) -> Self {
        let mut otherwise: BTreeMap<u32, Option<XrefEntry>> = later
            .iter()
            .flat_map(|section| section.entries.iter().map(|(number, _)| (*number, None)))
            .collect();
        for section in older {
            // One of the two is long and must not be scanned repeatedly.
            if section.entries.len() < otherwise.len() {
                for (number, entry) in &section.entries {
                    if let Some(found @ None) = otherwise.get_mut(number) {
                        *found = Some(*entry);
                    }
                }
            } else {
                for (number, found) in otherwise.iter_mut().filter(|(_, found)| found.is_none()) {
                    *found = section.entry(*number);
                }
            }
        }
        Self {
            source: self.source,
            newest: Rc::clone(&self.newest),
            otherwise,
            trailer: newest_trailer(older),
            lengths: RefCell::default(),
            state: Rc::clone(&self.state),
        }
    }

    /// Returns the cross-reference entry of an object.
    pub(crate) fn entry(&self, number: u32) -> Option<XrefEntry> {
        match self.otherwise.get(&number) {
            Some(entry) => *entry,
            None => xref::find(&self.newest, number, |number| *number).map(|(_, entry)| *entry),
        }
    }

    /// Returns every object that later revisions list again.
    pub(crate) fn listed_later(&self) -> impl Iterator<Item = u32> {
        self.otherwise.keys().copied()
    }

    /// Returns all entries of the newest revision.
    pub(super) fn newest_table(&self) -> &[(u32, XrefEntry)] {
        &self.newest
    }

    /// Returns the trailer dictionary, as written.
    pub(crate) fn trailer(&self) -> &'a [u8] {
        self.source.get(self.trailer.clone()).unwrap_or_default()
    }

    /// Returns the catalog's identifier.
    pub(crate) fn catalog_id(&self) -> Option<ObjectId> {
        RawDictionary::scan(self.trailer())
            .ok()?
            .value(b"Root")
            .and_then(as_reference)
    }

    /// Returns the generation of an object in use.
    pub(crate) fn generation(&self, number: u32) -> Option<u16> {
        self.entry(number)?.generation()
    }

    /// Returns the source of an object; `None` if it is not in use.
    pub(crate) fn raw(&self, number: u32) -> Result<Option<RawObject<'a>>, Refusal> {
        match self.entry(number) {
            None | Some(XrefEntry::Free) => Ok(None),
            Some(XrefEntry::InUse { offset, generation }) => {
                let object = self.read((number, generation), offset)?;
                Ok(Some(RawObject {
                    bytes: ObjectSource::File(
                        self.source.get(object.value.clone()).unwrap_or_default(),
                    ),
                    data: self.data(&object, offset)?,
                    data_span: object.data.clone(),
                    offset: Some(object.value.start),
                    generation,
                }))
            }
            Some(XrefEntry::Compressed { container, index }) => {
                let container_number = container;
                let stream = self.container(container_number)?;
                let member = stream.member(index);
                if member.is_none_or(|(found, _)| found != number) {
                    return Err(Refusal::new(
                        "xref-damaged",
                        format!(
                            "The object {number} is not in the object stream {container_number} as listed."
                        ),
                    ));
                }
                let mut state = self.state.borrow_mut();
                stream
                    .take_member(index, &mut state.budget)
                    .map_err(|error| {
                        let place = format!("The object {number} cannot be read");
                        refusal::from_scan("object-damaged", &place, &error)
                    })?;
                drop(state);
                Ok(Some(RawObject {
                    bytes: ObjectSource::Member { stream, index },
                    data: None,
                    data_span: None,
                    offset: None,
                    generation: 0,
                }))
            }
        }
    }

    /// Refuses an object that does not begin at its listed offset.
    pub(super) fn check_header(&self, id: ObjectId, offset: usize) -> Result<(), Refusal> {
        if starts_with_header(self.source, offset, id) {
            return Ok(());
        }
        let detail = format!(
            "The object {} {} is not at byte {offset} as listed.",
            id.0, id.1
        );
        Err(Refusal::new("xref-damaged", detail))
    }

    /// Reads an object listed at an offset of the file.
    pub(super) fn read(&self, id: ObjectId, offset: usize) -> Result<IndirectObject, Refusal> {
        self.read_with(id, offset, |length| self.stream_length(length, true))
    }

    /// Returns the data of an object read at an offset; `None` if it is no
    /// stream.
    fn data(&self, object: &IndirectObject, offset: usize) -> Result<Option<&'a [u8]>, Refusal> {
        let Some(data) = object.data.clone() else {
            return Ok(None);
        };
        self.source
            .stream_data(offset, data)
            .map(Some)
            .ok_or_else(|| {
                let (number, generation) = object.id;
                Refusal::new(
                    "object-damaged",
                    format!("Another stream lies inside the stream {number} {generation}."),
                )
            })
    }

    /// Returns the value of an object read at an offset; a stream lacks its
    /// data if that was omitted.
    pub(super) fn value(&self, object: &IndirectObject, offset: usize) -> Result<Object, Refusal> {
        let source = self.source.get(object.value.clone()).unwrap_or_default();
        let value = match self.data(object, offset)? {
            None => load::value(source),
            Some(_) => load::stream(
                source,
                object.data.clone().and_then(|data| self.source.get(data)),
            ),
        };
        value.ok_or_else(|| load::refusal(object.id))
    }

    /// Returns whether an object is an object stream by its type.
    pub(super) fn is_object_stream(&self, object: &IndirectObject) -> bool {
        let source = self.source.get(object.value.clone()).unwrap_or_default();
        // The name occurs verbatim or contains an escape.
        let may_be = memchr::memchr(b'#', source).is_some()
            || memchr::memmem::find(source, b"ObjStm").is_some();
        may_be && RawDictionary::scan(source).is_ok_and(|dictionary| is_object_stream(&dictionary))
    }

    /// Decodes and parses an object stream, once.
    pub(super) fn container(&self, number: u32) -> Result<Rc<ObjectStream>, Refusal> {
        let place = || format!("The object stream {number} cannot be read");
        let damaged =
            |detail: &str| Refusal::new("object-stream-damaged", format!("{}: {detail}.", place()));
        let Some(XrefEntry::InUse { offset, generation }) = self.entry(number) else {
            return Err(damaged("it is not an object of the file"));
        };
        if let Some(container) = self.state.borrow().containers.get(&offset) {
            return Ok(Rc::clone(container));
        }
        // The length of an object stream must not be in an object stream, or
        // the two could depend on each other.
        let object = self.read_with((number, generation), offset, |length| {
            self.stream_length(length, false)
        })?;
        let source = self.source.get(object.value).unwrap_or_default();
        let data = object
            .data
            .and_then(|data| self.source.get(data))
            .ok_or_else(|| damaged("it is not a stream"))?;
        let dictionary = RawDictionary::scan(source)
            .map_err(|error| refusal::from_scan("object-stream-damaged", &place(), &error))?;
        if !is_object_stream(&dictionary) {
            return Err(damaged("it is not an object stream"));
        }
        let mut state = self.state.borrow_mut();
        let mut content = state
            .decoder
            .decode(&dictionary, data)
            .map_err(|error| refusal::from_decode("object-stream-damaged", &place(), &error))?;
        content.shrink_to_fit();
        let container =
            ObjectStream::parse(&dictionary, content, &mut state.budget).map_err(|error| {
                match error {
                    ObjectStreamError::Scan(error) => {
                        refusal::from_scan("object-stream-damaged", &place(), &error)
                    }
                    other => damaged(&other.to_string()),
                }
            })?;
        let container = Rc::new(container);
        state.containers.insert(offset, Rc::clone(&container));
        Ok(container)
    }

    /// Returns the highest object number referenced so far.
    pub(super) fn highest_reference(&self) -> u32 {
        self.state.borrow().budget.highest_reference()
    }

    /// Renews the budget for scanning; decoded streams stay cached.
    pub(crate) fn renew_values(&self, limits: &Limits) {
        self.state.borrow_mut().budget = Budget::new(limits);
    }

    fn read_with(
        &self,
        id: ObjectId,
        offset: usize,
        stream_length: impl FnOnce(Length) -> Option<usize>,
    ) -> Result<IndirectObject, Refusal> {
        let refuse = |error| {
            let place = format!(
                "The object {} {} at byte {offset} cannot be read",
                id.0, id.1
            );
            refusal::from_scan("object-damaged", &place, &error)
        };
        self.check_header(id, offset)?;
        let opened = indirect::open(self.source, offset, &mut self.state.borrow_mut().budget)
            .map_err(refuse)?;
        match opened {
            ObjectHead::Object(object) => Ok(object),
            ObjectHead::Stream {
                id,
                dictionary,
                data_start,
                length,
            } => {
                let length = stream_length(length).ok_or_else(|| {
                    let detail = format!(
                        "The length of the stream {} {} is not to be found.",
                        id.0, id.1
                    );
                    Refusal::new("object-damaged", detail)
                })?;
                indirect::close(self.source, id, dictionary, data_start, length).map_err(refuse)
            }
        }
    }

    fn stream_length(&self, length: Length, compressed: bool) -> Option<usize> {
        let id = match length {
            Length::Direct(length) => return Some(length),
            Length::Indirect(id) => id,
        };
        // Streams may share a length, and its object may be long.
        if let Some(known) = self.lengths.borrow().get(&id) {
            return *known;
        }
        let found = self.length_object(id, compressed);
        if compressed || found.is_some() {
            self.lengths.borrow_mut().insert(id, found);
        }
        found
    }

    fn length_object(&self, id: ObjectId, compressed: bool) -> Option<usize> {
        let value = match self.entry(id.0)? {
            XrefEntry::InUse { offset, generation } if generation == id.1 => {
                let mut budget = self.state.borrow().budget.clone();
                match indirect::open(self.source, offset, &mut budget).ok()? {
                    ObjectHead::Object(object) if object.id == id => {
                        unsigned(self.source.get(object.value)?)
                    }
                    _ => None,
                }
            }
            XrefEntry::Compressed { container, index } if compressed && id.1 == 0 => {
                let container = self.container(container).ok()?;
                container
                    .member(index)
                    .filter(|(number, _)| *number == id.0)
                    .and_then(|(_, value)| unsigned(value))
            }
            _ => None,
        };
        usize::try_from(value?).ok()
    }
}

/// Merges the sections: the first entry of each object wins.
pub(super) fn newest_table(sections: &[XrefSection]) -> Rc<[(u32, XrefEntry)]> {
    let mut newest: Vec<_> = sections
        .iter()
        .flat_map(|section| section.entries.iter().copied())
        .collect();
    // The stable sort keeps entries of one number in section order.
    newest.sort_by_key(|(number, _)| *number);
    newest.dedup_by_key(|(number, _)| *number);
    newest.into()
}

fn newest_trailer(sections: &[XrefSection]) -> Range<usize> {
    sections
        .first()
        .map(|section| section.trailer.clone())
        .unwrap_or_default()
}

fn is_object_stream(dictionary: &RawDictionary<'_>) -> bool {
    dictionary
        .value(b"Type")
        .and_then(as_name)
        .is_some_and(|name| name == b"ObjStm")
}

fn starts_with_header(source: Source<'_>, offset: usize, id: ObjectId) -> bool {
    let rest = source
        .up_to_omission(offset)
        .get(offset..)
        .unwrap_or_default();
    let mut scanner = Scanner::new(rest.get(..MAX_HEADER_BYTES).unwrap_or(rest), 0);
    rest.first().is_some_and(u8::is_ascii_digit)
        && scanner.unsigned() == Ok(u64::from(id.0))
        && scanner.unsigned() == Ok(u64::from(id.1))
        && scanner.keyword(b"obj").is_ok()
}
