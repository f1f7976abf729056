//! The changes that are permitted, part by part.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use parafa_format_core::Refusal;

use super::{Change, Comparison, Stop, entries, referenced};
use crate::structure::{
    FieldKind, RawDictionary, RawObject, Revision, array_items, as_reference, same_value,
};

/// Entries of the catalog that may change.
const CATALOG_KEYS: [&[u8]; 6] = [
    b"AcroForm",
    b"DSS",
    b"Extensions",
    b"MarkInfo",
    b"Metadata",
    b"Version",
];

/// Entries of the interactive form that may change, apart from `/Fields`.
const FORM_KEYS: [&[u8]; 5] = [b"DA", b"DR", b"NeedAppearances", b"Q", b"SigFlags"];

/// Entries of a field or widget that filling it in changes.
const VALUE_KEYS: [&[u8]; 6] = [b"AP", b"AS", b"I", b"M", b"RV", b"V"];

/// Entries that signing an empty signature field changes beside them.
const SIGNATURE_FIELD_KEYS: [&[u8]; 3] = [b"F", b"MK", b"P"];

/// Entries of the document security store and of its `/VRI` members (ETSI EN
/// 319 142-1, 5.4.2).
const SECURITY_STORE_KEYS: [&[u8]; 10] = [
    b"CRL", b"CRLs", b"Cert", b"Certs", b"OCSP", b"OCSPs", b"TS", b"TU", b"Type", b"VRI",
];

/// Length of a key of the `/VRI` dictionary: a SHA-1 digest in hexadecimal.
const VRI_KEY_LEN: usize = 40;

impl<'a> Comparison<'_, 'a> {
    /// The document information dictionary (ISO 32000-2, 14.3.3).
    pub(super) fn explain_information(&mut self) {
        let information = |revision: &Revision<'_>| {
            let trailer = RawDictionary::scan(revision.trailer()).ok()?;
            trailer.value(b"Info").and_then(as_reference)
        };
        let Some((number, _)) = information(self.file.newest()) else {
            return;
        };
        let is_information = |object: &RawObject<'_>| {
            object.data.is_none()
                && entries(&object.bytes).is_ok_and(|entries| entries.find(b"Type").is_none())
        };
        let stays = information(&self.old).is_some_and(|(old, _)| old == number);
        if (stays || self.is_added(number)) && self.is_on_both_sides(number, is_information) {
            self.explained.insert(number);
        }
    }

    /// The catalog, and what may change below it.
    pub(super) fn explain_catalog(&mut self) -> Result<(), Stop> {
        let catalog = self.old.catalog_id();
        let (Some((number, _)), true) = (catalog, catalog == self.file.newest().catalog_id())
        else {
            return Err(Stop::Change("The document has another catalog.".into()));
        };
        let (Some(old), Some(new)) = (self.old.raw(number)?, self.file.newest().raw(number)?)
        else {
            return Err(Stop::Change("The catalog was removed.".into()));
        };
        let (old, new) = (entries(&old.bytes)?, entries(&new.bytes)?);
        refuse_other_keys("catalog", &old, &new, &[&CATALOG_KEYS])?;
        self.explained.insert(number);
        for key in [&b"Extensions"[..], b"MarkInfo", b"Metadata", b"DSS"] {
            if let Some(value) = new.value(key) {
                self.explain_added(value)?;
            }
        }
        self.explain_metadata(new.value(b"Metadata"));
        self.explain_security_store(old.value(b"DSS"))?;
        self.explain_form(old.value(b"AcroForm"), new.value(b"AcroForm"))
    }

    fn explain_metadata(&mut self, metadata: Option<&[u8]>) {
        let is_metadata = |object: &RawObject<'_>| {
            entries(&object.bytes).is_ok_and(|entries| entries.value(b"Type") == Some(b"/Metadata"))
        };
        if let Some((number, _)) = metadata.and_then(as_reference)
            && self.is_on_both_sides(number, is_metadata)
        {
            self.explained.insert(number);
        }
    }

    /// Dictionaries and arrays that made up the store before. What it stores
    /// is in streams, and those stay.
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
            if let Some(Change { new: Some(new), .. }) = self.changed.get(&number)
                && is_part_of_security_store(new)
            {
                let new = new.bytes.clone();
                self.explained.insert(number);
                self.explain_added(&new)?;
            }
        }
        Ok(())
    }

    /// The form may get signature fields at its root.
    fn explain_form(&mut self, old: Option<&[u8]>, new: Option<&[u8]>) -> Result<(), Stop> {
        let Some(new) = new else {
            return match old {
                None => Ok(()),
                Some(_) => Err(Stop::Change("The interactive form was removed.".into())),
            };
        };
        let old_source = self.old_value(old)?;
        let new_source = self.new_value(new)?;
        let old_form = entries(old_source.as_deref().unwrap_or(b"<<>>"))?;
        let new_form = entries(new_source.as_deref().unwrap_or(b"<<>>"))?;
        if old.is_some() {
            refuse_other_keys("form", &old_form, &new_form, &[&FORM_KEYS, &[b"Fields"]])?;
        }
        self.explain_compared(old, new);
        for key in FORM_KEYS {
            if let Some(value) = new_form.value(key) {
                self.explain_added(value)?;
            }
        }
        let kinds: BTreeMap<u32, FieldKind> = self
            .file
            .field_nodes()?
            .into_iter()
            .map(|node| (node.id.0, node.kind))
            .collect();
        let added = self.added_items(old_form.value(b"Fields"), new_form.value(b"Fields"))?;
        let added =
            added.ok_or_else(|| Stop::Change("Fields were removed from the form.".into()))?;
        for number in added {
            if kinds.get(&number) != Some(&FieldKind::Signature) || !self.is_added(number) {
                return Err(Stop::Change(format!(
                    "The object {number} was added to the form, but is no new signature field."
                )));
            }
            self.explain_added(format!("{number} 0 R").as_bytes())?;
        }
        Ok(())
    }

    /// Values of fields that were there, and signatures in fields that were empty.
    pub(super) fn explain_fields(&mut self) -> Result<(), Stop> {
        for node in self.file.field_nodes()? {
            let number = node.id.0;
            let Some(Change {
                old: Some(old),
                new: Some(new),
            }) = self.changed.get(&number)
            else {
                continue;
            };
            let (old, new) = (old.bytes.clone(), new.bytes.clone());
            let (old, new) = (entries(&old)?, entries(&new)?);
            let is_signature = node.kind == FieldKind::Signature;
            let was_signed = is_signature && old.value(b"V").is_some_and(|value| value != b"null");
            let signature_keys: &[&[u8]] = if is_signature {
                &SIGNATURE_FIELD_KEYS
            } else {
                &[]
            };
            let part = format!("field {:?}", node.name);
            refuse_other_keys(&part, &old, &new, &[&VALUE_KEYS, signature_keys])?;
            let differing = differing_keys(&old, &new);
            if was_signed && differing.iter().any(|key| key == b"V") {
                return Err(Stop::Change(format!("The {part} has another signature.")));
            }
            self.explained.insert(number);
            for value in differing.iter().filter_map(|key| new.value(key)) {
                self.explain_added(value)?;
            }
        }
        Ok(())
    }

    /// Widgets of new signature fields on pages that were there.
    pub(super) fn explain_pages(&mut self) -> Result<(), Stop> {
        let signature_widgets: BTreeSet<u32> = self
            .file
            .field_nodes()?
            .into_iter()
            .filter(|node| node.kind == FieldKind::Signature && self.is_added(node.id.0))
            .map(|node| node.id.0)
            .collect();
        for (page, _) in self.file.pages()? {
            let (Some(old), Some(new)) = (self.old.raw(page)?, self.file.newest().raw(page)?)
            else {
                continue;
            };
            let (old, new) = (entries(&old.bytes)?, entries(&new.bytes)?);
            let (old_items, new_items) = (old.value(b"Annots"), new.value(b"Annots"));
            let array_changed = new_items
                .and_then(as_reference)
                .is_some_and(|(number, _)| self.changed.contains_key(&number));
            if !self.changed.contains_key(&page) && !array_changed {
                continue;
            }
            refuse_other_keys(&format!("page {page}"), &old, &new, &[&[b"Annots"]])?;
            let added = self.added_items(old_items, new_items)?;
            if !added.is_some_and(|added| added.is_subset(&signature_widgets)) {
                let detail = format!("The annotations of the page {page} were changed.");
                return Err(Stop::Change(detail));
            }
            self.explained.insert(page);
        }
        Ok(())
    }

    /// Object numbers that an array refers to beyond the old array; `None`
    /// when anything else about it changed.
    fn added_items(
        &mut self,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<Option<BTreeSet<u32>>, Refusal> {
        let old_source = self.old_value(old)?;
        let new_source = new.map_or(Ok(None), |new| self.new_value(new))?;
        let old_items = old_source
            .as_deref()
            .map_or(Some(Items::default()), Items::of);
        let new_items = new_source
            .as_deref()
            .map_or(Some(Items::default()), Items::of);
        let (Some(old_items), Some(new_items)) = (old_items, new_items) else {
            return Ok(None);
        };
        if !new_items.contains(&old_items) {
            return Ok(None);
        }
        if let Some(new) = new {
            self.explain_compared(old, new);
        }
        let added = new_items.references.difference(&old_items.references);
        Ok(Some(added.copied().collect()))
    }

    /// The object that a value refers to and whose content has been compared:
    /// it was there before in the same role, or it is new.
    fn explain_compared(&mut self, old: Option<&[u8]>, new: &[u8]) {
        if let Some((number, _)) = as_reference(new)
            && (self.is_added(number)
                || old
                    .and_then(as_reference)
                    .is_some_and(|(old, _)| old == number))
        {
            self.explained.insert(number);
        }
    }

    fn is_on_both_sides(&self, number: u32, test: impl Fn(&RawObject<'_>) -> bool) -> bool {
        self.changed.get(&number).is_some_and(|change| {
            change.old.as_ref().is_none_or(&test) && change.new.as_ref().is_none_or(&test)
        })
    }

    fn old_value(&self, value: Option<&[u8]>) -> Result<Option<Cow<'a, [u8]>>, Refusal> {
        value.map_or(Ok(None), |value| resolved(&self.old, value))
    }

    fn new_value(&self, value: &[u8]) -> Result<Option<Cow<'a, [u8]>>, Refusal> {
        resolved(self.file.newest(), value)
    }
}

/// The items of an array of references; what is no reference stays as it is.
#[derive(Default)]
struct Items<'s> {
    references: BTreeSet<u32>,
    others: Vec<&'s [u8]>,
}

impl<'s> Items<'s> {
    fn of(array: &'s [u8]) -> Option<Self> {
        let mut items = Self::default();
        for item in array_items(array).ok()? {
            match as_reference(item) {
                Some((number, _)) => {
                    items.references.insert(number);
                }
                None => items.others.push(item),
            }
        }
        Some(items)
    }

    fn contains(&self, old: &Self) -> bool {
        old.references.is_subset(&self.references)
            && old.others.len() == self.others.len()
            && old
                .others
                .iter()
                .zip(&self.others)
                .all(|(old, new)| same_value(old, new))
    }
}

/// A value as written, behind its reference if it is one; `None` when there is
/// nothing, or null.
fn resolved<'a>(revision: &Revision<'a>, value: &[u8]) -> Result<Option<Cow<'a, [u8]>>, Refusal> {
    let value = match as_reference(value) {
        Some((number, _)) => revision.raw(number)?.map(|object| object.bytes),
        None => Some(Cow::Owned(value.to_vec())),
    };
    Ok(value.filter(|value| value.as_ref() != b"null"))
}

fn is_part_of_security_store(object: &RawObject<'_>) -> bool {
    let is_key = |key: &[u8]| {
        SECURITY_STORE_KEYS.contains(&key)
            || key.len() == VRI_KEY_LEN && key.iter().all(u8::is_ascii_hexdigit)
    };
    object.data.is_none()
        && (object.bytes.starts_with(b"[")
            || RawDictionary::scan(&object.bytes).is_ok_and(|dictionary| {
                dictionary.entries().iter().all(|entry| is_key(&entry.key))
            }))
}

fn refuse_other_keys(
    part: &str,
    old: &RawDictionary<'_>,
    new: &RawDictionary<'_>,
    permitted: &[&[&[u8]]],
) -> Result<(), Stop> {
    let is_permitted = |key: &Vec<u8>| permitted.iter().any(|keys| keys.contains(&key.as_slice()));
    match differing_keys(old, new)
        .iter()
        .find(|key| !is_permitted(key))
    {
        None => Ok(()),
        Some(key) => {
            let key = String::from_utf8_lossy(key);
            Err(Stop::Change(format!(
                "The /{key} of the {part} was changed."
            )))
        }
    }
}

/// Keys that only one of two dictionaries has or whose values differ.
fn differing_keys(old: &RawDictionary<'_>, new: &RawDictionary<'_>) -> Vec<Vec<u8>> {
    let mut values: BTreeMap<&Vec<u8>, [Option<&[u8]>; 2]> = BTreeMap::new();
    for entry in old.entries() {
        values.entry(&entry.key).or_default()[0] = Some(entry.value);
    }
    for entry in new.entries() {
        values.entry(&entry.key).or_default()[1] = Some(entry.value);
    }
    let differs = |[old, new]: &[Option<&[u8]>; 2]| match (old, new) {
        (Some(old), Some(new)) => !same_value(old, new),
        (old, new) => old.is_some() || new.is_some(),
    };
    values
        .into_iter()
        .filter(|(_, values)| differs(values))
        .map(|(key, _)| key.clone())
        .collect()
}
