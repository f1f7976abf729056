//! The structure tree (ISO 32000-2, 14.7), which grows when a tagged document
//! is signed. The widget of the new field gets an element, as the last kid of
//! an existing one, and an entry in the parent tree.

use std::collections::{BTreeMap, BTreeSet};

use super::comparison::{ChangeScope, Comparison, Stop};
use super::number_tree::{Side, has_only, integer};
use super::sources::{damaged_references, entries};
use super::values::refuse_other_keys;
use crate::structure::{
    FieldKind, LinkKind, ObjectSource, RawDictionary, array_items, as_name, as_reference,
    same_value,
};

/// Entries of the root that may grow.
const ROOT_KEYS: [&[u8]; 4] = [b"K", b"ParentTree", b"ParentTreeNextKey", b"RoleMap"];

/// Entries of a new element; none can carry text.
const ELEMENT_KEYS: [&[u8]; 6] = [b"K", b"NS", b"P", b"Pg", b"S", b"Type"];

/// Entries of an object reference to a widget (14.7.5.3).
const OBJECT_REFERENCE_KEYS: [&[u8]; 3] = [b"Obj", b"Pg", b"Type"];

impl<'a> Comparison<'_, '_, 'a> {
    /// Explains structure elements of the widgets of new signature fields.
    pub(super) fn explain_structure(&mut self) -> Result<(), Stop> {
        let root = self.file.catalog()?.get(b"StructTreeRoot").ok();
        let Some((root, _)) = root.and_then(|root| root.as_reference().ok()) else {
            return Ok(());
        };
        // New elements by parent, and by key.
        let mut added: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut keys = BTreeMap::new();
        for widget in self.new_widgets() {
            if let Some(element) = self.element_of(widget)? {
                let (parent, key) = self.new_element(element, widget)?;
                added.entry(parent).or_default().insert(element);
                keys.insert(key, element);
            }
        }
        if added.is_empty() && !self.changed.contains_key(&root) {
            return Ok(());
        }
        let kids = added.remove(&root).unwrap_or_default();
        self.explain_root(root, &kids, keys)?;
        for (parent, kids) in &added {
            let (old, new) = self.both(*parent)?;
            let (old, new) = (unambiguous(&old)?, unambiguous(&new)?);
            let part = format!("structure element {parent}");
            refuse_other_keys(&part, &old, &new, &[&[b"K"]])?;
            self.explain_kids(*parent, &old, &new, kids)?;
        }
        Ok(())
    }

    fn new_widgets(&self) -> Vec<u32> {
        let is_new_widget = |number: &u32| {
            let field = self.detector.field(*number);
            self.is_added(*number) && field.is_some_and(|field| field.kind == FieldKind::Signature)
        };
        let changed = self.changed.keys().copied();
        changed.filter(is_new_widget).collect()
    }

    /// Returns the element that refers to a widget; there may be only one.
    fn element_of(&self, widget: u32) -> Result<Option<u32>, Stop> {
        let references = self.detector.references()?.to(widget).iter();
        let mut elements =
            references.filter(|reference| reference.kind == LinkKind::StructureObject);
        let element = elements.next().map(|reference| reference.from);
        match elements.next() {
            None => Ok(element),
            Some(_) => {
                let detail = format!("The widget {widget} was added to the structure twice.");
                Err(changed(&detail))
            }
        }
    }

    /// Returns the parent of a new element and its key in the parent tree. The
    /// element may only state that there is a form field, and which.
    fn new_element(&mut self, number: u32, widget: u32) -> Result<(u32, i64), Stop> {
        let refused = || {
            let element = format!("The structure element {number}");
            changed(&format!("{element} is more than that of a new signature."))
        };
        let source = self.state(Side::New, number)?;
        let source = source.filter(|_| self.is_added(number));
        let source = source.ok_or_else(refused)?;
        let element = entries(&source)?;
        let kid = entries(element.value(b"K").unwrap_or_default()).map_err(|_| refused())?;
        let is_plain = has_only(&element, &ELEMENT_KEYS)
            && has_only(&kid, &OBJECT_REFERENCE_KEYS)
            && is_name(&element, b"Type", b"StructElem")
            && is_name(&element, b"S", b"Form")
            && is_name(&kid, b"Type", b"OBJR")
            && kid.value(b"Obj").and_then(as_reference) == Some((widget, 0))
            && [&element, &kid].iter().all(|part| {
                let page = part.value(b"Pg").map(as_reference);
                page.is_none_or(|page| page.is_some_and(|(page, _)| self.detector.is_page(page)))
            })
            && element.value(b"NS").map(as_reference).is_none_or(|space| {
                space.is_some_and(|(space, _)| !self.changed.contains_key(&space))
            });
        let parent = element.value(b"P").and_then(as_reference);
        let widget = self.state(Side::New, widget)?.ok_or_else(refused)?;
        let key = entries(&widget)?.value(b"StructParent").map(integer);
        let (true, Some((parent, _)), Some(key)) = (is_plain, parent, key.transpose()?) else {
            return Err(refused());
        };
        self.explain_as(number, ChangeScope::Whole);
        Ok((parent, key))
    }

    fn explain_root(
        &mut self,
        number: u32,
        added: &BTreeSet<u32>,
        keys: BTreeMap<i64, u32>,
    ) -> Result<(), Stop> {
        let (old, new) = self.both(number)?;
        let (old, new) = (unambiguous(&old)?, unambiguous(&new)?);
        refuse_other_keys("structure tree", &old, &new, &[&ROOT_KEYS])?;
        let (old_roles, new_roles) = (old.value(b"RoleMap"), new.value(b"RoleMap"));
        // Programs add an empty role map.
        if !same_value(old_roles.unwrap_or(b"<<>>"), new_roles.unwrap_or(b"<<>>")) {
            return Err(changed("The roles of the structure tree were changed."));
        }
        new.value(b"ParentTreeNextKey").map(integer).transpose()?;
        self.explain_parent_tree(number, &old, &new, keys)?;
        self.explain_kids(number, &old, &new, added)
    }

    /// Returns the old and new state of an object.
    fn both(&self, number: u32) -> Result<(ObjectSource<'a>, ObjectSource<'a>), Stop> {
        let old = self.state(Side::Old, number)?;
        let both = old.zip(self.state(Side::New, number)?);
        both.ok_or_else(|| changed(&format!("The structure element {number} is no older one.")))
    }

    /// Explains kids: new elements must follow the existing ones.
    fn explain_kids(
        &mut self,
        holder: u32,
        old: &RawDictionary<'_>,
        new: &RawDictionary<'_>,
        added: &BTreeSet<u32>,
    ) -> Result<(), Stop> {
        let (old, new) = (old.value(b"K"), new.value(b"K"));
        let (old_list, new_list) = (self.list(Side::Old, old)?, self.list(Side::New, new)?);
        let (old_kids, new_kids) = (kids(old, old_list.as_ref())?, kids(new, new_list.as_ref())?);
        let mut pairs = old_kids.iter().zip(&new_kids);
        let further = new_kids.get(old_kids.len()..).unwrap_or_default();
        let further: Option<Vec<u32>> = further
            .iter()
            .map(|kid| as_reference(kid).map(|(number, _)| number))
            .collect();
        let is_grown = old_kids.len() + added.len() == new_kids.len()
            && pairs.all(|(old, new)| same_value(old, new))
            && further
                .is_some_and(|further| further.into_iter().collect::<BTreeSet<_>>() == *added);
        if !is_grown {
            let detail = format!("The kids of the structure element {holder} were changed.");
            return Err(changed(&detail));
        }
        match new_list {
            Some((Some(array), _)) => {
                self.permit_reference(holder, b"K", new.unwrap_or_default())?;
                self.permit_each_reference(array, b"", added);
                self.explain_if_changed(array);
            }
            _ => self.permit_each_reference(holder, b"K", added),
        }
        self.explain_as(holder, ChangeScope::Structure);
        Ok(())
    }

    /// Explains the parent tree: each new element has a key, all others keep
    /// their values.
    fn explain_parent_tree(
        &mut self,
        root: u32,
        old: &RawDictionary<'_>,
        new: &RawDictionary<'_>,
        mut keys: BTreeMap<i64, u32>,
    ) -> Result<(), Stop> {
        let (old, new) = (old.value(b"ParentTree"), new.value(b"ParentTree"));
        self.permit_reference(root, b"ParentTree", new.unwrap_or_default())?;
        let (old, new) = (
            self.number_tree(Side::Old, old)?,
            self.number_tree(Side::New, new)?,
        );
        let mut before = old.into_iter().peekable();
        for (key, value) in &new {
            let is_as_before = match before.next_if(|(old, _)| old == key) {
                Some((_, old)) => self.has_same_elements(&old, value)?,
                None => keys.remove(key) == as_reference(value).map(|(number, _)| number),
            };
            if !is_as_before {
                let detail =
                    format!("The elements of the key {key} of the structure were changed.");
                return Err(changed(&detail));
            }
        }
        if before.next().is_some() || !keys.is_empty() {
            return Err(changed("Keys of the structure were removed."));
        }
        Ok(())
    }

    /// Returns whether two values of the parent tree are the same element or
    /// equal lists of elements.
    fn has_same_elements(&mut self, old: &[u8], new: &[u8]) -> Result<bool, Stop> {
        let (old_list, new_list) = (
            self.list(Side::Old, Some(old))?,
            self.list(Side::New, Some(new))?,
        );
        Ok(match (old_list, new_list) {
            (Some((_, old)), Some((number, new))) => {
                if let Some(number) = number {
                    self.explain_part(number, &new)?;
                }
                same_value(&old, &new)
            }
            (None, None) => same_value(old, new),
            _ => false,
        })
    }

    /// Returns the array that a value is or refers to, with its object number.
    fn list<'v>(
        &self,
        side: Side,
        value: Option<&'v [u8]>,
    ) -> Result<Option<(Option<u32>, ObjectSource<'v>)>, Stop>
    where
        'a: 'v,
    {
        let value = value.unwrap_or_default();
        let (number, source) = match as_reference(value) {
            Some((number, _)) => (Some(number), self.state(side, number)?),
            None => (None, Some(ObjectSource::File(value))),
        };
        let array = source.filter(|source| source.starts_with(b"["));
        Ok(array.map(|array| (number, array)))
    }
}

/// Returns the kids of an element: one, or a list.
fn kids<'v>(
    value: Option<&'v [u8]>,
    list: Option<&'v (Option<u32>, ObjectSource<'_>)>,
) -> Result<Vec<&'v [u8]>, Stop> {
    match list {
        Some((_, list)) => array_items(list).map_err(|error| damaged_references(&error).into()),
        None => Ok(value.into_iter().collect()),
    }
}

/// Parses a dictionary; refuses duplicate keys.
fn unambiguous(source: &[u8]) -> Result<RawDictionary<'_>, Stop> {
    let dictionary = entries(source)?;
    let keys = dictionary.entries().iter().map(|entry| &*entry.key);
    let distinct: BTreeSet<&[u8]> = keys.collect();
    if distinct.len() == dictionary.entries().len() {
        Ok(dictionary)
    } else {
        Err(changed("A structure element has a key twice."))
    }
}

fn is_name(dictionary: &RawDictionary<'_>, key: &[u8], name: &[u8]) -> bool {
    let value = dictionary.value(key).and_then(as_name);
    value.is_some_and(|value| value == name)
}

fn changed(what: &str) -> Stop {
    Stop::Change(what.to_owned())
}
