//! Layout: every listed object is complete, at its listed offset, and within
//! the limits (ISO 32000-2, 7.5).

use std::collections::BTreeSet;
use std::rc::Rc;

use lopdf::{Object, ObjectId, Stream};
use parafa_format_core::Refusal;

use super::dictionary::RawDictionary;
use super::header;
use super::load;
use super::rebuild;
use super::revision::{self, Revision};
use super::source::Source;
use super::xref::{self, XrefEntry, XrefSection};
use crate::limits::Limits;

/// Validated positions of everything in a file.
pub(super) struct Layout {
    /// Newest first, never empty.
    pub(super) sections: Vec<XrefSection>,
    /// Offset after the last `%%EOF` and its end-of-line marker.
    pub(super) end: usize,
    /// Merged entries of the sections.
    pub(super) table: Rc<[(u32, XrefEntry)]>,
    /// First object number neither used nor referenced.
    pub(super) next_object_number: u32,
    /// `/Root` of the trailer.
    pub(super) catalog_id: ObjectId,
    /// Every listed object, sorted by number.
    pub(super) objects: Vec<(ObjectId, Object)>,
    /// The catalog is referenced from elsewhere than `/Root` of trailers.
    pub(super) catalog_is_mentioned: bool,
}

impl Layout {
    /// Parses the file from its end and reads every listed object.
    ///
    /// # Errors
    /// Those of a listed object that is misplaced, incomplete or beyond the
    /// limits; `encrypted`; `xref-ambiguous`, also if readers that rebuild the
    /// cross-reference may find other objects.
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
            objects,
        } = check_objects(&newest, limits)?;
        let (mentioned, catalog_is_mentioned) = mentioned(&newest, &sections, &objects)?;
        if rebuild::is_likely(source, &sections, start, &mentioned) {
            rebuild::refuse_differences(source, &sections, &newest, &object_streams)?;
        } else if rebuild::names_a_stream_twice(&sections) {
            rebuild::refuse_unlisted(source, &sections, &newest)?;
        }
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
            objects,
            catalog_is_mentioned,
        })
    }
}

/// Results of reading the listed objects.
struct Checked {
    /// Highest object number used or referenced.
    highest: u32,
    object_streams: Vec<u32>,
    objects: Vec<(ObjectId, Object)>,
}

/// Refuses an omission that is no stream of the file, or that has several
/// versions, because these could be compared.
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

/// Refuses a file if any revision is encrypted. `/Encrypt` with a null value
/// counts, because some readers take it for encryption.
fn refuse_encryption(source: Source<'_>, sections: &[XrefSection]) -> Result<(), Refusal> {
    for section in sections {
        let trailer = source.get(section.trailer.clone()).unwrap_or_default();
        if RawDictionary::scan(trailer).is_ok_and(|trailer| trailer.find(b"Encrypt").is_some()) {
            return Err(Refusal::new("encrypted", "The document is encrypted."));
        }
    }
    Ok(())
}

/// Returns the referenced objects that are not in use, and whether the catalog
/// is referenced from elsewhere than trailers. Refuses references with a wrong
/// generation: some readers resolve them, others do not (7.3.10).
fn mentioned(
    revision: &Revision<'_>,
    sections: &[XrefSection],
    objects: &[(ObjectId, Object)],
) -> Result<(BTreeSet<u32>, bool), Refusal> {
    let catalog = revision.catalog_id();
    // Cross-reference streams may list themselves, and count as trailers if
    // nothing refers to them.
    let streams = sections.iter().flat_map(|section| &section.stream_numbers);
    let streams: BTreeSet<u32> = streams.copied().collect();
    let root_of = |number: &u32| {
        let (_, object) = xref::find(objects, *number, |id| id.0)?;
        let root = object.as_stream().ok()?.dict.get(b"Root").ok()?;
        root.as_reference().ok()
    };
    let roots = streams.iter().filter(|number| root_of(number) == catalog);
    let roots = 1 + roots.count();
    let mut catalog_mentions = 0;
    let mut stream_is_mentioned = false;
    let trailer = load::value(revision.trailer());
    let trailer = trailer.as_ref().and_then(|trailer| trailer.as_dict().ok());
    let named = [&b"Root"[..], b"Info"].into_iter();
    let named = named.filter_map(|key| trailer?.get(key).ok());
    let values = objects.iter().map(|(_, object)| object);
    let mut open: Vec<&Object> = named.chain(values).collect();
    let mut unused = BTreeSet::new();
    while let Some(object) = open.pop() {
        match object {
            Object::Array(items) => open.extend(items),
            Object::Dictionary(entries) | Object::Stream(Stream { dict: entries, .. }) => {
                open.extend(entries.iter().map(|(_, value)| value));
            }
            Object::Reference(id @ (number, generation)) => match revision.generation(*number) {
                Some(live) if live == *generation => {
                    catalog_mentions += usize::from(Some(*id) == catalog);
                    stream_is_mentioned |= streams.contains(number);
                }
                Some(_) => {
                    let detail = format!(
                        "{number} {generation} R refers to an object of another generation."
                    );
                    return Err(Refusal::new("xref-ambiguous", detail));
                }
                None => drop(unused.insert(*number)),
            },
            _ => {}
        }
    }
    Ok((unused, stream_is_mentioned || catalog_mentions > roots))
}

/// Reads every listed object at its offset.
fn check_objects(revision: &Revision<'_>, limits: &Limits) -> Result<Checked, Refusal> {
    let live = revision
        .newest_table()
        .iter()
        .filter(|(_, entry)| *entry != XrefEntry::Free);
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
    // Sorted by offset, so that no byte is read for two objects.
    places.sort_unstable();
    let mut highest = 0;
    let mut object_streams = Vec::new();
    let mut objects = Vec::with_capacity(places.len() + members.len());
    let mut read_up_to = 0;
    for (offset, number, generation) in places {
        if offset < read_up_to {
            return Err(Refusal::new(
                "xref-ambiguous",
                format!("An object at byte {offset} lies inside another."),
            ));
        }
        let object = revision.read((number, generation), offset)?;
        objects.push((object.id, revision.value(&object, offset)?));
        read_up_to = object.end;
        // A loader reads every object stream, even one without entries.
        if object.data.is_some() && revision.is_object_stream(&object) {
            highest = highest.max(revision.container(number)?.highest_number());
            object_streams.push(number);
        }
    }
    for (number, container, index) in members {
        let stream = revision.container(container)?;
        let source = stream.member(index).filter(|(found, _)| *found == number);
        let Some((_, source)) = source else {
            let detail =
                format!("The object {number} is not in the object stream {container} as listed.");
            return Err(Refusal::new("xref-damaged", detail));
        };
        let id = (number, 0);
        let value = load::value(source).ok_or_else(|| load::refusal(id))?;
        objects.push((id, value));
    }
    objects.sort_by_key(|(id, _)| *id);
    Ok(Checked {
        highest: highest.max(revision.highest_reference()),
        object_streams,
        objects,
    })
}
