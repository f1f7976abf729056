//! Removal of references to deleted widgets and fields (ISO 32000-2, 12.5, 12.6
//! and 14.7.5.3).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use super::drawer::ContentItem;
use super::visible::visible_objects;
use crate::structure::{PdfFile, RawDictionary, ScanError, array_items, as_name, as_reference};
use crate::write::{Edits, reference};

/// Keys under which annotations, actions, forms and structure elements refer to
/// fields and widgets. Resource names may be equal to these keys, so visible
/// objects are never changed.
const HOLDING_KEYS: [&[u8]; 9] = [
    b"Annots", b"CO", b"Fields", b"IRT", b"K", b"Kids", b"Obj", b"Parent", b"T",
];

/// Deleted objects and their replacements.
pub(super) struct Detachment {
    /// Deleted objects.
    gone: BTreeSet<ObjectId>,
    /// XObjects that replace the widgets they draw as content items of the
    /// structure tree.
    replaced: BTreeMap<ObjectId, ContentItem>,
    /// Objects used to draw pages and annotations.
    visible: BTreeSet<ObjectId>,
}

impl Detachment {
    /// Collects deleted widgets and fields; `drawn` maps widgets to their
    /// replacements in the structure tree.
    ///
    /// # Errors
    /// `form-tree` when a deleted object is also drawn: the result of removing
    /// it is unknown.
    pub(super) fn new(
        file: &PdfFile<'_>,
        widgets: BTreeSet<ObjectId>,
        drawn: BTreeMap<ObjectId, ContentItem>,
    ) -> Result<Self, Refusal> {
        let mut gone = widgets;
        // An object reference (14.7.5.3) is deleted with its target.
        let object_references = file.objects().filter(|(_, object)| {
            let dictionary = object
                .as_dict()
                .ok()
                .filter(|entries| is_object_reference(entries));
            let target = dictionary.and_then(|entries| entries.get(b"Obj").ok());
            target
                .and_then(|target| target.as_reference().ok())
                .is_some_and(|target| gone.contains(&target) && !drawn.contains_key(&target))
        });
        let object_references: Vec<_> = object_references.map(|(id, _)| id).collect();
        gone.extend(object_references);
        let visible = visible_objects(file);
        match gone.intersection(&visible).next() {
            Some(id) => Err(both_field_and_drawn(*id)),
            None => Ok(Self {
                gone,
                replaced: drawn,
                visible,
            }),
        }
    }

    /// Removes the references from all objects of the document.
    pub(super) fn apply(&self, edits: &mut Edits<'_, '_>) -> Result<(), Refusal> {
        let file = edits.file();
        let holders = file.objects().filter(|(id, object)| {
            !self.gone.contains(id) && !matches!(object, Object::Stream(_)) && self.is_in(object)
        });
        let holders: Vec<_> = holders.map(|(id, _)| id).collect();
        for holder in holders {
            let source = edits.source(holder)?;
            let detached = self.detached(&source, None);
            let detached = detached.map_err(|error| {
                let detail = format!("The object {} cannot be read: {error}.", holder.0);
                Refusal::new("object-damaged", detail)
            })?;
            match detached {
                Detached::Same => {}
                _ if self.visible.contains(&holder) => return Err(both_field_and_drawn(holder)),
                Detached::Changed(changed) => edits.set(holder, changed),
                Detached::Gone => edits.set(holder, b"null".to_vec()),
            }
        }
        Ok(())
    }

    /// Returns whether an object refers to a deleted one.
    fn is_in(&self, object: &Object) -> bool {
        let mut open = vec![object];
        while let Some(object) = open.pop() {
            match object {
                Object::Reference(id) if self.gone.contains(id) => return true,
                Object::Array(items) => open.extend(items),
                Object::Dictionary(entries) => open.extend(entries.iter().map(|(_, value)| value)),
                _ => {}
            }
        }
        false
    }

    /// Returns a value without the references; `key` is the dictionary key that
    /// holds it.
    fn detached(&self, source: &[u8], key: Option<&[u8]>) -> Result<Detached, ScanError> {
        if source.starts_with(b"<<") {
            return self.detached_dictionary(source);
        }
        if source.starts_with(b"[") {
            return self.detached_array(source, key);
        }
        let is_held = key.is_none_or(|key| HOLDING_KEYS.contains(&key));
        let is_gone = as_reference(source).is_some_and(|id| self.gone.contains(&id));
        Ok(if is_held && is_gone {
            Detached::Gone
        } else {
            Detached::Same
        })
    }

    fn detached_dictionary(&self, source: &[u8]) -> Result<Detached, ScanError> {
        let dictionary = RawDictionary::scan(source)?;
        if dictionary.value(b"Type").and_then(as_name).as_deref() == Some(b"OBJR")
            && let Some(target) = dictionary.value(b"Obj").and_then(as_reference)
        {
            if let Some(drawn) = self.replaced.get(&target) {
                let changed = dictionary.with(b"Obj", reference(drawn.xobject).as_bytes());
                let changed = RawDictionary::scan(&changed)?;
                let changed = changed.with(b"Pg", reference(drawn.page).as_bytes());
                return Ok(Detached::Changed(changed));
            }
            if self.gone.contains(&target) {
                return Ok(Detached::Gone);
            }
        }
        // In one pass: many entries of a dictionary may change.
        let mut replacements = Vec::new();
        for entry in dictionary.entries() {
            match self.detached(entry.value, Some(&entry.key))? {
                Detached::Same => {}
                Detached::Changed(value) => replacements.push((entry.value_span.clone(), value)),
                Detached::Gone => replacements.push((entry.span.clone(), Vec::new())),
            }
        }
        Ok(if replacements.is_empty() {
            Detached::Same
        } else {
            Detached::Changed(spliced(source, &replacements))
        })
    }

    fn detached_array(&self, source: &[u8], key: Option<&[u8]>) -> Result<Detached, ScanError> {
        let mut items = Vec::new();
        let mut is_same = true;
        for item in array_items(source)? {
            match self.detached(item, key)? {
                Detached::Same => items.push(Cow::Borrowed(item)),
                Detached::Changed(item) => {
                    items.push(Cow::Owned(item));
                    is_same = false;
                }
                Detached::Gone => is_same = false,
            }
        }
        Ok(if is_same {
            Detached::Same
        } else {
            Detached::Changed([b"[", items.join(&b' ').as_slice(), b"]"].concat())
        })
    }
}

/// Replaces parts of a source, given in order. Each new value follows a blank:
/// the replaced part may have been the only delimiter between its neighbours.
fn spliced(source: &[u8], replacements: &[(Range<usize>, Vec<u8>)]) -> Vec<u8> {
    let mut spliced = Vec::with_capacity(source.len());
    let mut end = 0;
    for (span, value) in replacements {
        spliced.extend_from_slice(source.get(end..span.start).unwrap_or_default());
        spliced.push(b' ');
        spliced.extend_from_slice(value);
        end = span.end;
    }
    spliced.extend_from_slice(source.get(end..).unwrap_or_default());
    spliced
}

/// A value after the removal.
enum Detached {
    Changed(Vec<u8>),
    Gone,
    Same,
}

fn both_field_and_drawn(id: ObjectId) -> Refusal {
    Refusal::new(
        "form-tree",
        format!(
            "The object {} is part of the form and of what is drawn.",
            id.0
        ),
    )
}

fn is_object_reference(dictionary: &Dictionary) -> bool {
    dictionary.has_type(b"OBJR")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detached(source: &[u8]) -> String {
        let detachment = Detachment {
            gone: BTreeSet::from([(7, 0), (8, 0)]),
            replaced: BTreeMap::from([(
                (8, 0),
                ContentItem {
                    xobject: (20, 0),
                    page: (5, 0),
                },
            )]),
            visible: BTreeSet::new(),
        };
        match detachment.detached(source, None).unwrap() {
            Detached::Changed(changed) => String::from_utf8(changed).unwrap(),
            Detached::Gone => "gone".to_owned(),
            Detached::Same => "same".to_owned(),
        }
    }

    #[test]
    fn a_structure_element_loses_the_reference_to_a_widget() {
        assert_eq!(
            detached(b"<</S/Form/K[3 <</Type/OBJR/Obj 7 0 R>> 9 0 R]/Pg 2 0 R>>"),
            "<</S/Form/K [3 9 0 R]/Pg 2 0 R>>"
        );
        assert_eq!(
            detached(b"<</S/Form/K<</Type/OBJR/Obj 7 0 R>>/Pg 2 0 R>>"),
            "<</S/Form /Pg 2 0 R>>"
        );
    }

    #[test]
    fn a_structure_element_keeps_a_widget_that_is_drawn() {
        assert_eq!(
            detached(b"<</S/Form/K<</Type/OBJR/Obj 8 0 R>> >>"),
            "<</S/Form/K <</Type/OBJR/Obj  20 0 R\n/Pg 5 0 R>> >>"
        );
    }

    #[test]
    fn actions_forget_fields_and_content_keeps_what_it_uses() {
        assert_eq!(
            detached(b"<</S/Hide/T[7 0 R 9 0 R]/Next<</S/ResetForm/Fields[8 0 R]>> >>"),
            "<</S/Hide/T [9 0 R]/Next <</S/ResetForm/Fields []>> >>"
        );
        assert_eq!(detached(b"<</Font<</F1 7 0 R>> >>"), "same");
        assert_eq!(detached(b"[7 0 R]"), "[]");
        assert_eq!(detached(b"<</K 9 0 R>>"), "same");
    }

    #[test]
    fn every_entry_of_a_dictionary_that_has_many_is_looked_at_once() {
        let entries: String = (0..100_000)
            .map(|number| format!("/a{number}<</K 7 0 R>>"))
            .collect();

        let left = detached(format!("<<{entries}/b 1>>").as_bytes());

        assert!(left.starts_with("<</a0 << >>/a1 << >>"), "{left:.40}");
        assert!(left.ends_with("/a99999 << >>/b 1>>"));
    }

    #[test]
    fn entries_that_lose_their_values_stay_apart_from_those_that_keep_them() {
        assert_eq!(
            detached(b"<</K 7 0 R/T 8 0 R/S/Form/Parent 7 0 R>>"),
            "<<  /S/Form >>"
        );
        assert_eq!(
            detached(b"<</Kids[7 0 R 9 0 R]/K 7 0 R/S/Form>>"),
            "<</Kids [9 0 R] /S/Form>>"
        );
    }
}
