//! What signatures permit later revisions to change (ISO 32000-2, 12.8.2).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use lopdf::{Dictionary, Object};

use crate::limits::Limits;
use crate::structure::{PdfFile, text_string};

/// Most FieldMDP transforms of a signature that are asked about every field; a
/// signature has one. More lock everything.
const MAX_LOCKS: usize = 100;

/// What any name of a lock counts towards the total at least, in bytes: many may
/// be empty.
const LEAST_COUNTED_BYTES: usize = 16;

/// What may be changed at all (`/P`, ISO 32000-2, table 257).
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum AccessPermission {
    /// 1: nothing; validation data and document time-stamps may be added.
    NoChanges,
    /// 2: forms may be filled in and signed.
    FormFilling,
    /// 3: annotations may be added, changed and removed as well.
    Annotations,
}

/// Fields whose values may not be changed (`/FieldMDP`, 12.8.2.4).
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum FieldLock {
    /// All of them.
    All,
    /// All but these and those below them.
    Exclude(Rc<FieldNames>),
    /// These and those below them.
    Include(Rc<FieldNames>),
}

/// Fully qualified names of fields. There may be as many as there are fields to
/// be looked for.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct FieldNames {
    as_written: Vec<String>,
    /// Places among them, in the order of their lengths.
    sorted: Vec<usize>,
}

/// What a signature permits.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Permissions {
    /// Of the signature itself, else of the certification that it was made
    /// under, else what filling in and signing a form needs.
    pub(crate) access: AccessPermission,
    /// The fields that the signature's FieldMDP transforms lock; signatures may
    /// share them.
    pub(super) locks: Rc<[FieldLock]>,
    /// Those that the lock of its field says are locked when it is signed
    /// (12.7.5.5).
    pub(super) own_lock: Option<FieldLock>,
}

impl AccessPermission {
    /// What stands for no `/P`.
    const DEFAULT: Self = Self::FormFilling;

    /// What is no permission of the table permits nothing.
    fn read(value: &Object) -> Self {
        match value.as_i64() {
            Ok(2) => Self::FormFilling,
            Ok(3) => Self::Annotations,
            _ => Self::NoChanges,
        }
    }
}

impl FieldLock {
    /// Whether the field of a fully qualified name is locked.
    pub(crate) fn locks(&self, field: &str) -> bool {
        match self {
            Self::All => true,
            Self::Exclude(names) => !names.have(field),
            Self::Include(names) => names.have(field),
        }
    }

    /// From transform parameters or a signature field lock dictionary; what is
    /// no action of table 259, or names what cannot be read, locks everything.
    fn read(file: &PdfFile<'_>, parameters: &Dictionary, lists: &mut NameLists) -> Self {
        let action = file
            .entry(parameters, b"Action")
            .and_then(|action| action.as_name().ok());
        let mut names = || match file.entry(parameters, b"Fields") {
            None => Some(Rc::default()),
            Some(names) => lists.read(file, names),
        };
        let lock = match action {
            Some(b"Exclude") => names().map(Self::Exclude),
            Some(b"Include") => names().map(Self::Include),
            _ => None,
        };
        lock.unwrap_or(Self::All)
    }
}

/// Lists of the names of fields, each read once however many locks share it.
struct NameLists {
    /// `None` for what is no list of names.
    known: BTreeMap<*const Object, Option<Rc<FieldNames>>>,
    remaining_bytes: usize,
}

impl NameLists {
    fn read(&mut self, file: &PdfFile<'_>, list: &Object) -> Option<Rc<FieldNames>> {
        let place = std::ptr::from_ref(list);
        if let Some(known) = self.known.get(&place) {
            return known.clone();
        }
        let names = list.as_array().ok().and_then(|names| {
            let names = names.iter().map(|name| self.name(file.resolve(name)?));
            Some(Rc::new(names.collect::<Option<_>>()?))
        });
        self.known.insert(place, names.clone());
        names
    }

    /// `None` for what is no name, and for any once all lists together are too
    /// long: many items may refer to one string.
    fn name(&mut self, name: &Object) -> Option<String> {
        let len = name.as_str().ok()?.len().max(LEAST_COUNTED_BYTES);
        self.remaining_bytes = self.remaining_bytes.checked_sub(len)?;
        text_string(name)
    }
}

impl FieldNames {
    /// The names in the order in which they are written.
    pub(super) fn iter(&self) -> impl Iterator<Item = &String> + Clone {
        self.as_written.iter()
    }

    /// Whether the field of a fully qualified name is one of these, or below one.
    fn have(&self, field: &str) -> bool {
        let ends = field.match_indices('.').map(|(end, _)| end);
        let mut names = ends.chain([field.len()]).map(|end| field.get(..end));
        names.any(|name| {
            let wanted = name.map(by_length);
            let place = self.sorted.binary_search_by(|place| {
                let name = self.as_written.get(*place);
                name.map(|name| by_length(name)).cmp(&wanted)
            });
            place.is_ok()
        })
    }
}

fn by_length(name: &str) -> (usize, &str) {
    (name.len(), name)
}

impl FromIterator<String> for FieldNames {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        let as_written = Vec::from_iter(names);
        let mut sorted: Vec<usize> = (0..as_written.len()).collect();
        sorted.sort_by_key(|place| as_written.get(*place).map(|name| by_length(name)));
        Self { as_written, sorted }
    }
}

impl Permissions {
    /// All that any signature permits.
    pub(super) fn everything() -> Self {
        Self {
            access: AccessPermission::Annotations,
            locks: Rc::default(),
            own_lock: None,
        }
    }

    /// Whether the field of a fully qualified name is locked.
    pub(crate) fn locks(&self, field: &str) -> bool {
        let mut locks = self.locks.iter().chain(&self.own_lock);
        locks.any(|lock| lock.locks(field))
    }

    /// Whether a transform of the signature locks a field of that name that is
    /// yet to be added. What only the lock of its field says is about the
    /// fields that there were.
    pub(super) fn locks_new(&self, field: &str) -> bool {
        self.locks.iter().any(|lock| lock.locks(field))
    }

    /// Whether any field is locked at all.
    pub(super) fn has_locks(&self) -> bool {
        self.own_lock.is_some() || !self.locks.is_empty()
    }
}

/// What the transforms of signatures and the locks of their fields say, each
/// list of them read once however many share it.
pub(super) struct LockReader {
    known: BTreeMap<*const Object, Transforms>,
    lists: NameLists,
}

/// What the transforms of a signature say.
#[derive(Clone)]
pub(super) struct Transforms {
    /// The permission that its DocMDP transforms state (12.8.2.2).
    pub(super) certification: Option<AccessPermission>,
    /// The fields that its FieldMDP transforms lock (12.8.2.4).
    pub(super) locks: Rc<[FieldLock]>,
}

impl LockReader {
    /// Nothing read yet.
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            known: BTreeMap::new(),
            lists: NameLists {
                known: BTreeMap::new(),
                remaining_bytes: limits.field_name_bytes,
            },
        }
    }

    /// Reads `/Reference` of a signature dictionary (12.8.1, table 255).
    pub(super) fn transforms(&mut self, file: &PdfFile<'_>, signature: &Dictionary) -> Transforms {
        let references = file.entry(signature, b"Reference");
        let place = references.map_or(std::ptr::null(), std::ptr::from_ref);
        let known = self.known.entry(place);
        known
            .or_insert_with(|| Transforms::of(file, references, &mut self.lists))
            .clone()
    }

    /// The fields that the lock of a signature field names (12.7.5.5).
    pub(super) fn of_field(&mut self, file: &PdfFile<'_>, field: &Dictionary) -> Option<FieldLock> {
        file.entry_dictionary(field, b"Lock")
            .map(|lock| FieldLock::read(file, lock, &mut self.lists))
    }
}

impl Transforms {
    fn of(file: &PdfFile<'_>, references: Option<&Object>, lists: &mut NameLists) -> Self {
        let mut certification = None;
        let mut locks = Vec::new();
        let mut read = BTreeSet::new();
        let references = references.and_then(|references| references.as_array().ok());
        for reference in references.into_iter().flatten() {
            let reference = file
                .resolve(reference)
                .and_then(|reference| reference.as_dict().ok());
            let Some(reference) = reference else { continue };
            let method = file
                .entry(reference, b"TransformMethod")
                .and_then(|method| method.as_name().ok());
            let parameters = file.entry_dictionary(reference, b"TransformParams");
            if !read.insert((method, parameters.map(std::ptr::from_ref))) {
                continue;
            }
            match method {
                Some(b"DocMDP") => {
                    let stated = parameters
                        .and_then(|parameters| file.entry(parameters, b"P"))
                        .map_or(AccessPermission::DEFAULT, AccessPermission::read);
                    certification = certification.into_iter().chain([stated]).min();
                }
                Some(b"FieldMDP") => locks.push(parameters.map_or(FieldLock::All, |parameters| {
                    FieldLock::read(file, parameters, lists)
                })),
                _ => {}
            }
        }
        if locks.len() > MAX_LOCKS {
            locks = vec![FieldLock::All];
        }
        Self {
            certification,
            locks: locks.into(),
        }
    }
}

/// The permission that the lock of a signature field states (table 236).
pub(super) fn lock_permission(file: &PdfFile<'_>, field: &Dictionary) -> Option<AccessPermission> {
    let lock = file.entry_dictionary(field, b"Lock")?;
    file.entry(lock, b"P").map(AccessPermission::read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_holds_for_the_named_fields_and_those_below_them() {
        let names = || ["seller".to_owned(), "buyer.name".to_owned()];
        let include = FieldLock::Include(Rc::new(FieldNames::from_iter(names())));
        let exclude = FieldLock::Exclude(Rc::new(FieldNames::from_iter(names())));

        for locked in ["seller", "seller.name", "buyer.name"] {
            assert!(include.locks(locked) && !exclude.locks(locked), "{locked}");
        }
        for free in ["sellers", "buyer", "buyer.names"] {
            assert!(!include.locks(free) && exclude.locks(free), "{free}");
        }
        assert!(FieldLock::All.locks("anything"));
    }

    #[test]
    fn as_many_names_may_be_locked_as_there_are_fields() {
        let names = || (0..100_000).map(|number| format!("parent.field{number}"));
        let lock = FieldLock::Include(Rc::new(names().collect()));

        assert!(names().all(|name| lock.locks(&name)));
        assert!(!names().any(|name| lock.locks(&name.replace("field", "other"))));
    }
}
