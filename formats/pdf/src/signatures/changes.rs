//! What the revisions after a signature changed (ISO 32000-2, 12.8.2.2.2).
//!
//! A change is explained when it is one of: a new signature field with its
//! value and widget, values and appearances of form fields, validation data in
//! the catalog's `/DSS`, metadata, the document information dictionary, and
//! the file's own bookkeeping. Everything else changed what was signed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use parafa_format_core::Refusal;

use crate::structure::{
    FieldKind, PdfFile, RawDictionary, RawObject, Revision, XrefEntry, array_items, as_reference, references,
    same_value,
};

/// Entries of the catalog that may change, apart from `/AcroForm` and `/DSS`.
const CATALOG_KEYS: [&[u8]; 4] = [b"Extensions", b"MarkInfo", b"Metadata", b"Version"];

/// Entries of the interactive form that may change, apart from `/Fields`.
const FORM_KEYS: [&[u8]; 5] = [b"DA", b"DR", b"NeedAppearances", b"Q", b"SigFlags"];

/// Entries of a field or widget that filling it in changes.
const VALUE_KEYS: [&[u8]; 6] = [b"AP", b"AS", b"I", b"M", b"RV", b"V"];

/// Entries that signing an empty signature field changes beside them.
const SIGNATURE_FIELD_KEYS: [&[u8]; 3] = [b"F", b"MK", b"P"];

/// The first change after an offset that nothing explains, as a sentence;
/// `None` when the signature that covers everything up to there still says
/// what it said.
pub(crate) fn unexplained_change(file: &PdfFile<'_>, end: usize) -> Result<Option<String>, Refusal> {
    if end >= file.end() {
        return Ok(None);
    }
    let Some(old) = file.revision_ending_at(end) else {
        return Ok(Some(format!("No revision ends at byte {end}.")));
    };
    let mut comparison = Comparison::new(file, old)?;
    if comparison.changed.is_empty() {
        return Ok(None);
    }
    if let Err(change) = comparison.explain()? {
        return Ok(Some(change));
    }
    comparison.explain_orphans()?;
    Ok(comparison.unexplained())
}

/// Whether the changes that one part of the document allows are all there is.
type Explanation = Result<(), String>;

struct Comparison<'f, 'a> {
    file: &'f PdfFile<'a>,
    old: Revision<'a>,
    /// What is listed elsewhere now and has another value.
    changed: BTreeMap<u32, Change<'a>>,
    explained: BTreeSet<u32>,
}

struct Change<'a> {
    old: Option<RawObject<'a>>,
    new: Option<RawObject<'a>>,
}

impl<'f, 'a> Comparison<'f, 'a> {
    fn new(file: &'f PdfFile<'a>, old: Revision<'a>) -> Result<Self, Refusal> {
        let new = file.newest();
        let numbers: BTreeSet<u32> = old.table().keys().chain(new.table().keys()).copied().collect();
        let mut changed = BTreeMap::new();
        for number in numbers {
            if same_place(&old, new, number) {
                continue;
            }
            let change = Change { old: old.raw(number)?, new: new.raw(number)? };
            if !same_object(change.old.as_ref(), change.new.as_ref()) {
                changed.insert(number, change);
            }
        }
        Ok(Self { file, old, changed, explained: BTreeSet::new() })
    }

    fn unexplained(&self) -> Option<String> {
        let number = self.changed.keys().find(|number| !self.explained.contains(number))?;
        let change = self.changed.get(number)?;
        Some(match (&change.old, &change.new) {
            (None, _) => format!("The object {number} was added, and no permitted change leads to it."),
            (_, None) => format!("The object {number} was removed."),
            _ => format!("The object {number} was changed."),
        })
    }

    fn explain(&mut self) -> Result<Explanation, Refusal> {
        self.explain_bookkeeping();
        let explanation = self.explain_trailer()?;
        if explanation.is_err() {
            return Ok(explanation);
        }
        let explanation = self.explain_fields()?;
        if explanation.is_err() {
            return Ok(explanation);
        }
        self.explain_pages()
    }

    /// Object streams and cross-reference streams hold nothing of their own.
    fn explain_bookkeeping(&mut self) {
        let is_bookkeeping = |object: &RawObject<'_>| {
            object.data.is_some()
                && RawDictionary::scan(&object.bytes)
                    .is_ok_and(|entries| matches!(entries.value(b"Type"), Some(b"/ObjStm" | b"/XRef")))
        };
        let numbers = self.changed.iter().filter(|(_, change)| {
            change.old.as_ref().is_none_or(is_bookkeeping) && change.new.as_ref().is_none_or(is_bookkeeping)
        });
        self.explained.extend(numbers.map(|(number, _)| *number));
    }

    fn explain_trailer(&mut self) -> Result<Explanation, Refusal> {
        let new = self.file.newest();
        let catalog = self.old.catalog_id();
        let (Some(catalog), true) = (catalog, catalog == new.catalog_id()) else {
            return Ok(Err("The document has another catalog.".into()));
        };
        let info = |revision: &Revision<'_>| {
            RawDictionary::scan(revision.trailer()).ok()?.value(b"Info").and_then(as_reference)
        };
        if let Some((number, _)) = info(new) {
            let was_info = info(&self.old).is_none_or(|(old, _)| old == number);
            if was_info || self.is_added(number) {
                self.explained.insert(number);
            }
        }
        let (Some(old), Some(new)) = (self.old.raw(catalog.0)?, new.raw(catalog.0)?) else {
            return Ok(Err("The catalog was removed.".into()));
        };
        let (old, new) = (entries(&old.bytes)?, entries(&new.bytes)?);
        if let Some(key) = differing_keys(&old, &new).into_iter().find(|key| {
            !CATALOG_KEYS.contains(&key.as_slice()) && key != b"AcroForm" && key != b"DSS"
        }) {
            return Ok(Err(format!("The catalog's /{} was changed.", String::from_utf8_lossy(&key))));
        }
        self.explained.insert(catalog.0);
        for key in [&b"DSS"[..], b"Extensions", b"MarkInfo"] {
            self.explain_subtree(old.value(key), new.value(key))?;
        }
        self.explain_metadata(new.value(b"Metadata"));
        self.explain_form(old.value(b"AcroForm"), new.value(b"AcroForm"))
    }

    fn explain_metadata(&mut self, metadata: Option<&[u8]>) {
        let Some((number, _)) = metadata.and_then(as_reference) else { return };
        let is_metadata = |object: &Option<RawObject<'_>>| {
            object.as_ref().is_none_or(|object| {
                RawDictionary::scan(&object.bytes).is_ok_and(|entries| entries.value(b"Type") == Some(b"/Metadata"))
            })
        };
        if self.changed.get(&number).is_some_and(|change| is_metadata(&change.old) && is_metadata(&change.new)) {
            self.explained.insert(number);
        }
    }

    fn explain_form(&mut self, old: Option<&[u8]>, new: Option<&[u8]>) -> Result<Explanation, Refusal> {
        let Some(new) = new else {
            return Ok(if old.is_some() { Err("The interactive form was removed.".into()) } else { Ok(()) });
        };
        let old_source = self.old_value(old)?;
        let new_source = self.new_value(new)?;
        let old = if old_source.is_empty() { None } else { Some(entries(&old_source)?) };
        let new_entries = entries(&new_source)?;
        if let Some(old) = &old {
            let differing = differing_keys(old, &new_entries);
            let forbidden = differing.iter().find(|key| !FORM_KEYS.contains(&key.as_slice()) && *key != b"Fields");
            if let Some(key) = forbidden {
                return Ok(Err(format!("The form's /{} was changed.", String::from_utf8_lossy(key))));
            }
        }
        self.explain_replacement(new);
        for key in FORM_KEYS {
            if let Some(value) = new_entries.value(key) {
                self.explain_added(value)?;
            }
        }
        let old_fields = self.old_value(old.as_ref().and_then(|old| old.value(b"Fields")))?;
        let fields = new_entries.value(b"Fields").unwrap_or(b"[]");
        let new_fields = self.new_value(fields)?;
        let Some(added) = added_references(&old_fields, &new_fields) else {
            return Ok(Err("Fields were removed from the form.".into()));
        };
        self.explain_replacement(fields);
        let kinds: BTreeMap<u32, FieldKind> =
            self.file.field_nodes()?.into_iter().map(|node| (node.id.0, node.kind)).collect();
        for number in added {
            if kinds.get(&number) != Some(&FieldKind::Signature) || !self.is_added(number) {
                return Ok(Err(format!("The object {number} was added to the form, but is no new signature field.")));
            }
            self.explain_added(format!("{number} 0 R").as_bytes())?;
        }
        Ok(Ok(()))
    }

    /// Values of fields that were there, and signatures in fields that were empty.
    fn explain_fields(&mut self) -> Result<Explanation, Refusal> {
        for node in self.file.field_nodes()? {
            let number = node.id.0;
            let Some(Change { old: Some(old), new: Some(new) }) = self.changed.get(&number) else { continue };
            let (old, new) = (old.clone(), new.clone());
            let (old, new) = (entries(&old.bytes)?, entries(&new.bytes)?);
            let is_signature = node.kind == FieldKind::Signature;
            let was_signed = is_signature && old.value(b"V").is_some_and(|value| value != b"null");
            let differing = differing_keys(&old, &new);
            let forbidden = differing.iter().find(|key| {
                let key = key.as_slice();
                let is_value = VALUE_KEYS.contains(&key) || is_signature && SIGNATURE_FIELD_KEYS.contains(&key);
                !is_value || was_signed && key == b"V"
            });
            if let Some(key) = forbidden {
                let key = String::from_utf8_lossy(key);
                return Ok(Err(format!("The /{key} of the field {:?} was changed.", node.name)));
            }
            self.explained.insert(number);
            for key in differing {
                if let Some(value) = new.value(&key) {
                    self.explain_added(value)?;
                }
            }
        }
        Ok(Ok(()))
    }

    /// Widgets of new signature fields on pages that were there.
    fn explain_pages(&mut self) -> Result<Explanation, Refusal> {
        let signature_widgets: BTreeSet<u32> = self
            .file
            .field_nodes()?
            .into_iter()
            .filter(|node| node.kind == FieldKind::Signature && self.is_added(node.id.0))
            .map(|node| node.id.0)
            .collect();
        for (page, _) in self.file.pages()? {
            let (Some(old), Some(new)) = (self.old.raw(page)?, self.file.newest().raw(page)?) else { continue };
            let (old, new) = (entries(&old.bytes)?, entries(&new.bytes)?);
            let annotations = new.value(b"Annots").unwrap_or(b"[]");
            let array_changed = as_reference(annotations).is_some_and(|(number, _)| self.changed.contains_key(&number));
            if !self.changed.contains_key(&page) && !array_changed {
                continue;
            }
            if let Some(key) = differing_keys(&old, &new).into_iter().find(|key| key != b"Annots") {
                return Ok(Err(format!("The /{} of the page {page} was changed.", String::from_utf8_lossy(&key))));
            }
            let old_annotations = self.old_value(old.value(b"Annots"))?;
            let new_annotations = self.new_value(annotations)?;
            let added = added_references(&old_annotations, &new_annotations);
            if !added.is_some_and(|added| added.iter().all(|number| signature_widgets.contains(number))) {
                return Ok(Err(format!("The annotations of the page {page} were changed.")));
            }
            self.explained.insert(page);
            self.explain_replacement(annotations);
        }
        Ok(Ok(()))
    }

    /// New objects that nothing in the document leads to. A reference that led
    /// nowhere before would lead to one now, so every object is asked.
    fn explain_orphans(&mut self) -> Result<(), Refusal> {
        let mut orphans: BTreeSet<u32> = self.changed.keys().copied().collect();
        orphans.retain(|number| self.is_added(*number) && !self.explained.contains(number));
        if orphans.is_empty() {
            return Ok(());
        }
        let mut reached = Vec::new();
        for number in self.file.newest().table().keys().filter(|number| !orphans.contains(number)) {
            if let Some(object) = self.file.newest().raw(*number)? {
                reached.extend(referenced(&object.bytes)?.into_iter().filter(|number| orphans.contains(number)));
            }
        }
        while let Some(number) = reached.pop() {
            if orphans.remove(&number)
                && let Some(Change { new: Some(new), .. }) = self.changed.get(&number)
            {
                reached.extend(referenced(&new.bytes)?);
            }
        }
        self.explained.extend(orphans);
        Ok(())
    }

    fn is_added(&self, number: u32) -> bool {
        self.changed.get(&number).is_some_and(|change| change.old.is_none() && change.new.is_some())
    }

    /// The object that a value refers to, when its content has been compared.
    fn explain_replacement(&mut self, value: &[u8]) {
        if let Some((number, _)) = as_reference(value) {
            self.explained.insert(number);
        }
    }

    /// All new objects that a value leads to; what was there is not passed.
    fn explain_added(&mut self, value: &[u8]) -> Result<(), Refusal> {
        let mut open = referenced(value)?;
        while let Some(number) = open.pop() {
            if !self.is_added(number) || !self.explained.insert(number) {
                continue;
            }
            if let Some(Change { new: Some(new), .. }) = self.changed.get(&number) {
                open.extend(referenced(&new.bytes)?);
            }
        }
        Ok(())
    }

    /// A part of the catalog that may change as a whole: objects that were in
    /// it before, and new ones.
    fn explain_subtree(&mut self, old: Option<&[u8]>, new: Option<&[u8]>) -> Result<(), Refusal> {
        let mut belonged = BTreeSet::new();
        let mut open = old.map_or_else(|| Ok(Vec::new()), referenced)?;
        while let Some(number) = open.pop() {
            // Only the outer dictionaries: streams and what they need stay.
            if belonged.insert(number)
                && let Some(object) = self.old.raw(number)?
                && object.data.is_none()
            {
                open.extend(referenced(&object.bytes)?);
            }
        }
        let mut visited = BTreeSet::new();
        let mut open = new.map_or_else(|| Ok(Vec::new()), referenced)?;
        while let Some(number) = open.pop() {
            if !visited.insert(number) || !(self.is_added(number) || belonged.contains(&number)) {
                continue;
            }
            let Some(object) = self.file.newest().raw(number)? else { continue };
            if object.data.is_none() || self.is_added(number) {
                self.explained.insert(number);
            }
            open.extend(referenced(&object.bytes)?);
        }
        Ok(())
    }

    fn old_value(&self, value: Option<&[u8]>) -> Result<Cow<'a, [u8]>, Refusal> {
        value.map_or_else(|| Ok(Cow::Borrowed(&b""[..])), |value| resolved(&self.old, value))
    }

    fn new_value(&self, value: &[u8]) -> Result<Cow<'a, [u8]>, Refusal> {
        resolved(self.file.newest(), value)
    }
}

/// A value as written, behind its reference if it is one; empty when there is none.
fn resolved<'a>(revision: &Revision<'a>, value: &[u8]) -> Result<Cow<'a, [u8]>, Refusal> {
    match as_reference(value) {
        Some((number, _)) => Ok(revision.raw(number)?.map(|object| object.bytes).unwrap_or_default()),
        None => Ok(Cow::Owned(value.to_vec())),
    }
}

fn same_place(old: &Revision<'_>, new: &Revision<'_>, number: u32) -> bool {
    let (old_entry, new_entry) = (old.table().get(&number), new.table().get(&number));
    let is_free = |entry: Option<&XrefEntry>| matches!(entry, None | Some(XrefEntry::Free));
    match (old_entry, new_entry) {
        (Some(XrefEntry::Compressed { container, .. }), Some(_)) if old_entry == new_entry => {
            old.table().get(container) == new.table().get(container)
        }
        _ => old_entry == new_entry || is_free(old_entry) && is_free(new_entry),
    }
}

fn same_object(old: Option<&RawObject<'_>>, new: Option<&RawObject<'_>>) -> bool {
    match (old, new) {
        (None, None) => true,
        (Some(old), Some(new)) => {
            old.generation == new.generation && old.data == new.data && same_value(&old.bytes, &new.bytes)
        }
        _ => false,
    }
}

/// Keys that only one of two dictionaries has or whose values differ.
fn differing_keys(old: &RawDictionary<'_>, new: &RawDictionary<'_>) -> Vec<Vec<u8>> {
    let keys: BTreeSet<&Vec<u8>> = old.entries().iter().chain(new.entries()).map(|entry| &entry.key).collect();
    let differs = |key: &&Vec<u8>| match (old.value(key), new.value(key)) {
        (Some(old), Some(new)) => !same_value(old, new),
        (old, new) => old.is_some() || new.is_some(),
    };
    keys.into_iter().filter(differs).cloned().collect()
}

/// Object numbers that the new array refers to beyond the old one; `None` when
/// an item of the old one is gone.
fn added_references(old: &[u8], new: &[u8]) -> Option<Vec<u32>> {
    let items = |source: &[u8]| -> Option<BTreeSet<u32>> {
        if source.is_empty() || source == b"null" {
            return Some(BTreeSet::new());
        }
        array_items(source).ok()?.into_iter().map(|item| as_reference(item).map(|(number, _)| number)).collect()
    };
    let (old, new) = (items(old)?, items(new)?);
    old.is_subset(&new).then(|| new.difference(&old).copied().collect())
}

fn entries(source: &[u8]) -> Result<RawDictionary<'_>, Refusal> {
    RawDictionary::scan(source)
        .map_err(|error| Refusal::new("object-damaged", format!("A dictionary cannot be read: {error}.")))
}

fn referenced(source: &[u8]) -> Result<Vec<u32>, Refusal> {
    references(source)
        .map_err(|error| Refusal::new("object-damaged", format!("References cannot be read: {error}.")))
}
