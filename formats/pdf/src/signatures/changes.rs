//! What the revisions after a signature changed (ISO 32000-2, 12.8.2.2.2).
//!
//! A change is explained when it is one of: a new signature field with its
//! value and widget, values and appearances of form fields, annotations where
//! they are permitted, the structure element of a new field's widget, validation
//! data in the catalog's `/DSS`, metadata, the document information dictionary,
//! and what the trailer does not lead to, such as the file's own bookkeeping. It
//! must be reached by no other way than that one. Everything else changed what
//! was signed.

mod annotations;
mod appearances;
mod catalog;
mod confinement;
mod fields;
mod form;
mod items;
mod new_fields;
mod number_tree;
mod references;
mod structure_tree;
mod values;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use lopdf::{Object, ObjectId};
use parafa_format_core::{ChangeKind, LaterChanges, Refusal};

use super::{Permissions, signature_of};
use crate::page_content::ContentDecoder;
use crate::structure::{
    FieldNode, PdfFile, RawDictionary, RawObject, Revision, ScanError, XrefEntry, same_value,
};

use annotations::SharedLists;
use confinement::ChangeScope;
use new_fields::shows_nothing;
use references::{References, TRAILER};

/// Compares the newest state of a file with what its signatures cover. What
/// all comparisons need is read once; each then costs what was updated after
/// the signature, not what the file holds.
pub(crate) struct ChangeDetector<'f, 'a> {
    file: &'f PdfFile<'a>,
    fields: Vec<FieldNode<'f>>,
    /// Places among the fields, by the number of the object.
    field_places: BTreeMap<u32, usize>,
    /// The objects of the fields and widgets of a name.
    names: OnceCell<BTreeMap<String, Vec<u32>>>,
    /// What stands for signatures in signature fields.
    signatures: BTreeSet<ObjectId>,
    pages: Vec<Page>,
    /// Members of object streams, by the number of the stream.
    members: BTreeMap<u32, Vec<u32>>,
    page_numbers: BTreeSet<u32>,
    annotation_arrays: BTreeSet<u32>,
    references: OnceCell<References>,
    newest: RefCell<BTreeMap<u32, Newest<'a>>>,
    /// Decodes what new fields show, each stream once.
    decoder: RefCell<ContentDecoder>,
    /// Whether a stream draws nothing.
    blank: RefCell<BTreeMap<ObjectId, bool>>,
    /// Bytes of structure trees that may still be compared.
    structure_bytes: Cell<usize>,
}

/// An object as the newest revision has it. Signatures are long, and every
/// earlier one finds all later ones among what was changed.
#[derive(Clone)]
struct Newest<'a> {
    object: Option<RawObject<'a>>,
    /// What it refers to, once that was asked for.
    referenced: Option<Rc<[u32]>>,
}

/// A page, and the array of its annotations when that is an object.
struct Page {
    number: u32,
    annotations: Option<u32>,
}

impl<'f, 'a> ChangeDetector<'f, 'a> {
    /// For the signatures of a file with these fields; refuses one whose pages
    /// are no tree.
    pub(crate) fn new(file: &'f PdfFile<'a>, fields: Vec<FieldNode<'f>>) -> Result<Self, Refusal> {
        let pages = file.pages()?.into_iter().map(|id| Page {
            number: id.0,
            annotations: annotation_array(file.object(id)),
        });
        let pages: Vec<Page> = pages.collect();
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, entry) in file.listed() {
            if let XrefEntry::Compressed { container, .. } = entry {
                members.entry(container).or_default().push(number);
            }
        }
        let places = fields.iter().enumerate();
        let signatures = fields.iter().filter_map(|field| signature_of(file, field));
        Ok(Self {
            file,
            members,
            field_places: places.map(|(place, field)| (field.id.0, place)).collect(),
            signatures: signatures.map(|(id, _)| id).collect(),
            fields,
            page_numbers: pages.iter().map(|page| page.number).collect(),
            annotation_arrays: pages.iter().filter_map(|page| page.annotations).collect(),
            pages,
            names: OnceCell::new(),
            references: OnceCell::new(),
            newest: RefCell::default(),
            decoder: RefCell::new(ContentDecoder::new(file.limits())),
            blank: RefCell::default(),
            structure_bytes: Cell::new(file.limits().structure_bytes),
        })
    }

    /// The fields of the file.
    pub(crate) fn fields(&self) -> &[FieldNode<'f>] {
        &self.fields
    }

    /// The first change after an offset that nothing explains or permits, as a
    /// sentence; `None` when a signature that covers everything up to there
    /// still says what it said.
    pub(crate) fn unexplained_after(
        &self,
        end: usize,
        permissions: &Permissions,
    ) -> Result<Option<String>, Refusal> {
        Ok(self.compare(end, permissions)?.err())
    }

    /// What was changed after an offset, whether that is permitted or not.
    pub(crate) fn changes_after(
        &self,
        end: usize,
        permissions: &Permissions,
    ) -> Result<LaterChanges, Refusal> {
        Ok(match self.compare(end, permissions)? {
            Ok(kind) => LaterChanges::permitted(kind),
            Err(change) => LaterChanges {
                // What not even the most lenient signature permits is something
                // else, also where it cannot be looked at once more.
                kind: match self.compare(end, &Permissions::everything()) {
                    Ok(Ok(kind)) => kind,
                    Ok(Err(_)) | Err(_) => ChangeKind::Other,
                },
                unpermitted: Some(change),
            },
        })
    }

    /// What was changed after an offset, or the first change that is not
    /// permitted.
    fn compare(
        &self,
        end: usize,
        permissions: &Permissions,
    ) -> Result<Result<ChangeKind, String>, Refusal> {
        if end >= self.file.end() {
            return Ok(Ok(ChangeKind::None));
        }
        let Some(old) = self.file.revision_ending_at(end) else {
            return Ok(Err(format!("No revision ends at byte {end}.")));
        };
        let mut comparison = Comparison::new(self, permissions, old)?;
        if comparison.changed.is_empty() && comparison.has_same_roots() {
            return Ok(Ok(ChangeKind::None));
        }
        match comparison.explain() {
            Ok(()) => Ok(Ok(comparison.kind)),
            Err(Stop::Change(change)) => Ok(Err(change)),
            Err(Stop::Refusal(refusal)) => Err(refusal),
        }
    }

    /// Whether an appearance draws nothing.
    fn is_blank(&self, id: ObjectId) -> bool {
        if let Some(known) = self.blank.borrow().get(&id) {
            return *known;
        }
        let content = self.decoder.borrow_mut().decode(self.file, id);
        let is_blank = content.is_some_and(|content| shows_nothing(&content));
        self.blank.borrow_mut().insert(id, is_blank);
        is_blank
    }

    /// Whether the catalog is referred to as if it were something that is shown:
    /// every signature changes it.
    pub(crate) fn shows_catalog(&self) -> Result<bool, Refusal> {
        let Some((catalog, _)) = self.file.newest().catalog_id() else {
            return Ok(false);
        };
        // Whoever fills it in as a field changes it as well.
        if self.field(catalog).is_some() {
            return Ok(true);
        }
        if !self.file.catalog_is_mentioned {
            // As where all references are read.
            self.file.newest().renew_values(self.file.limits());
            return Ok(false);
        }
        let references = self.references()?.to(catalog).iter();
        let mut others = references.filter(|reference| reference.from != TRAILER);
        Ok(others.any(|reference| !reference.kind.may_lead_to_catalog()))
    }

    fn references(&self) -> Result<&References, Refusal> {
        if let Some(known) = self.references.get() {
            return Ok(known);
        }
        let found = References::read(self.file)?;
        Ok(self.references.get_or_init(|| found))
    }

    /// The newest source of an object.
    fn newest(&self, number: u32) -> Result<Option<RawObject<'a>>, Refusal> {
        if let Some(known) = self.newest.borrow().get(&number) {
            return Ok(known.object.clone());
        }
        let object = self.file.newest().raw(number)?;
        let newest = Newest {
            object: object.clone(),
            referenced: None,
        };
        self.newest.borrow_mut().insert(number, newest);
        Ok(object)
    }

    /// What the newest source of an object refers to.
    fn referenced_by(&self, number: u32) -> Result<Rc<[u32]>, Refusal> {
        let object = self.newest(number)?;
        let mut newest = self.newest.borrow_mut();
        let known = newest
            .get_mut(&number)
            .and_then(|known| known.referenced.clone());
        if let Some(known) = known {
            return Ok(known);
        }
        let source = object.as_ref().map(|object| &*object.bytes);
        let found: Rc<[u32]> = referenced(source.unwrap_or_default())?.into();
        if let Some(known) = newest.get_mut(&number) {
            known.referenced = Some(Rc::clone(&found));
        }
        Ok(found)
    }

    /// The field or widget that an object is.
    fn field(&self, number: u32) -> Option<&FieldNode<'f>> {
        self.fields.get(*self.field_places.get(&number)?)
    }

    /// The fields and widgets that have a name.
    fn named(&self, name: &str) -> &[u32] {
        let names = self.names.get_or_init(|| {
            let mut names: BTreeMap<String, Vec<u32>> = BTreeMap::new();
            for field in &self.fields {
                let named = names.entry(field.name.clone()).or_default();
                named.push(field.id.0);
            }
            names
        });
        names.get(name).map_or(&[], Vec::as_slice)
    }

    fn is_page(&self, number: u32) -> bool {
        self.page_numbers.contains(&number)
    }

    fn is_annotation_array(&self, number: u32) -> bool {
        self.annotation_arrays.contains(&number)
    }
}

fn annotation_array(page: Option<&Object>) -> Option<u32> {
    let annotations = page?.as_dict().ok()?.get(b"Annots").ok()?;
    annotations.as_reference().ok().map(|(number, _)| number)
}

/// Why no more changes are looked at.
enum Stop {
    /// This one is not permitted.
    Change(String),
    /// The file cannot be read.
    Refusal(Refusal),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refusal(refusal)
    }
}

struct Comparison<'d, 'f, 'a> {
    detector: &'d ChangeDetector<'f, 'a>,
    file: &'f PdfFile<'a>,
    permissions: &'d Permissions,
    old: Revision<'a>,
    /// What is listed elsewhere now and has another value.
    changed: BTreeMap<u32, Change<'a>>,
    explained: BTreeMap<u32, ChangeScope>,
    /// The values that permit what they refer to, by object and key.
    permitting: BTreeSet<(u32, Vec<u8>)>,
    /// How often they refer from one object to another.
    permitted_references: BTreeMap<(u32, u32), usize>,
    /// What may have become of arrays of annotations: pages may share them.
    permitted_lists: BTreeSet<SharedLists>,
    /// The most that was changed of what was explained.
    kind: ChangeKind,
}

struct Change<'a> {
    old: Option<RawObject<'a>>,
    new: Option<RawObject<'a>>,
}

impl<'d, 'f, 'a> Comparison<'d, 'f, 'a> {
    fn new(
        detector: &'d ChangeDetector<'f, 'a>,
        permissions: &'d Permissions,
        old: Revision<'a>,
    ) -> Result<Self, Refusal> {
        let file = detector.file;
        let new = file.newest();
        new.renew_values(file.limits());
        // An object stream that is listed anew brings its members along.
        let numbers: BTreeSet<u32> = old
            .listed_later()
            .flat_map(|number| {
                let members = detector.members.get(&number);
                members.into_iter().flatten().copied().chain([number])
            })
            .collect();
        let mut changed = BTreeMap::new();
        for number in numbers {
            if same_place(&old, new, number) {
                continue;
            }
            let change = Change {
                old: old.raw(number)?,
                new: detector.newest(number)?,
            };
            if !same_object(change.old.as_ref(), change.new.as_ref()) {
                changed.insert(number, change);
            }
        }
        Ok(Self {
            detector,
            file,
            permissions,
            old,
            changed,
            explained: BTreeMap::new(),
            permitting: BTreeSet::new(),
            permitted_references: BTreeMap::new(),
            permitted_lists: BTreeSet::new(),
            // Whatever changed without being seen.
            kind: ChangeKind::ValidationData,
        })
    }

    fn explain(&mut self) -> Result<(), Stop> {
        self.explain_information()?;
        self.explain_catalog()?;
        self.explain_fields()?;
        self.explain_appearances()?;
        self.explain_annotations()?;
        self.explain_structure()?;
        self.refuse_unexplained()?;
        self.confine()
    }

    /// What nothing leads to shows nothing, however it changed: object streams,
    /// cross-reference streams and what is out of use. A reference that led
    /// nowhere before would lead somewhere now, so every object is asked.
    fn refuse_unexplained(&self) -> Result<(), Stop> {
        let references = self.detector.references()?;
        let unexplained = self
            .changed
            .iter()
            .find(|(number, _)| !self.explained.contains_key(number) && references.reach(**number));
        match unexplained {
            None => Ok(()),
            Some((number, change)) => Err(Stop::Change(match (&change.old, &change.new) {
                (None, _) => {
                    format!("The object {number} was added, and no permitted change leads to it.")
                }
                (_, None) => format!("The object {number} was removed."),
                _ => format!("The object {number} was changed."),
            })),
        }
    }

    /// Takes notice of a change that is explained.
    fn find(&mut self, kind: ChangeKind) {
        self.kind = self.kind.max(kind);
    }

    fn is_added(&self, number: u32) -> bool {
        self.changed
            .get(&number)
            .is_some_and(|change| change.old.is_none() && change.new.is_some())
    }

    /// The value of a key may be any other: so may all new objects that it
    /// leads to, as far as nothing else does. What was there is not passed.
    fn permit(&mut self, holder: u32, key: &[u8], value: &[u8]) -> Result<(), Refusal> {
        self.permit_reference(holder, key, value)?;
        self.explain_added(value)
    }

    /// What the value of a key refers to may be referred to there.
    fn permit_reference(&mut self, holder: u32, key: &[u8], value: &[u8]) -> Result<(), Refusal> {
        if self.permitting.insert((holder, key.to_vec())) {
            for number in referenced(value)? {
                *self
                    .permitted_references
                    .entry((holder, number))
                    .or_default() += 1;
            }
        }
        Ok(())
    }

    /// The objects that were added to a list may be referred to there.
    fn permit_each_reference(&mut self, holder: u32, key: &[u8], added: &BTreeSet<u32>) {
        if self.permitting.insert((holder, key.to_vec())) {
            for number in added {
                *self
                    .permitted_references
                    .entry((holder, *number))
                    .or_default() += 1;
            }
        }
    }

    fn explain_added(&mut self, value: &[u8]) -> Result<(), Refusal> {
        let mut open = referenced(value)?;
        while let Some(number) = open.pop() {
            if !self.is_added(number) || self.explained.contains_key(&number) {
                continue;
            }
            self.explained.insert(number, ChangeScope::Whole);
            open.extend(self.detector.referenced_by(number)?.iter());
        }
        Ok(())
    }

    /// The first explanation of an object stays.
    fn explain_as(&mut self, number: u32, standing: ChangeScope) {
        self.explained.entry(number).or_insert(standing);
    }
}

fn same_place(old: &Revision<'_>, new: &Revision<'_>, number: u32) -> bool {
    let (old_entry, new_entry) = (old.entry(number), new.entry(number));
    let is_free = |entry: Option<XrefEntry>| matches!(entry, None | Some(XrefEntry::Free));
    match (old_entry, new_entry) {
        (Some(XrefEntry::Compressed { container, .. }), Some(_)) if old_entry == new_entry => {
            old.entry(container) == new.entry(container)
        }
        _ => old_entry == new_entry || is_free(old_entry) && is_free(new_entry),
    }
}

fn same_object(old: Option<&RawObject<'_>>, new: Option<&RawObject<'_>>) -> bool {
    match (old, new) {
        (None, None) => true,
        (Some(old), Some(new)) => {
            old.generation == new.generation
                && old.data == new.data
                && same_value(&old.bytes, &new.bytes)
        }
        _ => false,
    }
}

fn entries(source: &[u8]) -> Result<RawDictionary<'_>, Refusal> {
    RawDictionary::scan(source).map_err(|error| {
        Refusal::new(
            "object-damaged",
            format!("A dictionary cannot be read: {error}."),
        )
    })
}

fn referenced(source: &[u8]) -> Result<Vec<u32>, Refusal> {
    crate::structure::references(source).map_err(|error| damaged_references(&error))
}

fn damaged_references(error: &ScanError) -> Refusal {
    Refusal::new(
        "object-damaged",
        format!("References cannot be read: {error}."),
    )
}
