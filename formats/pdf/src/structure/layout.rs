//! Places: every listed object is where it is listed, whole and within the
//! limits (ISO 32000-2, 7.5).

use std::collections::BTreeMap;
use std::rc::Rc;

use lopdf::ObjectId;
use parafa_format_core::Refusal;

use super::dictionary::{RawDictionary, as_reference};
use super::header;
use super::rebuild;
use super::revision::{self, Revision};
use super::source::Source;
use super::xref::{self, XrefEntry, XrefSection};
use crate::limits::Limits;

/// Where everything in a file stands, checked.
pub(super) struct Layout {
    /// The newest first, never empty.
    pub(super) sections: Vec<XrefSection>,
    /// Just after the last `%%EOF` and its end-of-line marker.
    pub(super) end: usize,
    /// What the sections list together.
    pub(super) table: Rc<BTreeMap<u32, XrefEntry>>,
    /// The first that nothing in the file uses or mentions.
    pub(super) next_object_number: u32,
    /// What the trailer names.
    pub(super) catalog_id: ObjectId,
    /// Every stream that is listed, with the length of its data.
    pub(super) streams: Vec<(ObjectId, usize)>,
    /// Whether objects stand in object streams: a lenient loader takes an older
    /// copy from there of an object that it cannot parse.
    pub(super) has_object_streams: bool,
    /// Whether the catalog leads to nodes of a page tree: where it does not, a
    /// lenient loader looks for other objects, and keeps those that it has
    /// meanwhile.
    pub(super) has_page_tree: bool,
}

impl Layout {
    /// Goes through the file from its end, and reads every object that is listed.
    ///
    /// # Errors
    /// The refusals of a file in which not every listed object is where it is
    /// listed, whole and within the limits; `encrypted`; `xref-ambiguous` also
    /// when readers that rebuild the cross-reference may find other objects.
    pub(super) fn check(source: Source<'_>, limits: &Limits) -> Result<Self, Refusal> {
        header::version(source.up_to_omission(0))?;
        let xref::Chain {
            sections,
            start,
            end,
        } = xref::read_chain(source, limits)?;
        check_omissions(source, &sections)?;
        refuse_encryption(source, &sections)?;
        let table = revision::newest_table(&sections);
        let newest = Revision::newest(source, &sections, Rc::clone(&table), limits);
        let Checked {
            highest,
            object_streams,
            streams,
        } = check_objects(&newest, limits)?;
        refuse_misled_references(&newest)?;
        if rebuild::is_likely(source, &sections, start) {
            rebuild::refuse_differences(source, &sections, &newest, &object_streams)?;
        }
        let catalog_id = newest.catalog_id().ok_or_else(|| {
            Refusal::new("object-damaged", "The trailer does not name a catalog.")
        })?;
        // Some objects are read again.
        newest.renew_values(limits);
        let has_page_tree = kids_of_page_tree(&newest, catalog_id).is_some();
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
            streams,
            has_object_streams: !object_streams.is_empty(),
            has_page_tree,
        })
    }
}

/// The array of the uppermost nodes of the page tree (7.7.3) as written.
fn kids_of_page_tree(revision: &Revision<'_>, catalog: ObjectId) -> Option<Vec<u8>> {
    let object = |number: u32| Some(revision.raw(number).ok()??.bytes);
    let value = |number: u32, key: &[u8]| {
        let source = object(number)?;
        let dictionary = RawDictionary::scan(&source).ok()?;
        dictionary.value(key).map(<[u8]>::to_vec)
    };
    let (root, _) = as_reference(&value(catalog.0, b"Pages")?)?;
    let kids = value(root, b"Kids")?;
    let kids = match as_reference(&kids) {
        Some((number, _)) => object(number)?.into_owned(),
        None => kids,
    };
    kids.starts_with(b"[").then_some(kids)
}

/// What the listed objects are.
struct Checked {
    /// The highest number that any of them has or mentions.
    highest: u32,
    object_streams: Vec<u32>,
    /// With the length of their data.
    streams: Vec<(ObjectId, usize)>,
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

/// Refuses references that readers follow or do not, by whether they look at
/// the generation.
fn refuse_misled_references(revision: &Revision<'_>) -> Result<(), Refusal> {
    let trailer = RawDictionary::scan(revision.trailer()).ok();
    let named = [&b"Root"[..], b"Info"].into_iter().filter_map(|key| {
        let (number, generation) = as_reference(trailer.as_ref()?.value(key)?)?;
        let live = revision.generation(number)?;
        (live != generation).then_some((number, generation.into()))
    });
    match named.chain(revision.misled_reference()).next() {
        None => Ok(()),
        Some((number, generation)) => Err(Refusal::new(
            "xref-ambiguous",
            format!("{number} {generation} R refers to an object of another generation."),
        )),
    }
}

/// Reads every listed object at its place.
fn check_objects(revision: &Revision<'_>, limits: &Limits) -> Result<Checked, Refusal> {
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
    let mut object_streams = Vec::new();
    let mut streams = Vec::new();
    let mut read_up_to = 0;
    for (offset, number, generation) in places {
        if offset < read_up_to {
            return Err(Refusal::new(
                "xref-ambiguous",
                format!("An object at byte {offset} lies inside another."),
            ));
        }
        let object = revision.read((number, generation), offset)?;
        if let Some(data) = revision.data(&object, offset)? {
            streams.push((object.id, data.len()));
        }
        read_up_to = object.end;
        // A loader reads every object stream, also one that no entry leads to.
        if object.data.is_some() && revision.is_object_stream(&object) {
            highest = highest.max(revision.container(number)?.highest_number());
            object_streams.push(number);
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
    Ok(Checked {
        highest: highest.max(revision.highest_reference()),
        object_streams,
        streams,
    })
}
