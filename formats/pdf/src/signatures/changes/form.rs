//! The interactive form: signature fields that are added, and fields that are
//! filled in.

use super::super::{AccessPermission, is_document_timestamp};
use super::values::{differing_keys, refuse_other_keys};
use super::{Change, Comparison, Stop, entries};
use crate::structure::{FieldKind, FieldNode};

/// Entries of the interactive form that may change, apart from `/Fields`.
const FORM_KEYS: [&[u8]; 5] = [b"DA", b"DR", b"NeedAppearances", b"Q", b"SigFlags"];

/// Entries of a field or widget that filling it in changes.
const VALUE_KEYS: [&[u8]; 6] = [b"AP", b"AS", b"I", b"M", b"RV", b"V"];

/// Entries that signing an empty signature field changes beside them.
const SIGNATURE_FIELD_KEYS: [&[u8]; 3] = [b"F", b"MK", b"P"];

impl Comparison<'_, '_, '_> {
    /// The form may get signature fields at its root.
    pub(super) fn explain_form(
        &mut self,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<(), Stop> {
        let Some(new) = new else {
            return match old {
                None => Ok(()),
                Some(_) => Err(Stop::Change("The interactive form was removed.".into())),
            };
        };
        let detector = self.detector;
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
        let differing =
            self.differing_items(old_form.value(b"Fields"), new_form.value(b"Fields"))?;
        let added = differing
            .filter(|differing| differing.removed.is_empty())
            .ok_or_else(|| Stop::Change("Fields were removed from the form.".into()))?
            .added;
        for number in added {
            let field = detector.fields.iter().find(|field| field.id.0 == number);
            let Some(field) =
                field.filter(|field| field.kind == FieldKind::Signature && self.is_added(number))
            else {
                return Err(Stop::Change(format!(
                    "The object {number} was added to the form, but is no new signature field."
                )));
            };
            if self.permissions.access == AccessPermission::NoChanges
                && !self.is_document_timestamp(field)
            {
                return Err(Stop::Change(format!(
                    "The field {:?} was added.",
                    field.name
                )));
            }
            self.explain_added(format!("{number} 0 R").as_bytes())?;
        }
        Ok(())
    }

    /// Values of fields that were there, and signatures in fields that were empty.
    pub(super) fn explain_fields(&mut self) -> Result<(), Stop> {
        let detector = self.detector;
        for node in &detector.fields {
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
            if !differing.is_empty() && !self.may_be_filled_in(node) {
                return Err(Stop::Change(format!(
                    "The {part} is locked and was changed."
                )));
            }
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

    fn may_be_filled_in(&self, field: &FieldNode<'_>) -> bool {
        self.permissions.access >= AccessPermission::FormFilling
            && !self.permissions.locks(&field.name)
    }

    fn is_document_timestamp(&self, field: &FieldNode<'_>) -> bool {
        let value = field.value.and_then(|value| self.file.resolve(value));
        value
            .and_then(|value| value.as_dict().ok())
            .is_some_and(|value| is_document_timestamp(self.file, value))
    }
}
