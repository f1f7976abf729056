//! What signatures permit later revisions to change (ISO 32000-2, 12.8.2).

use lopdf::{Dictionary, Object};

use crate::structure::PdfFile;

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
    Exclude(Vec<String>),
    /// These and those below them.
    Include(Vec<String>),
}

/// What a signature permits.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Permissions {
    /// Of the signature itself, else of the certification that it was made
    /// under, else what filling in and signing a form needs.
    pub(crate) access: AccessPermission,
    /// The fields that the signature locks.
    pub(crate) locks: Vec<FieldLock>,
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
        let is_named = |names: &[String]| {
            names.iter().any(|name| {
                field
                    .strip_prefix(name.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        match self {
            Self::All => true,
            Self::Exclude(names) => !is_named(names),
            Self::Include(names) => is_named(names),
        }
    }

    /// From transform parameters or a signature field lock dictionary; what is
    /// no action of table 259 locks everything.
    fn read(file: &PdfFile<'_>, parameters: &Dictionary) -> Self {
        let action = file
            .entry(parameters, b"Action")
            .and_then(|action| action.as_name().ok());
        let names = || {
            let names = file
                .entry(parameters, b"Fields")
                .and_then(|names| names.as_array().ok());
            names
                .into_iter()
                .flatten()
                .filter_map(|name| lopdf::decode_text_string(file.resolve(name)?).ok())
                .collect()
        };
        match action {
            Some(b"Exclude") => Self::Exclude(names()),
            Some(b"Include") => Self::Include(names()),
            _ => Self::All,
        }
    }
}

impl Permissions {
    /// Whether the field of a fully qualified name is locked.
    pub(crate) fn locks(&self, field: &str) -> bool {
        self.locks.iter().any(|lock| lock.locks(field))
    }
}

/// The permission that a DocMDP transform of a signature states (12.8.2.2).
pub(super) fn certification(
    file: &PdfFile<'_>,
    signature: &Dictionary,
) -> Option<AccessPermission> {
    transforms(file, signature, b"DocMDP")
        .map(|parameters| {
            parameters
                .and_then(|parameters| file.entry(parameters, b"P"))
                .map_or(AccessPermission::DEFAULT, AccessPermission::read)
        })
        .min()
}

/// The permission that the lock of a signature field states (table 236).
pub(super) fn lock_permission(file: &PdfFile<'_>, field: &Dictionary) -> Option<AccessPermission> {
    let lock = file.entry_dictionary(field, b"Lock")?;
    file.entry(lock, b"P").map(AccessPermission::read)
}

/// The fields that a signature's FieldMDP transforms lock, and those that the
/// lock of its field says are locked when it is signed (12.7.5.5).
pub(super) fn locks(
    file: &PdfFile<'_>,
    signature: &Dictionary,
    field: &Dictionary,
) -> Vec<FieldLock> {
    let own = file
        .entry_dictionary(field, b"Lock")
        .map(|lock| FieldLock::read(file, lock));
    transforms(file, signature, b"FieldMDP")
        .map(|parameters| {
            parameters.map_or(FieldLock::All, |parameters| {
                FieldLock::read(file, parameters)
            })
        })
        .chain(own)
        .collect()
}

/// The parameters of every transform of a method (12.8.1, table 256).
fn transforms<'f>(
    file: &'f PdfFile<'_>,
    signature: &'f Dictionary,
    method: &'static [u8],
) -> impl Iterator<Item = Option<&'f Dictionary>> {
    let references = file
        .entry(signature, b"Reference")
        .and_then(|references| references.as_array().ok());
    references
        .into_iter()
        .flatten()
        .filter_map(|reference| file.resolve(reference)?.as_dict().ok())
        .filter(move |reference| {
            file.entry(reference, b"TransformMethod")
                .and_then(|found| found.as_name().ok())
                == Some(method)
        })
        .map(|reference| file.entry_dictionary(reference, b"TransformParams"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_holds_for_the_named_fields_and_those_below_them() {
        let names = || vec!["seller".to_owned(), "buyer.name".to_owned()];
        let (include, exclude) = (FieldLock::Include(names()), FieldLock::Exclude(names()));

        for locked in ["seller", "seller.name", "buyer.name"] {
            assert!(include.locks(locked) && !exclude.locks(locked), "{locked}");
        }
        for free in ["sellers", "buyer", "buyer.names"] {
            assert!(!include.locks(free) && exclude.locks(free), "{free}");
        }
        assert!(FieldLock::All.locks("anything"));
    }
}
