//! Existing fields: changes by filling in and signing.

use std::collections::BTreeSet;

use parafa_format_core::ChangeKind;

use super::super::{AccessPermission, is_prepared};
use super::comparison::{Change, ChangeScope, Comparison, Stop};
use super::sources::entries;
use super::values::{differing_keys, refuse_other_keys};
use crate::structure::{FieldKind, FieldNode, RawDictionary, as_name};

/// Field entries that may be invisible. Programs set them in passing, even on
/// locked or signed fields.
const PASSING_KEYS: [&[u8]; 2] = [b"Ff", b"Type"];

/// Invisible flags common to all field types: ReadOnly, Required and NoExport
/// (ISO 32000-2, table 227).
const COMMON_FLAGS: u32 = 0b111;

/// Entries of a field or widget changed by filling in.
const VALUE_KEYS: [&[u8]; 8] = [b"AP", b"AS", b"DA", b"I", b"M", b"Q", b"RV", b"V"];

/// Additional entries changed by filling in a merged field and widget.
const MERGED_KEYS: [&[u8]; 1] = [b"F"];

/// Additional entries changed by signing an empty signature field.
const SIGNATURE_FIELD_KEYS: [&[u8]; 3] = [b"F", b"MK", b"P"];

impl Comparison<'_, '_, '_> {
    /// Explains values of existing fields, and signatures in empty ones.
    pub(super) fn explain_fields(&mut self) -> Result<(), Stop> {
        let detector = self.detector;
        let changed = self.changed.keys();
        let places = changed.filter_map(|number| detector.field_places.get(number));
        // In form order.
        let places: BTreeSet<usize> = places.copied().collect();
        for node in places
            .iter()
            .filter_map(|place| detector.fields.get(*place))
        {
            self.explain_field(node)?;
        }
        Ok(())
    }

    fn explain_field(&mut self, node: &FieldNode<'_>) -> Result<(), Stop> {
        let number = node.id.0;
        let Some(Change {
            old: Some(old),
            new: Some(new),
        }) = self.changed.get(&number)
        else {
            return Ok(());
        };
        let part = format!("field {:?}", node.name);
        if old.data.is_some() || new.data.is_some() {
            return Err(Stop::Change(format!("The {part} was no field.")));
        }
        let (old, new) = (old.bytes.clone(), new.bytes.clone());
        let (old, new) = (entries(&old)?, entries(&new)?);
        refuse_other_keys(&part, &old, &new, &permitted_keys(node))?;
        let differing = differing_keys(&old, &new);
        if differing.contains(&&b"Type"[..]) && !becomes_an_annotation(&old, &new) {
            return Err(Stop::Change(format!(
                "The /Type of the {part} was changed."
            )));
        }
        let same_look = node.kind == FieldKind::Signature || self.has_same_look(&old, &new)?;
        let is_passing = |key: &&[u8]| PASSING_KEYS.contains(key) && (*key != b"Ff" || same_look);
        let permitted = if differing.iter().all(is_passing) {
            // A field that shows a signature is never filled in.
            node.kind == FieldKind::Signature
                || self.permissions.access >= AccessPermission::FormFilling
        } else {
            self.may_be_filled_in(node)
        };
        if !permitted {
            return Err(Stop::Change(format!(
                "The {part} is locked and was changed."
            )));
        }
        if node.kind != FieldKind::Signature {
            self.find(ChangeKind::FormFilling);
        } else if !differing.iter().all(is_passing) {
            let mut keys = differing.iter();
            let is_unseen = keys.all(|key| is_passing(key) || *key == b"V");
            self.refuse_unless_signed(node, &old, is_unseen)?;
            self.find(ChangeKind::Signing);
        }
        self.explain_as(number, ChangeScope::Field);
        for key in &differing {
            if let Some(value) = new.value(key) {
                self.permit(number, key, value)?;
            }
        }
        Ok(())
    }

    /// Returns whether the flags of a field differ only in invisible ones.
    fn has_same_look(
        &self,
        old: &RawDictionary<'_>,
        new: &RawDictionary<'_>,
    ) -> Result<bool, Stop> {
        let looks = |field: &RawDictionary<'_>, written: Option<&[u8]>| match written {
            Some(written) => flags(written).map(|flags| flags & !COMMON_FLAGS),
            // Flags may be inherited.
            None => field.value(b"Parent").is_none().then_some(0),
        };
        let new_flags = new.value(b"Ff").map(|flags| self.new_value(flags));
        let new_flags = new_flags.transpose()?.flatten();
        let old_flags = self.old_value(old.value(b"Ff"))?;
        let before = looks(old, old_flags.as_deref());
        Ok(before.is_some() && before == looks(new, new_flags.as_deref()))
    }

    /// Requires that a signature field's appearance changes only by signing;
    /// invisible entries may be prepared in advance.
    fn refuse_unless_signed(
        &self,
        node: &FieldNode<'_>,
        old: &RawDictionary<'_>,
        is_unseen: bool,
    ) -> Result<(), Stop> {
        if has_value(old) || self.had_value(node)? {
            return Err(Stop::Change(format!(
                "The field {:?} was changed after it was signed.",
                node.name
            )));
        }
        if !(self.shows_new_signature(node) || is_unseen && self.is_newly_prepared(node)) {
            return Err(Stop::Change(format!(
                "The field {:?} was changed, but not signed.",
                node.name
            )));
        }
        Ok(())
    }

    /// Returns whether the value of a field is a new signature. It must be
    /// indirect, like signatures in new fields.
    pub(super) fn shows_new_signature(&self, node: &FieldNode<'_>) -> bool {
        let value = node.value.and_then(|value| value.as_reference().ok());
        value.is_some_and(|id| self.is_added(id.0) && self.detector.signatures.contains(&id))
    }

    /// Returns whether the value of a field is new and a placeholder for a
    /// signature.
    pub(super) fn is_newly_prepared(&self, node: &FieldNode<'_>) -> bool {
        let value = node.value.and_then(|value| value.as_reference().ok());
        value.is_some_and(|id| self.is_added(id.0)) && is_prepared(self.file, node)
    }

    /// Returns whether the field that holds a widget's value had one before.
    pub(super) fn had_value(&self, widget: &FieldNode<'_>) -> Result<bool, Stop> {
        let Some(holder) = widget.value_holder else {
            return Ok(false);
        };
        let old = self.old.raw(holder.0)?;
        old.map_or(Ok(false), |old| Ok(has_value(&entries(&old.bytes)?)))
    }

    pub(super) fn may_be_filled_in(&self, field: &FieldNode<'_>) -> bool {
        // Fields below inherit from this one, and may be locked individually.
        let has_fields = !field.is_terminal_field && field.dictionary.has(b"Kids");
        let is_locked = if has_fields {
            self.permissions.has_locks()
        } else {
            self.permissions.locks(&field.name)
        };
        self.permissions.access >= AccessPermission::FormFilling && !is_locked
    }
}

fn permitted_keys(node: &FieldNode<'_>) -> [&'static [&'static [u8]]; 4] {
    let merged: &[&[u8]] = if node.is_terminal_field {
        &MERGED_KEYS
    } else {
        &[]
    };
    let signature: &[&[u8]] = if node.kind == FieldKind::Signature {
        &SIGNATURE_FIELD_KEYS
    } else {
        &[]
    };
    [&PASSING_KEYS, &VALUE_KEYS, merged, signature]
}

fn becomes_an_annotation(old: &RawDictionary<'_>, new: &RawDictionary<'_>) -> bool {
    let is_annotation = |written| as_name(written).is_some_and(|name| name == b"Annot");
    old.value(b"Type").is_none() && new.value(b"Type").is_some_and(is_annotation)
}

/// Parses field flags.
fn flags(source: &[u8]) -> Option<u32> {
    std::str::from_utf8(source).ok()?.trim().parse().ok()
}

fn has_value(field: &RawDictionary<'_>) -> bool {
    field.value(b"V").is_some_and(|value| value != b"null")
}
