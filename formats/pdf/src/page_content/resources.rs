//! Names of added XObjects in copies of page resources (ISO 32000-2, 7.8.3).

use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, ObjectId};
use parafa_format_core::Refusal;
use sha2::{Digest, Sha256};

use super::page_tree::{PageTree, node_entries};
use crate::structure::{PdfFile, RawDictionary};
use crate::write::{Edits, reference, with_entries};

/// Prefix of the names of added XObjects.
const NAME_PREFIX: &str = "Drawn";

/// Number of digest bytes in a name.
const DIGEST_BYTES: usize = 8;

/// Copies of resource dictionaries with added XObjects. Pages that share their
/// resources share the copy, so it is written once.
pub(super) struct ResourceCopies<'f, 'a> {
    file: &'f PdfFile<'a>,
    copies: BTreeMap<ResourcesOwner, ResourceCopy>,
    /// Indirect XObject dictionaries.
    shared_xobjects: BTreeMap<ObjectId, Additions>,
    /// Prefix of the names. The document's author could not know it, so
    /// existing content cannot use such a name.
    prefix: String,
    /// Number of each XObject in its name.
    numbers: BTreeMap<ObjectId, usize>,
}

/// Place of a resource dictionary.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum ResourcesOwner {
    /// Missing; the page gets a new one.
    Absent(ObjectId),
    /// Direct, in a page or another node of the page tree.
    InNode(ObjectId),
    /// An indirect object.
    Object(ObjectId),
}

#[derive(Default)]
struct ResourceCopy {
    pages: BTreeSet<ObjectId>,
    /// The XObject dictionary, if it is indirect.
    shared_xobjects: Option<ObjectId>,
    additions: Additions,
}

/// Names by XObject.
#[derive(Default)]
struct Additions(BTreeMap<ObjectId, String>);

impl<'f, 'a> ResourceCopies<'f, 'a> {
    /// Creates an empty set; names are derived from the seed of the request.
    pub(super) fn new(file: &'f PdfFile<'a>, seed: &[u8]) -> Self {
        let digest = Sha256::new()
            .chain_update(b"names of XObjects")
            .chain_update(seed)
            .finalize();
        let digits = digest.iter().take(DIGEST_BYTES);
        let prefix = digits.fold(NAME_PREFIX.to_owned(), |prefix, byte| {
            format!("{prefix}{byte:02X}")
        });
        Self {
            file,
            copies: BTreeMap::new(),
            shared_xobjects: BTreeMap::new(),
            prefix,
            numbers: BTreeMap::new(),
        }
    }

    /// Returns the name by which the content of a page draws an XObject.
    pub(super) fn xobject_name(
        &mut self,
        tree: &PageTree,
        page: ObjectId,
        xobject: ObjectId,
    ) -> String {
        let (place, resources) = find(self.file, tree, page);
        let existing = resources.and_then(|resources| resources.get(b"XObject").ok());
        let copy = self.copies.entry(place).or_default();
        copy.pages.insert(page);
        let existing = existing
            .and_then(|existing| Some((existing, self.file.resolve(existing)?.as_dict().ok()?)));
        copy.shared_xobjects = existing.and_then(|(value, _)| self.file.resolve_id(value));
        let additions = match copy.shared_xobjects {
            Some(id) => self.shared_xobjects.entry(id).or_default(),
            None => &mut copy.additions,
        };
        if let Some(name) = additions.0.get(&xobject) {
            return name.clone();
        }
        let next = self.numbers.len();
        let number = *self.numbers.entry(xobject).or_insert(next);
        let mut name = format!("{}.{number}", self.prefix);
        // A document produced from the same seed already uses these names.
        while existing.is_some_and(|(_, existing)| existing.has(name.as_bytes())) {
            name.push('+');
        }
        additions.0.insert(xobject, name.clone());
        name
    }

    /// Writes the copies and refers the pages to them.
    pub(super) fn write(self, edits: &mut Edits<'f, 'a>) -> Result<(), Refusal> {
        let mut shared = BTreeMap::new();
        for (id, additions) in &self.shared_xobjects {
            let source = self.file.raw_object(*id)?;
            shared.insert(*id, edits.add(additions.added_to(&source.bytes))?);
        }
        for (place, copy) in &self.copies {
            let source = self.source(*place)?;
            let dictionary = RawDictionary::scan(&source).map_err(|_| damaged())?;
            let xobjects = match copy.shared_xobjects.and_then(|id| shared.get(&id)) {
                Some(id) => reference(*id).into_bytes(),
                None => {
                    let existing = dictionary.value(b"XObject");
                    let existing = existing.filter(|value| value.starts_with(b"<<"));
                    copy.additions.added_to(existing.unwrap_or(b"<<>>"))
                }
            };
            let resources = dictionary.with(b"XObject", &xobjects);
            let resources = match place {
                // The page's own direct dictionary: nothing else can use it.
                ResourcesOwner::InNode(node) if copy.pages.contains(node) => resources,
                _ => reference(edits.add(resources)?).into_bytes(),
            };
            for page in &copy.pages {
                edits.set_entry(*page, b"Resources", &resources)?;
            }
        }
        Ok(())
    }

    fn source(&self, place: ResourcesOwner) -> Result<Vec<u8>, Refusal> {
        match place {
            ResourcesOwner::Absent(_) => Ok(b"<<>>".to_vec()),
            ResourcesOwner::Object(id) => Ok(self.file.raw_object(id)?.bytes.into_owned()),
            ResourcesOwner::InNode(id) => {
                let node = self.file.raw_object(id)?;
                let node = RawDictionary::scan(&node.bytes).map_err(|_| damaged())?;
                Ok(node.value(b"Resources").ok_or_else(damaged)?.to_vec())
            }
        }
    }
}

impl Additions {
    fn added_to(&self, source: &[u8]) -> Vec<u8> {
        let entries: Vec<_> = self
            .0
            .iter()
            .map(|(id, name)| (name.as_bytes(), reference(*id)))
            .collect();
        let entries = entries.iter().map(|(name, id)| (*name, id.as_bytes()));
        with_entries(source, entries)
    }
}

/// Finds the resources of a page and their place.
fn find<'f>(
    file: &'f PdfFile<'_>,
    tree: &PageTree,
    page: ObjectId,
) -> (ResourcesOwner, Option<&'f Dictionary>) {
    let found = tree.nodes(page).find_map(|node| {
        let value = node_entries(file, node)?.get(b"Resources").ok()?;
        let resources = file.resolve(value)?.as_dict().ok()?;
        let place = file.resolve_id(value);
        Some((
            place.map_or(ResourcesOwner::InNode(node), ResourcesOwner::Object),
            resources,
        ))
    });
    match found {
        Some((place, resources)) => (place, Some(resources)),
        None => (ResourcesOwner::Absent(page), None),
    }
}

fn damaged() -> Refusal {
    Refusal::new("page-invalid", "The resources of a page cannot be read.")
}
