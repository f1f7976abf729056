//! Signature fields added to the form.

use std::collections::{BTreeMap, BTreeSet};

use lopdf::Object;
use parafa_format_core::ChangeKind;

use super::super::{AccessPermission, is_document_timestamp};
use super::comparison::{Comparison, Stop};
use super::sources::entries;
use crate::structure::{
    FieldKind, FieldNode, RawDictionary, array_items, as_name, as_reference, is_decorated,
    same_value,
};

/// Entries with actions of a field (ISO 32000-2, 12.6.3).
const ACTION_KEYS: [&[u8]; 2] = [b"A", b"AA"];

/// Cache of one pass over the new fields.
#[derive(Default)]
struct Seen<'n> {
    /// Visited lists of kids: fields may share an empty one.
    lists: BTreeSet<*const Object>,
    /// Names, with whether an existing field has them: kids may share one.
    names: BTreeMap<&'n str, bool>,
}

impl<'d> Comparison<'d, '_, '_> {
    /// Explains signature fields added to the root of the form.
    pub(super) fn explain_new_fields(&mut self, roots: &BTreeSet<u32>) -> Result<(), Stop> {
        let mut seen = Seen::default();
        for root in roots {
            self.explain_new_field(*root, &mut seen)?;
        }
        Ok(())
    }

    /// Explains a new signature field; everything below it must be new too.
    fn explain_new_field(&mut self, root: u32, seen: &mut Seen<'d>) -> Result<(), Stop> {
        let detector = self.detector;
        let mut open = vec![root];
        while let Some(number) = open.pop() {
            let node = detector
                .field(number)
                .filter(|node| node.kind == FieldKind::Signature && self.is_added(number));
            let (Some(node), Some(source)) = (node, detector.newest(number)?) else {
                return Err(Stop::Change(format!(
                    "The object {number} was added to the form, but is no new signature field."
                )));
            };
            let is_taken = *seen.names.entry(&node.name).or_insert_with(|| {
                let mut namesakes = detector.named(&node.name).iter();
                !node.name.is_empty() && namesakes.any(|namesake| !self.is_added(*namesake))
            });
            if is_taken {
                let name = &node.name;
                return Err(Stop::Change(format!("Another field {name:?} was added.")));
            }
            let written = entries(&source.bytes)?;
            let is_seen = self.has_extent(&written)?;
            self.refuse_foreign_parts(node, &written, number == root)?;
            self.refuse_forbidden(node, &written, is_seen)?;
            open.extend(self.kids(node, &mut seen.lists));
            if is_seen || !self.is_timestamp(node) {
                self.find(ChangeKind::Signing);
            }
        }
        self.explain_added(format!("{root} 0 R").as_bytes())?;
        Ok(())
    }

    /// Requires that a new field belongs to no other field, appears only as a
    /// widget, and has no actions.
    fn refuse_foreign_parts(
        &self,
        node: &FieldNode<'_>,
        written: &RawDictionary<'_>,
        is_root: bool,
    ) -> Result<(), Stop> {
        let refused = |why: &str| {
            let name = &node.name;
            Err(Stop::Change(format!("The field {name:?} was added {why}.")))
        };
        if is_root && self.has(written, b"Parent")? {
            return refused("below another");
        }
        for key in ACTION_KEYS {
            if self.has(written, key)? {
                return refused("with actions");
            }
        }
        // Other annotations are drawn at their lines, corners and marked words,
        // regardless of `/Rect`.
        let subtype = written
            .value(b"Subtype")
            .map(|value| self.new_value(value))
            .transpose()?
            .flatten();
        match subtype.as_deref().map(as_name) {
            None => Ok(()),
            Some(Some(name)) if name == b"Widget" => Ok(()),
            Some(_) => refused("as another annotation than a widget"),
        }
    }

    fn has(&self, dictionary: &RawDictionary<'_>, key: &[u8]) -> Result<bool, Stop> {
        let value = dictionary.value(key).map(|value| self.new_value(value));
        Ok(value.transpose()?.flatten().is_some())
    }

    /// Refuses a new field with a value that is no new signature, a field drawn
    /// without a signature, and a locked field. An invisible field may be
    /// locked if it is a document time-stamp or, where form filling is
    /// permitted, empty.
    fn refuse_forbidden(
        &self,
        node: &FieldNode<'_>,
        written: &RawDictionary<'_>,
        is_seen: bool,
    ) -> Result<(), Stop> {
        let has_value =
            node.value.is_some_and(|value| !value.is_null()) && !self.is_newly_prepared(node);
        if has_value && !self.shows_new_signature(node) {
            return Err(Stop::Change(format!(
                "The field {:?} was added with a value that is no new signature.",
                node.name
            )));
        }
        if is_seen && !has_value && self.draws(node, written)? {
            return Err(Stop::Change(format!(
                "The field {:?} was added, and shows something without a signature.",
                node.name
            )));
        }
        let may_be_empty = self.permissions.access > AccessPermission::NoChanges;
        let is_locked = !may_be_empty || self.permissions.locks_new(&node.name);
        let changes_nothing = !is_seen && (self.is_timestamp(node) || may_be_empty && !has_value);
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

    /// Returns whether a widget takes up space on a page. Unreadable rectangles
    /// do, and so does an appearance without one: some readers draw it over the
    /// whole page. Hiding flags are ignored: some apply only to print or to
    /// screen.
    fn has_extent(&self, widget: &RawDictionary<'_>) -> Result<bool, Stop> {
        let rectangle = widget.value(b"Rect").map(|value| self.new_value(value));
        let Some(rectangle) = rectangle.transpose()?.flatten() else {
            return Ok(widget.value(b"AP").is_some());
        };
        Ok(match array_items(&rectangle).as_deref() {
            Ok([left, bottom, right, top]) => !same_value(left, right) && !same_value(bottom, top),
            _ => true,
        })
    }

    /// Returns whether a widget has an appearance that draws something, or
    /// entries from which readers generate one. Programs give empty fields a
    /// blank appearance.
    fn draws(&self, node: &FieldNode<'_>, written: &RawDictionary<'_>) -> Result<bool, Stop> {
        if is_decorated(self.file, node.dictionary) {
            return Ok(true);
        }
        let appearances = written.value(b"AP").map(|value| self.new_value(value));
        let Some(appearances) = appearances.transpose()?.flatten() else {
            return Ok(false);
        };
        let Ok(appearances) = RawDictionary::scan(&appearances) else {
            return Ok(true);
        };
        let is_blank =
            |value: &[u8]| as_reference(value).is_some_and(|id| self.detector.is_blank(id));
        let mut values = appearances.entries().iter().map(|entry| entry.value);
        Ok(!values.all(|value| value == b"null" || is_blank(value)))
    }

    fn kids(&self, node: &FieldNode<'_>, lists: &mut BTreeSet<*const Object>) -> Vec<u32> {
        let kids = self.file.entry(node.dictionary, b"Kids");
        let kids = kids.filter(|kids| lists.insert(std::ptr::from_ref(*kids)));
        let kids = kids.and_then(|kids| kids.as_array().ok());
        let numbers = kids.into_iter().flatten().map(Object::as_reference);
        numbers.flatten().map(|(number, _)| number).collect()
    }
}
