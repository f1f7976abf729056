//! Changes that signatures permit to later revisions (ISO 32000-2, 12.8.2).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use lopdf::{Dictionary, Object};

use crate::limits::Limits;
use crate::structure::{PdfFile, text_string};

/// Maximum number of FieldMDP transforms of a signature that are evaluated;
/// normal signatures have one. Beyond it, everything is locked.
const MAX_LOCKS: usize = 100;

/// Minimum charge per name of a lock against the total, in bytes: many may be
/// empty.
const LEAST_COUNTED_BYTES: usize = 16;

/// Access permissions (`/P`, ISO 32000-2, table 257).
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum AccessPermission {
    /// 1: no changes, except validation data and document time-stamps.
    NoChanges,
    /// 2: filling in and signing forms.
    FormFilling,
    /// 3: also adding, changing and removing annotations.
    Annotations,
}

/// Fields whose values are locked (`/FieldMDP`, 12.8.2.4).
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum FieldLock {
    /// All fields.
    All,
    /// All fields except these and their descendants.
    Exclude(Rc<FieldNames>),
    /// These fields and their descendants.
    Include(Rc<FieldNames>),
}

/// Fully qualified field names. There may be many names, looked up for many
/// fields.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct FieldNames {
    as_written: Vec<String>,
    /// Indices into the names, sorted for lookup.
    sorted: Vec<usize>,
}

/// Changes permitted by a signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Permissions {
    /// Access of the signature itself, or else of the certification in force.
    /// Without either, filling in and signing.
    pub(crate) access: AccessPermission,
    /// Fields locked by the signature's FieldMDP transforms; signatures may
    /// share them.
    pub(super) locks: Rc<[FieldLock]>,
    /// Fields locked by the signature field's own lock when it is signed
    /// (12.7.5.5).
    pub(super) own_lock: Option<FieldLock>,
}

impl AccessPermission {
    /// Value of a missing `/P`.
    const DEFAULT: Self = Self::FormFilling;

    /// Reads `/P`; an invalid value permits nothing.
    fn read(value: &Object) -> Self {
        match value.as_i64() {
            Ok(2) => Self::FormFilling,
            Ok(3) => Self::Annotations,
            _ => Self::NoChanges,
        }
    }
}

impl FieldLock {
    /// Returns whether the field with this fully qualified name is locked.
    pub(crate) fn locks(&self, field: &str) -> bool {
        match self {
            Self::All => true,
            Self::Exclude(names) => !names.have(field),
            Self::Include(names) => names.have(field),
        }
    }

    /// Reads transform parameters or a signature field lock dictionary. An
    /// action not in table 259, or unreadable names, lock everything.
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

/// Lists of field names, each read once even if locks share it.
struct NameLists {
    /// `None` for invalid lists.
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

    /// Returns a name; `None` if it is invalid or the total length is exceeded:
    /// many items may refer to one string.
    fn name(&mut self, name: &Object) -> Option<String> {
        let len = name.as_str().ok()?.len().max(LEAST_COUNTED_BYTES);
        self.remaining_bytes = self.remaining_bytes.checked_sub(len)?;
        text_string(name)
    }
}

impl FieldNames {
    /// Returns the names in the order written.
    pub(super) fn iter(&self) -> impl Iterator<Item = &String> + Clone {
        self.as_written.iter()
    }

    /// Returns whether the field with this fully qualified name is listed, or
    /// below a listed one.
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
    /// Returns the most lenient permissions of any signature.
    pub(super) fn everything() -> Self {
        Self {
            access: AccessPermission::Annotations,
            locks: Rc::default(),
            own_lock: None,
        }
    }

    /// Returns whether the field with this fully qualified name is locked.
    pub(crate) fn locks(&self, field: &str) -> bool {
        let mut locks = self.locks.iter().chain(&self.own_lock);
        locks.any(|lock| lock.locks(field))
    }

    /// Returns whether a transform of the signature locks a new field with this
    /// name. The lock of the signature field applies only to existing fields.
    pub(super) fn locks_new(&self, field: &str) -> bool {
        self.locks.iter().any(|lock| lock.locks(field))
    }

    /// Returns whether any field is locked.
    pub(super) fn has_locks(&self) -> bool {
        self.own_lock.is_some() || !self.locks.is_empty()
    }
}

/// Reads the transforms of signatures and the locks of their fields, each list
/// once even if shared.
pub(super) struct LockReader {
    known: BTreeMap<*const Object, Transforms>,
    lists: NameLists,
}

/// Transforms of a signature.
#[derive(Clone)]
pub(super) struct Transforms {
    /// Permission stated by its DocMDP transforms (12.8.2.2).
    pub(super) certification: Option<AccessPermission>,
    /// Fields locked by its FieldMDP transforms (12.8.2.4).
    pub(super) locks: Rc<[FieldLock]>,
}

impl LockReader {
    /// Creates a reader with an empty cache.
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

    /// Reads the fields named by the lock of a signature field (12.7.5.5).
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

/// Reads the permission stated by the lock of a signature field (table 236).
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
