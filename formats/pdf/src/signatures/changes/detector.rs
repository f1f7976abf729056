//! Data shared by all comparisons of a file, read once.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use lopdf::{Object, ObjectId};
use parafa_format_core::Refusal;

use super::references::{References, TRAILER};
use super::sources::referenced;
use crate::page_content::ContentDecoder;
use crate::signatures::signature_of;
use crate::structure::{FieldNode, PdfFile, RawObject, XrefEntry, is_white_space};

/// Compares the newest state of a file with the signed revisions. Shared data
/// is read once; each comparison then costs as much as the later updates, not
/// the whole file.
pub(crate) struct ChangeDetector<'f, 'a> {
    pub(super) file: &'f PdfFile<'a>,
    pub(super) fields: Vec<FieldNode<'f>>,
    /// Indices into the fields, by object number.
    pub(super) field_places: BTreeMap<u32, usize>,
    /// Object numbers of fields and widgets, by name.
    names: OnceCell<BTreeMap<String, Vec<u32>>>,
    /// Objects that are values of signature fields.
    pub(super) signatures: BTreeSet<ObjectId>,
    pub(super) pages: Vec<Page>,
    /// Members of object streams, by stream number.
    pub(super) members: BTreeMap<u32, Vec<u32>>,
    page_numbers: BTreeSet<u32>,
    annotation_arrays: BTreeSet<u32>,
    references: OnceCell<References>,
    newest: RefCell<BTreeMap<u32, Newest<'a>>>,
    /// Decodes appearances of new fields, each stream once.
    decoder: RefCell<ContentDecoder>,
    /// Streams that draw nothing.
    blank: RefCell<BTreeMap<ObjectId, bool>>,
    /// Remaining byte budget for comparing structure trees.
    pub(super) structure_bytes: Cell<usize>,
}

/// An object of the newest revision, cached. Signatures are long, and each
/// comparison with an earlier one visits all later ones.
#[derive(Clone)]
struct Newest<'a> {
    object: Option<RawObject<'a>>,
    /// Numbers of referenced objects, once computed.
    referenced: Option<Rc<[u32]>>,
}

/// A page, and its `/Annots` array if indirect.
pub(super) struct Page {
    pub(super) number: u32,
    pub(super) annotations: Option<u32>,
}

fn annotation_array(page: Option<&Object>) -> Option<u32> {
    let annotations = page?.as_dict().ok()?.get(b"Annots").ok()?;
    annotations.as_reference().ok().map(|(number, _)| number)
}

impl<'f, 'a> ChangeDetector<'f, 'a> {
    /// Prepares comparisons for a file with these fields; refuses an invalid
    /// page tree.
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

    /// Returns the fields of the file.
    pub(crate) fn fields(&self) -> &[FieldNode<'f>] {
        &self.fields
    }

    /// Returns whether an appearance draws nothing.
    pub(super) fn is_blank(&self, id: ObjectId) -> bool {
        if let Some(known) = self.blank.borrow().get(&id) {
            return *known;
        }
        let content = self.decoder.borrow_mut().decode(self.file, id);
        let is_blank = content.is_some_and(|content| shows_nothing(&content));
        self.blank.borrow_mut().insert(id, is_blank);
        is_blank
    }

    /// Returns whether a reference makes the catalog visible. Every signature
    /// changes the catalog.
    pub(crate) fn shows_catalog(&self) -> Result<bool, Refusal> {
        let Some((catalog, _)) = self.file.newest().catalog_id() else {
            return Ok(false);
        };
        // Filling in a field that is also the catalog changes the catalog.
        if self.field(catalog).is_some() {
            return Ok(true);
        }
        if !self.file.catalog_is_mentioned {
            // Renews the budget, as reading all references does.
            self.file.newest().renew_values(self.file.limits());
            return Ok(false);
        }
        let references = self.references()?.to(catalog).iter();
        let mut others = references.filter(|reference| reference.from != TRAILER);
        Ok(others.any(|reference| !reference.kind.may_lead_to_catalog()))
    }

    pub(super) fn references(&self) -> Result<&References, Refusal> {
        if let Some(known) = self.references.get() {
            return Ok(known);
        }
        let found = References::read(self.file)?;
        Ok(self.references.get_or_init(|| found))
    }

    /// Returns the newest source of an object.
    pub(super) fn newest(&self, number: u32) -> Result<Option<RawObject<'a>>, Refusal> {
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

    /// Returns the objects referenced by the newest source of an object.
    pub(super) fn referenced_by(&self, number: u32) -> Result<Rc<[u32]>, Refusal> {
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

    /// Returns the field or widget with this object number.
    pub(super) fn field(&self, number: u32) -> Option<&FieldNode<'f>> {
        self.fields.get(*self.field_places.get(&number)?)
    }

    /// Returns the fields and widgets with a name.
    pub(super) fn named(&self, name: &str) -> &[u32] {
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

    pub(super) fn is_page(&self, number: u32) -> bool {
        self.page_numbers.contains(&number)
    }

    pub(super) fn is_annotation_array(&self, number: u32) -> bool {
        self.annotation_arrays.contains(&number)
    }
}

/// Tokens of an appearance that shows nothing.
const SHOWING_NOTHING: [&[u8]; 5] = [b"/Tx", b"BMC", b"EMC", b"Q", b"q"];

/// Returns whether a content stream has only comments and empty bracketing
/// operators.
fn shows_nothing(content: &[u8]) -> bool {
    let lines = content.split(|byte| matches!(byte, b'\r' | b'\n'));
    let without_comment = |line| {
        let line: &[u8] = line;
        line.split(|byte| *byte == b'%').next().unwrap_or_default()
    };
    let mut words = lines
        .flat_map(|line| without_comment(line).split(|byte| is_white_space(*byte)))
        .filter(|word| !word.is_empty());
    words.all(|word| SHOWING_NOTHING.contains(&word))
}
