//! The interactive form, and the signature fields that are added to it.

use std::collections::BTreeSet;

use lopdf::Object;
use parafa_format_core::ChangeKind;

use super::super::{AccessPermission, is_document_timestamp};
use super::values::{differing_keys, refuse_other_keys};
use super::{Comparison, Stop, entries};
use crate::structure::{
    FieldKind, FieldNode, RawDictionary, array_items, as_reference, same_value,
};

/// Entries of the interactive form that every signature changes.
const SIGNING_KEYS: [&[u8]; 2] = [b"Fields", b"SigFlags"];

/// Entries of the interactive form that filling it in may change as well.
const FILLING_KEYS: [&[u8]; 4] = [b"DA", b"DR", b"NeedAppearances", b"Q"];

/// Levels of the form's resources that may get new names: the kinds of
/// resources, and the names of each (ISO 32000-2, 7.8.3).
const RESOURCE_LEVELS: usize = 2;

impl Comparison<'_, '_, '_> {
    /// The form may get signature fields at its root.
    pub(super) fn explain_form(
        &mut self,
        catalog: u32,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<(), Stop> {
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
        let mut holder = catalog;
        if let Some((form, _)) = as_reference(new) {
            holder = form;
            self.warrant(catalog, b"AcroForm", new)?;
            self.explain_compared(old, new);
        }
        self.explain_defaults(holder, old.is_some(), &old_form, &new_form)?;
        let place = (holder, &b"Fields"[..]);
        let differing =
            self.differing_items(place, old_form.value(b"Fields"), new_form.value(b"Fields"))?;
        let added = differing
            .filter(|differing| differing.removed.is_empty())
            .ok_or_else(|| Stop::Change("Fields were removed from the form.".into()))?
            .added;
        let mut lists = BTreeSet::new();
        for number in added {
            self.explain_new_field(number, &mut lists)?;
        }
        Ok(())
    }

    /// A signature field at the root that is new, as is all that is below it.
    /// `lists` are the lists of kids that were looked at: fields may share one
    /// that leads to none.
    fn explain_new_field(
        &mut self,
        root: u32,
        lists: &mut BTreeSet<*const Object>,
    ) -> Result<(), Stop> {
        let detector = self.detector;
        let mut open = vec![root];
        while let Some(number) = open.pop() {
            let node = detector
                .field(number)
                .filter(|node| node.kind == FieldKind::Signature && self.is_added(number));
            let Some(node) = node else {
                return Err(Stop::Change(format!(
                    "The object {number} was added to the form, but is no new signature field."
                )));
            };
            self.refuse_forbidden(node)?;
            open.extend(self.kids(node, lists));
            if !self.is_timestamp(node) || self.has_extent(node)? {
                self.find(ChangeKind::Signing);
            }
        }
        self.explain_added(format!("{root} 0 R").as_bytes())?;
        Ok(())
    }

    /// A new field may be forbidden when it is seen or shows a signature;
    /// document time-stamps have fields that nobody sees.
    fn refuse_forbidden(&self, node: &FieldNode<'_>) -> Result<(), Stop> {
        let is_seen = self.has_extent(node)?;
        if is_seen && self.permissions.is_stated {
            return Err(Stop::Change(format!(
                "The field {:?} was added, and is seen, after a certification.",
                node.name
            )));
        }
        let has_value = node.value.is_some_and(|value| !value.is_null());
        if has_value && !self.shows_new_signature(node) {
            return Err(Stop::Change(format!(
                "The field {:?} was added with a value that is no new signature.",
                node.name
            )));
        }
        let value = node.value.and_then(|value| self.file.resolve(value));
        let may_be_empty = self.permissions.access > AccessPermission::NoChanges;
        let is_locked = !may_be_empty || self.permissions.locks_new(&node.name);
        let changes_nothing =
            !is_seen && (self.is_timestamp(node) || may_be_empty && value.is_none());
        if is_locked && !changes_nothing {
            return Err(Stop::Change(format!(
                "The field {:?} was added.",
                node.name
            )));
        }
        Ok(())
    }

    fn is_timestamp(&self, node: &FieldNode<'_>) -> bool {
        let value = node.value.and_then(|value| self.file.resolve(value));
        value
            .and_then(|value| value.as_dict().ok())
            .is_some_and(|value| is_document_timestamp(self.file, value))
    }

    /// Whether a widget takes room on a page; what cannot be read does, and an
    /// appearance without a rectangle: some readers draw it all over the page.
    /// Flags that hide it do not count: some hide it on paper or on screen only.
    fn has_extent(&self, widget: &FieldNode<'_>) -> Result<bool, Stop> {
        let Some(widget) = self.file.newest().raw(widget.id.0)? else {
            return Ok(false);
        };
        let entries = entries(&widget.bytes)?;
        let rectangle = entries.value(b"Rect").map(|value| self.new_value(value));
        let Some(rectangle) = rectangle.transpose()?.flatten() else {
            return Ok(entries.value(b"AP").is_some());
        };
        Ok(match array_items(&rectangle).as_deref() {
            Ok([left, bottom, right, top]) => !same_value(left, right) && !same_value(bottom, top),
            _ => true,
        })
    }

    fn kids(&self, node: &FieldNode<'_>, lists: &mut BTreeSet<*const Object>) -> Vec<u32> {
        let kids = self.file.entry(node.dictionary, b"Kids");
        let kids = kids.filter(|kids| lists.insert(std::ptr::from_ref(*kids)));
        let kids = kids.and_then(|kids| kids.as_array().ok());
        let numbers = kids.into_iter().flatten().map(Object::as_reference);
        numbers.flatten().map(|(number, _)| number).collect()
    }

    /// What fields have in common stays; a form that is new may bring it along.
    fn explain_defaults(
        &mut self,
        holder: u32,
        was_there: bool,
        old: &RawDictionary<'_>,
        new: &RawDictionary<'_>,
    ) -> Result<(), Stop> {
        let may_fill_in = self.permissions.access >= AccessPermission::FormFilling;
        let permitted: &[&[u8]] = if may_fill_in || !was_there {
            &FILLING_KEYS
        } else {
            &[]
        };
        refuse_other_keys("form", old, new, &[&SIGNING_KEYS, permitted])?;
        // Readers that make appearances anew make those of locked fields too.
        let is_off = |value: Option<&[u8]>| matches!(value, None | Some(b"false"));
        let are_kept = is_off(old.value(b"NeedAppearances"));
        for key in differing_keys(old, new) {
            let (old, new) = (old.value(key), new.value(key));
            let lawful = match key {
                b"DA" if old.is_none() && are_kept => true,
                b"NeedAppearances" if is_off(old) && is_off(new) => true,
                b"DA" | b"NeedAppearances" | b"Q" => !self.permissions.has_locks(),
                b"DR" if !are_kept && self.permissions.has_locks() => false,
                b"DR" => old.is_none() || self.only_grew(old, new, RESOURCE_LEVELS)?,
                _ => continue,
            };
            if !lawful {
                let key = String::from_utf8_lossy(key);
                return Err(Stop::Change(format!("The /{key} of the form was changed.")));
            }
            if let Some(new) = new {
                self.permit(holder, key, new)?;
            }
            if was_there {
                self.find(ChangeKind::FormFilling);
            }
        }
        Ok(())
    }
}
