//! The catalog and the objects below it, except the form.

use std::collections::BTreeSet;

use parafa_format_core::Refusal;

use super::comparison::{Change, ChangeScope, Comparison, Stop};
use super::references::TRAILER;
use super::sources::{entries, referenced};
use super::values::{differing_keys, refuse_other_keys};
use crate::structure::{
    RawDictionary, RawObject, Revision, as_name, as_reference, as_string, same_value,
};

/// Catalog entries that may change.
const CATALOG_KEYS: [&[u8]; 6] = [
    b"AcroForm",
    b"DSS",
    b"Extensions",
    b"MarkInfo",
    b"Metadata",
    b"Version",
];

/// Entries that no document information dictionary has: they would make it a
/// visible object, such as an annotation.
const FOREIGN_KEYS: [&[u8]; 4] = [b"AP", b"Rect", b"Subtype", b"Type"];

/// Entries of the document security store and of its `/VRI` members (ETSI EN
/// 319 142-1, 5.4.2).
const SECURITY_STORE_KEYS: [&[u8]; 10] = [
    b"CRL", b"CRLs", b"Cert", b"Certs", b"OCSP", b"OCSPs", b"TS", b"TU", b"Type", b"VRI",
];

/// Length of a key of the `/VRI` dictionary: a SHA-1 digest in hexadecimal.
const VRI_KEY_LEN: usize = 40;

impl<'a> Comparison<'_, '_, 'a> {
    /// Returns whether both trailers refer to the same root objects. Exchanging
    /// these replaces the document without changing any object.
    pub(super) fn has_same_roots(&self) -> bool {
        let new = self.file.newest();
        self.old.catalog_id() == new.catalog_id() && information(&self.old) == information(new)
    }

    /// Explains the document information dictionary (ISO 32000-2, 14.3.3).
    pub(super) fn explain_information(&mut self) -> Result<(), Refusal> {
        let Some(value) = information(self.file.newest()) else {
            return Ok(());
        };
        let Some((number, _)) = as_reference(value) else {
            return Ok(());
        };
        let is_information = |object: &RawObject<'_>| {
            object.data.is_none()
                && entries(&object.bytes).is_ok_and(|entries| {
                    let mut foreign = FOREIGN_KEYS.iter();
                    foreign.all(|key| entries.find(key).is_none())
                })
        };
        let old = information(&self.old).and_then(as_reference);
        let stays = old.is_some_and(|(old, _)| old == number);
        if (stays || self.is_added(number)) && self.is_on_both_sides(number, is_information) {
            self.explain_as(number, ChangeScope::Whole);
            self.permit_reference(TRAILER, b"Info", value)?;
        }
        Ok(())
    }

    /// Explains the catalog and permitted changes below it.
    pub(super) fn explain_catalog(&mut self) -> Result<(), Stop> {
        let (old, new) = (self.old.catalog_id(), self.file.newest().catalog_id());
        // Some programs write the catalog under a new object number.
        let (Some((old_number, _)), Some((number, _))) = (old, new) else {
            return Err(Stop::Change("The catalog was removed.".into()));
        };
        if old != new && !self.is_added(number) {
            return Err(Stop::Change("The document has another catalog.".into()));
        }
        let (Some(old), Some(new)) = (self.old.raw(old_number)?, self.file.newest().raw(number)?)
        else {
            return Err(Stop::Change("The catalog was removed.".into()));
        };
        let (old, new) = (entries(&old.bytes)?, entries(&new.bytes)?);
        refuse_other_keys("catalog", &old, &new, &[&CATALOG_KEYS])?;
        self.explain_as(number, ChangeScope::Catalog);
        for key in [&b"Extensions"[..], b"MarkInfo", b"Metadata", b"DSS"] {
            if let Some(value) = new.value(key) {
                if !self.is_of_its_kind(key, old.value(key), value) {
                    return Err(Stop::Change(format!(
                        "The /{} of the catalog is none.",
                        String::from_utf8_lossy(key)
                    )));
                }
                self.permit(number, key, value)?;
            }
        }
        for key in [&b"Extensions"[..], b"MarkInfo"] {
            self.explain_rewritten(old.value(key), new.value(key))?;
        }
        self.explain_metadata(new.value(b"Metadata"));
        self.explain_page_tree(new.value(b"Pages"))?;
        self.explain_security_store(old.value(b"DSS"))?;
        self.explain_form(number, old.value(b"AcroForm"), new.value(b"AcroForm"))
    }

    /// Returns whether a changed value has the type its key requires: with
    /// another type it could smuggle in other changes.
    fn is_of_its_kind(&self, key: &[u8], old: Option<&[u8]>, value: &[u8]) -> bool {
        let Some((number, _)) = as_reference(value) else {
            let is_its_kind = match key {
                b"Metadata" => false,
                b"DSS" => has_store_keys(value),
                _ => value.starts_with(b"<<"),
            };
            return is_its_kind
                || value == b"null"
                || old.is_some_and(|old| same_value(old, value));
        };
        let Some(Change { new: Some(new), .. }) = self.changed.get(&number) else {
            return true;
        };
        let is_null = new.data.is_none() && *new.bytes == *b"null";
        match key {
            _ if is_null => true,
            b"Metadata" => is_metadata(new),
            b"DSS" => is_part_of_security_store(new),
            _ => new.data.is_none() && new.bytes.starts_with(b"<<"),
        }
    }

    fn explain_metadata(&mut self, metadata: Option<&[u8]>) {
        if let Some((number, _)) = metadata.and_then(as_reference)
            && self.is_on_both_sides(number, is_metadata)
        {
            self.explain_as(number, ChangeScope::Whole);
        }
    }

    /// Explains the root of the page tree: iText writes its release there at
    /// every update. Readers ignore `/ITXT` on any node.
    fn explain_page_tree(&mut self, root: Option<&[u8]>) -> Result<(), Refusal> {
        if let Some((number, _)) = root.and_then(as_reference)
            && let Some(Change {
                old: Some(old),
                new: Some(new),
            }) = self.changed.get(&number)
        {
            let (old, new) = (entries(&old.bytes)?, entries(&new.bytes)?);
            let is_release = new.value(b"ITXT").and_then(as_string).is_some();
            if is_release && differing_keys(&old, &new) == [b"ITXT"] {
                self.explain_as(number, ChangeScope::Page);
            }
        }
        Ok(())
    }

    /// Explains rewritten dictionaries and arrays of the store. The stored data
    /// is in streams, and those must not change.
    fn explain_security_store(&mut self, old: Option<&[u8]>) -> Result<(), Stop> {
        let mut visited = BTreeSet::new();
        let mut open = old.map_or_else(|| Ok(Vec::new()), referenced)?;
        while let Some(number) = open.pop() {
            if !visited.insert(number) {
                continue;
            }
            let Some(object) = self.old.raw(number)?.filter(is_part_of_security_store) else {
                continue;
            };
            open.extend(referenced(&object.bytes)?);
            // Unchanged objects too: they lead to changed ones.
            if !self.changed.contains_key(&number) {
                self.explain_as(number, ChangeScope::Whole);
            }
            if let Some(Change { new: Some(new), .. }) = self.changed.get(&number)
                && is_part_of_security_store(new)
            {
                let new = new.bytes.clone();
                self.explain_as(number, ChangeScope::Whole);
                self.explain_added(&new)?;
            }
        }
        Ok(())
    }
}

fn is_metadata(object: &RawObject<'_>) -> bool {
    entries(&object.bytes).is_ok_and(|entries| {
        let name = entries.value(b"Type").and_then(as_name);
        name.is_some_and(|name| name == b"Metadata")
    })
}

/// Returns `/Info` of a trailer.
fn information<'a>(revision: &Revision<'a>) -> Option<&'a [u8]> {
    let trailer = RawDictionary::scan(revision.trailer()).ok()?;
    trailer.value(b"Info")
}

fn is_part_of_security_store(object: &RawObject<'_>) -> bool {
    object.data.is_none() && (object.bytes.starts_with(b"[") || has_store_keys(&object.bytes))
}

fn has_store_keys(dictionary: &[u8]) -> bool {
    let is_key = |key: &[u8]| {
        SECURITY_STORE_KEYS.contains(&key)
            || key.len() == VRI_KEY_LEN && key.iter().all(u8::is_ascii_hexdigit)
    };
    RawDictionary::scan(dictionary)
        .is_ok_and(|dictionary| dictionary.entries().iter().all(|entry| is_key(&entry.key)))
}
