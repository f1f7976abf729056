//! A PDF file with access to its objects.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use super::dictionary::{RawDictionary, RawEntry};
use super::form::{self, FieldNode};
use super::layout::Layout;
use super::load;
use super::revision::{RawObject, Revision};
use super::scan::{is_white_space, references};
use super::source::Source;
use super::xref::{self, XrefEntry, XrefSection};
use super::{header, page_tree};
use crate::limits::Limits;

/// Maximum length of a chain of references.
const MAX_REFERENCE_HOPS: usize = 16;

/// A PDF file, parsed once.
pub(crate) struct PdfFile<'a> {
    source: Source<'a>,
    limits: Limits,
    header_version: &'a str,
    /// Newest first, never empty.
    sections: Vec<XrefSection>,
    end: usize,
    newest: Revision<'a>,
    next_object_number: u32,
    catalog_id: ObjectId,
    /// Sorted by object number.
    objects: Vec<(ObjectId, Object)>,
    /// The catalog is referenced from elsewhere than `/Root` of trailers.
    pub(crate) catalog_is_mentioned: bool,
    pages: OnceCell<Vec<ObjectId>>,
}

impl<'a> PdfFile<'a> {
    /// Parses a complete file.
    pub(crate) fn parse(bytes: &'a [u8], limits: &Limits) -> Result<Self, Refusal> {
        Self::parse_source(Source::whole(bytes), limits)
    }

    /// Parses the loaded parts of a file, if they suffice.
    pub(super) fn parse_source(source: Source<'a>, limits: &Limits) -> Result<Self, Refusal> {
        let layout = Layout::check(source, limits)?;
        let newest = Revision::newest(source, &layout.sections, layout.table, limits);
        let file = Self {
            source,
            limits: limits.clone(),
            header_version: header::version(source.up_to_omission(0))?,
            sections: layout.sections,
            end: layout.end,
            newest,
            next_object_number: layout.next_object_number,
            catalog_id: layout.catalog_id,
            objects: layout.objects,
            catalog_is_mentioned: layout.catalog_is_mentioned,
            pages: OnceCell::new(),
        };
        file.catalog()?;
        file.check_decoded_streams()?;
        // Parsing read everything once; later steps read parts again.
        file.newest.renew_values(limits);
        Ok(file)
    }

    /// Refuses a file without the data of streams that are decoded from its
    /// objects: metadata and the document security store (ISO 32000-2, 14.3.2
    /// and 12.8.4.3).
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

    /// Returns the whole file, with zeros for omitted data.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.source.zero_filled()
    }

    /// Returns the file without omitted data.
    pub(crate) fn source(&self) -> Source<'a> {
        self.source
    }

    /// Returns the limits.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the header version, such as `1.7`.
    pub(crate) fn header_version(&self) -> &'a str {
        self.header_version
    }

    /// Returns the offset after the last `%%EOF` and its end-of-line marker.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Returns the section named by the last `startxref`.
    pub(crate) fn newest_section(&self) -> &XrefSection {
        self.sections
            .first()
            .expect("a chain has the section that startxref names")
    }

    /// Returns `/Prev` for an update: the offset in the last `startxref`. In a
    /// hybrid-reference file, this is the newest table rather than its stream.
    pub(crate) fn newest_table_offset(&self) -> usize {
        self.newest_section().named_offset
    }

    /// Returns keys and values of the newest trailer or cross-reference stream
    /// dictionary, in order and as written.
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

    /// Returns the first element of the trailer's `/ID` (14.4).
    pub(crate) fn first_file_identifier(&self) -> Option<Vec<u8>> {
        let trailer = load::value(self.newest.trailer())?;
        let identifiers = self.entry(trailer.as_dict().ok()?, b"ID")?;
        let first = identifiers.as_array().ok()?.first()?;
        self.resolve(first)?.as_str().ok().map(<[u8]>::to_vec)
    }

    /// Returns the pages in order.
    pub(crate) fn pages(&self) -> Result<Vec<ObjectId>, Refusal> {
        if let Some(known) = self.pages.get() {
            return Ok(known.clone());
        }
        let pages = page_tree::pages(self)?;
        Ok(self.pages.get_or_init(|| pages).clone())
    }

    /// Returns the first object number that is neither used nor referenced.
    pub(crate) fn next_object_number(&self) -> u32 {
        self.next_object_number
    }

    /// Returns every listed object with its entry, sorted by number.
    pub(crate) fn listed(&self) -> impl DoubleEndedIterator<Item = (u32, XrefEntry)> {
        let table = self.newest.newest_table();
        table.iter().copied()
    }

    /// Returns the live objects, sorted by number.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.objects.iter().map(|(id, object)| (*id, object))
    }

    /// Returns a live object.
    pub(crate) fn object(&self, id: ObjectId) -> Option<&Object> {
        let (live, object) = xref::find(&self.objects, id.0, |id| id.0)?;
        (*live == id).then_some(object)
    }

    /// Returns the exact source of a live object.
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

    /// Follows references to a direct object; `None` if it is missing or null.
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

    /// Follows a chain of references to the last object identifier.
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

    /// Returns a dictionary value, references followed.
    pub(crate) fn entry<'b>(
        &'b self,
        dictionary: &'b Dictionary,
        key: &[u8],
    ) -> Option<&'b Object> {
        // `Dictionary::get` formats an error for each missing key.
        self.resolve(dictionary.as_hashmap().get(key)?)
    }

    /// Returns a dictionary value that is a dictionary, references followed.
    pub(crate) fn entry_dictionary<'b>(
        &'b self,
        dictionary: &'b Dictionary,
        key: &[u8],
    ) -> Option<&'b Dictionary> {
        self.entry(dictionary, key)
            .and_then(|value| value.as_dict().ok())
    }

    /// Returns the catalog's identifier.
    pub(crate) fn catalog_id(&self) -> ObjectId {
        self.catalog_id
    }

    /// Returns the catalog.
    pub(crate) fn catalog(&self) -> Result<&Dictionary, Refusal> {
        self.object(self.catalog_id)
            .and_then(|catalog| catalog.as_dict().ok())
            .filter(|catalog| catalog.has_type(b"Catalog"))
            .ok_or_else(|| {
                let (number, generation) = self.catalog_id;
                let detail = format!("The object {number} {generation} is not a catalog.");
                Refusal::new("object-damaged", detail)
            })
    }

    /// Returns fields and widgets of the interactive form, parents before kids.
    pub(crate) fn field_nodes(&self) -> Result<Vec<FieldNode<'_>>, Refusal> {
        form::nodes(self)
    }

    /// Returns the newest revision.
    pub(crate) fn newest(&self) -> &Revision<'a> {
        &self.newest
    }

    /// Returns whether a revision ends at this offset. White space after its
    /// end belongs to it.
    pub(crate) fn is_end_of_revision(&self, end: usize) -> bool {
        self.sections.iter().any(|section| {
            let rest = self.source.get(section.marker_end..end);
            let rest = rest.map(<[u8]>::trim_ascii);
            rest.is_some_and(|rest| {
                rest.iter().all(|byte| is_white_space(*byte)) || rest == b"%%EOF"
            })
        })
    }

    /// Returns the number of objects listed by each revision, newest first,
    /// with its end. A listed object stream also lists its members.
    pub(crate) fn listed_by_revision(&self) -> Vec<(usize, usize)> {
        let mut members: BTreeMap<u32, usize> = BTreeMap::new();
        for (_, entry) in self.listed() {
            if let XrefEntry::Compressed { container, .. } = entry {
                *members.entry(container).or_default() += 1;
            }
        }
        let count = |section: &XrefSection| {
            let brought = section.entries.iter();
            let brought = brought.filter_map(|(number, _)| members.get(number));
            section.entries.len() + brought.sum::<usize>()
        };
        let sections = self.sections.iter();
        sections
            .map(|section| (section.marker_end, count(section)))
            .collect()
    }

    /// Returns the revision that ends at an offset; `None` if there is none.
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
