//! The objects of the file as of one of its revisions.

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

/// Longest header of an object, from its number to `obj`, with the blanks
/// between.
const MAX_HEADER_BYTES: usize = 64;

/// The exact source of an indirect object.
#[derive(Clone, Debug)]
pub(crate) struct RawObject<'a> {
    /// The value as written, without the white space around it; for a stream
    /// its dictionary.
    pub(crate) bytes: ObjectSource<'a>,
    /// The encoded data of a stream.
    pub(crate) data: Option<&'a [u8]>,
    /// Where that data stands in the file.
    pub(crate) data_span: Option<Range<usize>>,
    /// Where the value stands in the file; `None` inside an object stream.
    pub(crate) offset: Option<usize>,
    /// The object's generation, 0 inside an object stream.
    pub(crate) generation: u16,
}

/// The state that a section and all older ones describe.
///
/// All revisions of a file share what has been read: an object stream is
/// decoded once, whichever of them asks for a member.
pub(crate) struct Revision<'a> {
    source: Source<'a>,
    /// What the newest revision lists.
    newest: Rc<[(u32, XrefEntry)]>,
    /// What is listed otherwise here, by the object's number.
    otherwise: BTreeMap<u32, Option<XrefEntry>>,
    trailer: Range<usize>,
    /// Values of the objects that streams have as their length.
    lengths: RefCell<BTreeMap<ObjectId, Option<usize>>>,
    state: Rc<RefCell<ReadState>>,
}

struct ReadState {
    budget: Budget,
    decoder: Decoder,
    /// By the offset of the object stream.
    containers: BTreeMap<usize, Rc<ObjectStream>>,
}

impl<'a> Revision<'a> {
    /// The newest revision: the first of the sections completes it, and `table`
    /// is [`newest_table`] of them all.
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

    /// The revision before the `later` sections; `older` are all others.
    pub(super) fn before(&self, later: &[XrefSection], older: &[XrefSection]) -> Self {
        let mut otherwise: BTreeMap<u32, Option<XrefEntry>> = later
            .iter()
            .flat_map(|section| section.entries.iter().map(|(number, _)| (*number, None)))
            .collect();
        for section in older {
            // One of the two is long, and it must not be gone through again
            // and again.
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

    /// Where an object is listed.
    pub(crate) fn entry(&self, number: u32) -> Option<XrefEntry> {
        match self.otherwise.get(&number) {
            Some(entry) => *entry,
            None => xref::find(&self.newest, number, |number| *number).map(|(_, entry)| *entry),
        }
    }

    /// Every object that later revisions list anew.
    pub(crate) fn listed_later(&self) -> impl Iterator<Item = u32> {
        self.otherwise.keys().copied()
    }

    /// Every object that the newest revision lists, with its place.
    pub(super) fn newest_table(&self) -> &[(u32, XrefEntry)] {
        &self.newest
    }

    /// The trailer dictionary as written.
    pub(crate) fn trailer(&self) -> &'a [u8] {
        self.source.get(self.trailer.clone()).unwrap_or_default()
    }

    /// The catalog's identifier.
    pub(crate) fn catalog_id(&self) -> Option<ObjectId> {
        RawDictionary::scan(self.trailer())
            .ok()?
            .value(b"Root")
            .and_then(as_reference)
    }

    /// The generation of an object that is in use.
    pub(crate) fn generation(&self, number: u32) -> Option<u16> {
        self.entry(number)?.generation()
    }

    /// The source of an object, `None` when it is not in use.
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

    /// Refuses an object that does not begin where it is listed.
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

    /// Reads an object that is listed at an offset of the file.
    pub(super) fn read(&self, id: ObjectId, offset: usize) -> Result<IndirectObject, Refusal> {
        self.read_with(id, offset, |length| self.stream_length(length, true))
    }

    /// The data of an object that was read at an offset; `None` when it is no
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

    /// The value of an object that was read at an offset; of a stream without its
    /// data where that was left out.
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

    /// Whether an object is an object stream by its type.
    pub(super) fn is_object_stream(&self, object: &IndirectObject) -> bool {
        let source = self.source.get(object.value.clone()).unwrap_or_default();
        // The name stands there as it is, or has an escape.
        let may_be = memchr::memchr(b'#', source).is_some()
            || memchr::memmem::find(source, b"ObjStm").is_some();
        may_be && RawDictionary::scan(source).is_ok_and(|dictionary| is_object_stream(&dictionary))
    }

    /// Decodes an object stream and finds its members; once.
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
        // The length of an object stream must not depend on object streams, or
        // they could depend on each other.
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

    /// The highest object number of all references scanned so far.
    pub(super) fn highest_reference(&self) -> u32 {
        self.state.borrow().budget.highest_reference()
    }

    /// Starts counting anew what is scanned, but not what is decoded and kept.
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
        // Streams may share a length, and the object behind it may be long.
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

/// What the newest revision lists: of every object the entry of the first
/// section that has one.
pub(super) fn newest_table(sections: &[XrefSection]) -> Rc<[(u32, XrefEntry)]> {
    let mut newest: Vec<_> = sections
        .iter()
        .flat_map(|section| section.entries.iter().copied())
        .collect();
    // Entries of one number stay in the order of the sections.
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
