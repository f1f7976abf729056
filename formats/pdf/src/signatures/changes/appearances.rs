//! Field appearances rewritten under their object numbers, as some programs do
//! when a form is filled in.

use std::collections::BTreeSet;

use parafa_format_core::ChangeKind;

use super::comparison::{Change, ChangeScope, Comparison, Stop};
use super::sources::{entries, referenced};
use crate::structure::{FieldKind, FieldNode, RawObject, as_name, as_reference};

impl Comparison<'_, '_, '_> {
    /// Explains streams and appearance dictionaries of fields that may be
    /// filled in. Confinement later checks that nothing else shows them.
    pub(super) fn explain_appearances(&mut self) -> Result<(), Stop> {
        let detector = self.detector;
        let rewritten = self.changed.iter().filter(|(number, change)| {
            let is_unexplained = !self.explained.contains_key(number);
            is_unexplained && change.old.is_some() && change.new.is_some()
        });
        let rewritten: Vec<u32> = rewritten.map(|(number, _)| *number).collect();
        if rewritten.is_empty() {
            return Ok(());
        }
        let references = detector.references()?;
        let sources: BTreeSet<u32> = rewritten
            .iter()
            .flat_map(|number| references.to(*number))
            .map(|reference| reference.from)
            .collect();
        let above = sources.iter().flat_map(|source| references.to(*source));
        let above = above.map(|reference| reference.from);
        let fields: BTreeSet<u32> = above.chain(sources.iter().copied()).collect();
        for node in fields.iter().filter_map(|field| detector.field(*field)) {
            // The appearance of a signature field may change only when the
            // empty field is signed.
            let is_filled_in = node.kind != FieldKind::Signature
                || self.shows_new_signature(node) && !self.had_value(node)?;
            if is_filled_in && self.may_be_filled_in(node) {
                self.explain_appearances_of(node)?;
            }
        }
        Ok(())
    }

    fn explain_appearances_of(&mut self, node: &FieldNode<'_>) -> Result<(), Stop> {
        let number = node.id.0;
        let (Some(old), Some(new)) = (self.old.raw(number)?, self.file.newest().raw(number)?)
        else {
            return Ok(());
        };
        let (old, new) = (entries(&old.bytes)?, entries(&new.bytes)?);
        let Some(appearances) = new.value(b"AP") else {
            return Ok(());
        };
        let Some(source) = self.new_value(appearances)? else {
            return Ok(());
        };
        let mut streams = referenced(&source)?;
        // Added streams belong to the change of the field itself.
        let is_rewritten =
            |stream| !self.is_added(stream) && self.is_on_both_sides(stream, is_appearance);
        streams.retain(|stream| is_rewritten(*stream));
        let dictionary = as_reference(appearances).map(|(dictionary, _)| dictionary);
        let dictionary = dictionary.filter(|dictionary| !self.is_added(*dictionary));
        if streams.is_empty() && dictionary.is_none_or(|own| !self.changed.contains_key(&own)) {
            return Ok(());
        }
        self.permit_reference(number, b"AP", appearances)?;
        if let Some(dictionary) = dictionary {
            if self.changed.contains_key(&dictionary) {
                self.explain_rewritten(old.value(b"AP"), Some(appearances))?;
            } else {
                // Other users of the dictionary show the changed streams too.
                self.explain_as(dictionary, ChangeScope::Whole);
            }
        }
        for stream in streams {
            if let Some(Change { new: Some(new), .. }) = self.changed.get(&stream) {
                let new = new.bytes.clone();
                self.explain_as(stream, ChangeScope::Whole);
                self.explain_added(&new)?;
            }
        }
        self.find(ChangeKind::FormFilling);
        Ok(())
    }
}

/// Returns whether an object is a form XObject (ISO 32000-2, 8.10).
fn is_appearance(object: &RawObject<'_>) -> bool {
    object.data.is_some()
        && entries(&object.bytes).is_ok_and(|entries| {
            let subtype = entries.value(b"Subtype").map(as_name);
            subtype.is_none_or(|subtype| subtype.is_some_and(|name| name == b"Form"))
        })
}
