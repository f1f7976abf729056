//! The interactive form.

use parafa_format_core::{ChangeKind, Refusal};

use super::super::AccessPermission;
use super::comparison::{ChangeScope, Comparison, Stop};
use super::sources::entries;
use super::values::{differing_keys, refuse_other_keys};
use crate::structure::{RawDictionary, as_reference};

/// Entries of the interactive form changed by every signature.
const SIGNING_KEYS: [&[u8]; 2] = [b"Fields", b"SigFlags"];

/// Additional entries of the interactive form changed by filling in.
const FILLING_KEYS: [&[u8]; 4] = [b"DA", b"DR", b"NeedAppearances", b"Q"];

impl Comparison<'_, '_, '_> {
    /// Explains a form with new signature fields at its root.
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
            self.permit_reference(catalog, b"AcroForm", new)?;
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
        self.explain_new_fields(&added)
    }

    /// Explains the defaults shared by fields: an existing form keeps them, a
    /// new form may define them.
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
        let is_off = |value: Option<&[u8]>| matches!(value, None | Some(b"false"));
        let mut keys = differing_keys(old, new);
        let resources = new.value(b"DR").and_then(as_reference);
        let resources = resources.map(|(number, _)| number);
        let extended = self.extended_resources(new.value(b"DR"))?;
        let is_changed = !extended.is_empty()
            || resources.is_some_and(|number| self.changed.contains_key(&number));
        if is_changed && !keys.contains(&&b"DR"[..]) && !permitted.is_empty() {
            keys.push(b"DR");
        }
        for key in keys.into_iter().filter(|key| FILLING_KEYS.contains(key)) {
            let (old, new) = (old.value(key), new.value(key));
            // Readers derive the look of locked fields from these entries.
            let lawful = !self.permissions.has_locks()
                || key == b"NeedAppearances" && is_off(old) && is_off(new);
            if !lawful {
                let key = String::from_utf8_lossy(key);
                return Err(Stop::Change(format!("The /{key} of the form was changed.")));
            }
            if let Some(new) = new {
                self.permit(holder, key, new)?;
            }
            if key == b"DR" {
                self.explain_rewritten(old, new)?;
                for category in &extended {
                    self.explain_rewritten(Some(category), Some(category))?;
                }
                // Other users of these resources get the new names too.
                if let Some(number) = resources.filter(|_| !extended.is_empty()) {
                    self.explain_as(number, ChangeScope::Whole);
                }
            }
            if was_there {
                self.find(ChangeKind::FormFilling);
            }
        }
        Ok(())
    }

    /// Returns references to default resource dictionaries that gained names,
    /// such as the font of a filled-in field. Existing names must keep their
    /// values.
    fn extended_resources(&self, resources: Option<&[u8]>) -> Result<Vec<Vec<u8>>, Refusal> {
        let dictionary = |source| RawDictionary::scan(source).ok();
        let is_extended = |value: &[u8]| {
            let change = self.changed.get(&as_reference(value)?.0)?;
            let (old, new) = (change.old.as_ref()?, change.new.as_ref()?);
            let (old, new) = (dictionary(&old.bytes)?, dictionary(&new.bytes)?);
            let mut differing = differing_keys(&old, &new).into_iter();
            Some(differing.all(|name| old.find(name).is_none()))
        };
        let resources = resources.map(|written| self.new_value(written));
        let resources = resources.transpose()?.flatten();
        let resources = resources.as_deref().and_then(dictionary);
        let entries = resources.iter().flat_map(RawDictionary::entries);
        let values = entries.map(|entry| entry.value);
        let extended = values.filter(|value| is_extended(value) == Some(true));
        Ok(extended.map(<[u8]>::to_vec).collect())
    }
}
