//! The file as it is written: cross-reference sections, objects and the exact
//! bytes behind them (ISO 32000-2, 7.5).
//!
//! Two readers look at every file. This one checks places: that every listed
//! object is where it is listed, whole and within the limits. `lopdf` then
//! loads the objects in its strict mode. Both have to agree on what there is.

mod decode;
mod dictionary;
mod excerpt;
mod form;
mod header;
mod indirect;
mod links;
mod object_stream;
mod page_tree;
mod refusal;
mod revision;
mod scan;
mod source;
mod text;
mod xref;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use lopdf::{DecompressError, Dictionary, Document, Error, LoadOptions, Object, ObjectId};
use parafa_format_core::{Blob, Refusal};

use crate::limits::Limits;

pub(crate) use decode::Decoder;
pub(crate) use dictionary::{
    RawDictionary, RawEntry, array_items, as_name, as_reference, as_string,
};
pub(crate) use form::{FieldKind, FieldNode};
pub(crate) use links::{Link, LinkKind, links};
pub(crate) use revision::{RawObject, Revision};
pub(crate) use scan::{
    MAX_OBJECT_NUMBER, ScanError, is_delimiter, is_white_space, reference_places, references,
    regular_len,
};
pub(crate) use text::{decode_name, same_value, text_string};
pub(crate) use xref::{XrefEntry, XrefForm, XrefSection};

use excerpt::{Excerpt, Unread};
use source::Source;

/// Longest chain of references from one to the next that is followed.
const MAX_REFERENCE_HOPS: usize = 16;

/// Reads a document, parses it strictly and has `work` done on it. The data of
/// long images may be left out.
pub(crate) fn with_file<B: Blob, T>(
    document: &B,
    limits: &Limits,
    work: impl FnOnce(&PdfFile<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    with_excerpt(document, Unread::Images, limits, work)
}

/// The same for work that decodes no stream but the metadata and what the
/// document security store leads to: the data of other long streams may be left
/// out, which is most of what a long document takes.
pub(crate) fn with_structure<B: Blob, T>(
    document: &B,
    limits: &Limits,
    work: impl FnOnce(&PdfFile<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    with_excerpt(document, Unread::All, limits, work)
}

fn with_excerpt<B: Blob, T>(
    document: &B,
    unread: Unread,
    limits: &Limits,
    work: impl FnOnce(&PdfFile<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let mut excerpt = Excerpt::read(document, unread);
    let is_whole = excerpt.is_whole();
    match PdfFile::parse_excerpt(&mut excerpt, limits) {
        // A refusal is to tell of the whole file.
        Err(_) if !is_whole => {}
        file => return have_done(file?, work),
    }
    drop(excerpt);
    have_done(PdfFile::parse(&document.read_all(), limits)?, work)
}

/// Has work done on a file. In a plugin the file is not taken apart after that:
/// an instance lives for one call, and what it holds is gone with it.
fn have_done<'a, T>(
    file: PdfFile<'a>,
    work: impl FnOnce(&PdfFile<'a>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let done = work(&file);
    if cfg!(target_family = "wasm") {
        std::mem::forget(file);
    }
    done
}

/// A PDF file, parsed strictly once.
pub(crate) struct PdfFile<'a> {
    source: Source<'a>,
    limits: Limits,
    header_version: &'a str,
    /// The newest first, never empty.
    sections: Vec<XrefSection>,
    end: usize,
    newest: Revision<'a>,
    next_object_number: u32,
    catalog_id: ObjectId,
    document: Document,
}

impl<'a> PdfFile<'a> {
    /// Parses a file strictly from its whole bytes.
    pub(crate) fn parse(bytes: &'a [u8], limits: &Limits) -> Result<Self, Refusal> {
        let layout = Layout::check(Source::whole(bytes), limits)?;
        let document = load(bytes, limits)?;
        Self::new(Source::whole(bytes), limits, layout, document)
    }

    /// Parses what was read of a file, if that is enough.
    fn parse_excerpt(excerpt: &'a mut Excerpt, limits: &Limits) -> Result<Self, Refusal> {
        let layout = Layout::check(excerpt.source(), limits)?;
        let document = excerpt.with_empty_streams(|bytes| load(bytes, limits))?;
        let file = Self::new(excerpt.source(), limits, layout, document)?;
        file.check_decoded_streams()?;
        Ok(file)
    }

    fn new(
        source: Source<'a>,
        limits: &Limits,
        layout: Layout,
        document: Document,
    ) -> Result<Self, Refusal> {
        let newest = Revision::newest(source, &layout.sections, layout.table, limits);
        check_loaded(&document, &newest)?;
        let file = Self {
            source,
            limits: limits.clone(),
            header_version: header::version(source.up_to_omission(0))?,
            sections: layout.sections,
            end: layout.end,
            newest,
            next_object_number: layout.next_object_number,
            catalog_id: layout.catalog_id,
            document,
        };
        file.catalog()?;
        Ok(file)
    }

    /// Refuses a file when data was left out that is decoded from its objects:
    /// the metadata and what the document security store leads to (ISO
    /// 32000-2, 14.3.2 and 12.8.4.3).
    fn check_decoded_streams(&self) -> Result<(), Refusal> {
        let omissions = self.source.omissions();
        if omissions.is_empty() {
            return Ok(());
        }
        let catalog = self.raw_object(self.catalog_id)?;
        let mut open = Vec::new();
        if let Ok(catalog) = RawDictionary::scan(&catalog.bytes) {
            for key in [&b"Metadata"[..], b"DSS"] {
                let value = catalog.value(key).unwrap_or_default();
                open.extend(references(value).unwrap_or_default());
            }
        }
        let mut visited = BTreeSet::new();
        while let Some(number) = open.pop() {
            if !visited.insert(number) {
                continue;
            }
            if omissions.iter().any(|omission| omission.object == number) {
                return Err(Refusal::new(
                    "object-damaged",
                    format!("The stream {number} was not read."),
                ));
            }
            if let Some(object) = self.newest.raw(number)? {
                open.extend(references(&object.bytes).unwrap_or_default());
            }
        }
        self.newest.renew_values(&self.limits);
        Ok(())
    }

    /// The whole file, with zeros for what was left out.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.source.zero_filled()
    }

    /// The file without what was left out.
    pub(crate) fn source(&self) -> Source<'a> {
        self.source
    }

    /// The limits that apply.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The version of the header, such as `1.7`.
    pub(crate) fn header_version(&self) -> &'a str {
        self.header_version
    }

    /// Just after the last `%%EOF` and its end-of-line marker.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// The section that the last `startxref` names.
    pub(crate) fn newest_section(&self) -> &XrefSection {
        self.sections
            .first()
            .expect("a chain has the section that startxref names")
    }

    /// `/Prev` of an update: the offset that the last `startxref` gives. For a
    /// hybrid-reference file this is the newest table, not its stream.
    pub(crate) fn newest_table_offset(&self) -> usize {
        self.newest_section().offset
    }

    /// Keys and values of the newest trailer dictionary, or of the dictionary
    /// of the newest cross-reference stream, in order and as written.
    pub(crate) fn trailer_entries(&self) -> Vec<(&'a [u8], &'a [u8])> {
        let source = self.newest.trailer();
        let trailer = RawDictionary::scan(source).expect("the chain was read with this trailer");
        let written_key =
            |entry: &RawEntry<'_>| source.get(entry.span.start + 1..)?.get(..entry.key.len());
        trailer
            .entries()
            .iter()
            .filter_map(|entry| Some((written_key(entry)?, entry.value)))
            .collect()
    }

    /// The first element of the trailer's `/ID` (14.4).
    pub(crate) fn first_file_identifier(&self) -> Option<Vec<u8>> {
        let identifiers = self.document.trailer.get(b"ID").ok()?;
        let first = self.resolve(identifiers)?.as_array().ok()?.first()?;
        self.resolve(first)?.as_str().ok().map(<[u8]>::to_vec)
    }

    /// The pages in order.
    pub(crate) fn pages(&self) -> Result<Vec<ObjectId>, Refusal> {
        page_tree::pages(self)
    }

    /// The first object number that nothing in the file uses or mentions.
    pub(crate) fn next_object_number(&self) -> u32 {
        self.next_object_number
    }

    /// Every listed object with its place, in the order of their numbers.
    pub(crate) fn listed(&self) -> impl DoubleEndedIterator<Item = (u32, XrefEntry)> {
        let table = self.newest.newest_table();
        table.iter().map(|(number, entry)| (*number, *entry))
    }

    /// Live objects, in the order of their numbers.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.listed().filter_map(|(number, _)| {
            let id = (number, self.newest.generation(number)?);
            Some((id, self.document.objects.get(&id)?))
        })
    }

    /// A live object.
    pub(crate) fn object(&self, id: ObjectId) -> Option<&Object> {
        let generation = self.newest.generation(id.0)?;
        if generation == id.1 {
            self.document.objects.get(&id)
        } else {
            None
        }
    }

    /// The exact source of a live object.
    pub(crate) fn raw_object(&self, id: ObjectId) -> Result<RawObject<'a>, Refusal> {
        self.newest
            .raw(id.0)?
            .filter(|object| object.generation == id.1)
            .ok_or_else(|| {
                Refusal::new(
                    "object-damaged",
                    format!("The object {} {} is not there.", id.0, id.1),
                )
            })
    }

    /// Follows references until there is a direct object; `None` when there is
    /// nothing, or null, at the end.
    pub(crate) fn resolve<'b>(&'b self, object: &'b Object) -> Option<&'b Object> {
        let mut object = object;
        for _ in 0..MAX_REFERENCE_HOPS {
            match object {
                Object::Reference(id) => object = self.object(*id)?,
                Object::Null => return None,
                direct => return Some(direct),
            }
        }
        None
    }

    /// The object that a reference leads to, also through other references.
    pub(crate) fn resolve_id(&self, object: &Object) -> Option<ObjectId> {
        let mut id = object.as_reference().ok()?;
        for _ in 0..MAX_REFERENCE_HOPS {
            match self.object(id)? {
                Object::Reference(next) => id = *next,
                _ => return Some(id),
            }
        }
        None
    }

    /// A value of a dictionary, references followed.
    pub(crate) fn entry<'b>(
        &'b self,
        dictionary: &'b Dictionary,
        key: &[u8],
    ) -> Option<&'b Object> {
        dictionary
            .get(key)
            .ok()
            .and_then(|value| self.resolve(value))
    }

    /// A value of a dictionary that is a dictionary, references followed.
    pub(crate) fn entry_dictionary<'b>(
        &'b self,
        dictionary: &'b Dictionary,
        key: &[u8],
    ) -> Option<&'b Dictionary> {
        self.entry(dictionary, key)
            .and_then(|value| value.as_dict().ok())
    }

    /// The catalog's identifier.
    pub(crate) fn catalog_id(&self) -> ObjectId {
        self.catalog_id
    }

    /// The catalog.
    pub(crate) fn catalog(&self) -> Result<&Dictionary, Refusal> {
        self.object(self.catalog_id)
            .and_then(|catalog| catalog.as_dict().ok())
            .filter(|catalog| catalog.has_type(b"Catalog"))
            .ok_or_else(|| Refusal::new("object-damaged", "The trailer's /Root is not a catalog."))
    }

    /// Fields and widgets of the interactive form, parents before kids.
    pub(crate) fn field_nodes(&self) -> Result<Vec<FieldNode<'_>>, Refusal> {
        form::nodes(self)
    }

    /// The state of the file now.
    pub(crate) fn newest(&self) -> &Revision<'a> {
        &self.newest
    }

    /// Whether a revision ends there. White space after the end of a revision
    /// is part of it.
    pub(crate) fn is_end_of_revision(&self, end: usize) -> bool {
        self.sections.iter().any(|section| {
            let rest = self.source.get(section.marker_end..end);
            rest.is_some_and(|rest| rest.iter().all(|byte| is_white_space(*byte)))
        })
    }

    /// The state of the file up to an offset; `None` when no revision ends
    /// there.
    pub(crate) fn revision_ending_at(&self, end: usize) -> Option<Revision<'a>> {
        if !self.is_end_of_revision(end) {
            return None;
        }
        let later = self
            .sections
            .iter()
            .position(|section| section.marker_end <= end && section.offset < end)?;
        let (later, older) = self.sections.split_at_checked(later)?;
        Some(self.newest.before(later, older))
    }
}

/// Where everything in a file stands, checked.
struct Layout {
    /// The newest first, never empty.
    sections: Vec<XrefSection>,
    end: usize,
    table: Rc<BTreeMap<u32, XrefEntry>>,
    next_object_number: u32,
    catalog_id: ObjectId,
}

impl Layout {
    fn check(source: Source<'_>, limits: &Limits) -> Result<Self, Refusal> {
        header::version(source.up_to_omission(0))?;
        let xref::Chain { sections, end } = xref::read_chain(source, limits)?;
        check_omissions(source, &sections)?;
        refuse_encryption(source, &sections)?;
        let table = revision::newest_table(&sections);
        let newest = Revision::newest(source, &sections, Rc::clone(&table), limits);
        let highest = check_objects(&newest, limits)?;
        let catalog_id = newest.catalog_id().ok_or_else(|| {
            Refusal::new("object-damaged", "The trailer does not name a catalog.")
        })?;
        let next_object_number = sections
            .iter()
            .flat_map(|section| {
                let listed = section.entries.last().map(|(number, _)| number + 1);
                let streams = section
                    .stream_numbers
                    .iter()
                    .map(|number| number.saturating_add(1));
                streams.chain(listed).chain([section.size])
            })
            .chain([highest.saturating_add(1)])
            .max()
            .unwrap_or(0);
        Ok(Self {
            sections,
            end,
            table,
            next_object_number,
            catalog_id,
        })
    }
}

/// Refuses an omission that is no stream of the file, or one of which there are
/// several versions: they could be compared.
fn check_omissions(source: Source<'_>, sections: &[XrefSection]) -> Result<(), Refusal> {
    for omission in source.omissions() {
        let mut offsets =
            sections
                .iter()
                .filter_map(|section| match section.entry(omission.object)? {
                    XrefEntry::Free => None,
                    XrefEntry::InUse { offset, .. } => Some(Some(offset)),
                    XrefEntry::Compressed { .. } => Some(None),
                });
        let is_listed_first = offsets.next() == Some(Some(omission.offset));
        if !is_listed_first || offsets.any(|offset| offset != Some(omission.offset)) {
            return Err(Refusal::new(
                "object-damaged",
                format!("The stream {} is not listed once.", omission.object),
            ));
        }
    }
    Ok(())
}

/// Refuses an encrypted file, whichever revision says so; also when `/Encrypt`
/// is null, which some readers take for encryption.
fn refuse_encryption(source: Source<'_>, sections: &[XrefSection]) -> Result<(), Refusal> {
    for section in sections {
        let trailer = source.get(section.trailer.clone()).unwrap_or_default();
        if RawDictionary::scan(trailer).is_ok_and(|trailer| trailer.find(b"Encrypt").is_some()) {
            return Err(Refusal::new("encrypted", "The document is encrypted."));
        }
    }
    Ok(())
}

/// Reads every listed object at its place and gives the highest number that
/// any of them has or mentions.
fn check_objects(revision: &Revision<'_>, limits: &Limits) -> Result<u32, Refusal> {
    let live = revision
        .newest_table()
        .iter()
        .filter(|(_, entry)| **entry != XrefEntry::Free);
    if live.clone().count() > limits.objects {
        return Err(Refusal::new(
            "too-many-objects",
            format!("The file has more than {} objects.", limits.objects),
        ));
    }
    let mut places = Vec::new();
    let mut members = Vec::new();
    for (number, entry) in live {
        match *entry {
            XrefEntry::Free => {}
            XrefEntry::InUse { offset, generation } => {
                revision.check_header((*number, generation), offset)?;
                places.push((offset, *number, generation));
            }
            XrefEntry::Compressed { container, index } => {
                members.push((*number, container, index));
            }
        }
    }
    // In the order of their places, so that no byte is read for two objects.
    places.sort_unstable();
    let mut highest = 0;
    let mut read_up_to = 0;
    for (offset, number, generation) in places {
        if offset < read_up_to {
            return Err(Refusal::new(
                "xref-ambiguous",
                format!("An object at byte {offset} lies inside another."),
            ));
        }
        let object = revision.read((number, generation), offset)?;
        revision.data(&object, offset)?;
        read_up_to = object.end;
        // A loader reads every object stream, also one that no entry leads to.
        if object.data.is_some() && revision.is_object_stream(&object) {
            highest = highest.max(revision.container(number)?.highest_number());
        }
    }
    for (number, container, index) in members {
        let stream = revision.container(container)?;
        if stream
            .member(index)
            .is_none_or(|(found, _)| found != number)
        {
            let detail =
                format!("The object {number} is not in the object stream {container} as listed.");
            return Err(Refusal::new("xref-damaged", detail));
        }
    }
    Ok(highest.max(revision.highest_reference()))
}

fn load(bytes: &[u8], limits: &Limits) -> Result<Document, Refusal> {
    let options = LoadOptions {
        strict: true,
        max_decompressed_size: Some(limits.decoded_stream_bytes),
        ..LoadOptions::default()
    };
    let document =
        Document::load_mem_with_options(bytes, options).map_err(|error| load_refusal(&error))?;
    if document.xref_recovery.is_some() {
        return Err(Refusal::new(
            "xref-damaged",
            "The cross-reference does not lead to the objects.",
        ));
    }
    Ok(document)
}

fn check_loaded(document: &Document, revision: &Revision<'_>) -> Result<(), Refusal> {
    for number in revision.newest_table().keys() {
        if let Some(generation) = revision.generation(*number)
            && !document.objects.contains_key(&(*number, generation))
        {
            return Err(Refusal::new(
                "object-damaged",
                format!("The object {number} {generation} cannot be parsed."),
            ));
        }
    }
    Ok(())
}

fn load_refusal(error: &Error) -> Refusal {
    let code = match error {
        Error::Decompress(DecompressError::MemoryLimitExceeded { .. }) => "decompression-bomb",
        Error::InvalidObjectStream(_) => "object-stream-damaged",
        Error::Xref(_) | Error::Parse(_) | Error::MissingXrefEntry | Error::ObjectIdMismatch => {
            "xref-damaged"
        }
        _ => "object-damaged",
    };
    Refusal::new(
        code,
        format!("A strict reader cannot load the document: {error}."),
    )
}
