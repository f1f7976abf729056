//! Page annotations: widgets of new signature fields, and other annotations
//! where these may change.

use std::collections::BTreeSet;

use parafa_format_core::ChangeKind;

use super::super::AccessPermission;
use super::comparison::{ChangeScope, Comparison, SharedLists, Stop};
use super::detector::Page;
use super::sources::entries;
use super::values::refuse_other_keys;
use crate::structure::{FieldKind, ObjectSource, RawObject, as_name, as_reference};

impl Comparison<'_, '_, '_> {
    /// Explains existing pages that differ only in their annotations.
    pub(super) fn explain_annotations(&mut self) -> Result<(), Stop> {
        let detector = self.detector;
        let is_widget = |number: &u32| {
            let field = detector.field(*number);
            field.is_some_and(|field| {
                field.kind == FieldKind::Signature
                    && (self.is_added(*number) || self.shows_new_signature(field))
            })
        };
        let changed = self.changed.keys().copied();
        let signature_widgets: BTreeSet<u32> = changed.filter(is_widget).collect();
        for page in &detector.pages {
            let array_changed = page
                .annotations
                .is_some_and(|number| self.changed.contains_key(&number));
            if self.changed.contains_key(&page.number) || array_changed {
                self.explain_page(page, &signature_widgets)?;
            }
        }
        if self.permissions.access == AccessPermission::Annotations {
            self.explain_changed_annotations()?;
        }
        Ok(())
    }

    fn explain_page(
        &mut self,
        &Page { number, .. }: &Page,
        signature_widgets: &BTreeSet<u32>,
    ) -> Result<(), Stop> {
        let (Some(old), Some(new)) = (self.old.raw(number)?, self.file.newest().raw(number)?)
        else {
            return Ok(());
        };
        if old.data != new.data {
            return Err(Stop::Change(format!("The page {number} was changed.")));
        }
        let (old, new) = (entries(&old.bytes)?, entries(&new.bytes)?);
        refuse_other_keys(&format!("page {number}"), &old, &new, &[&[b"Annots"]])?;
        let (old_items, new_items) = (old.value(b"Annots"), new.value(b"Annots"));
        let lists = shared_lists(old_items, new_items);
        if lists.is_some_and(|lists| self.permitted_lists.contains(&lists)) {
            self.permit_reference(number, b"Annots", new_items.unwrap_or_default())?;
            self.explain_as(number, ChangeScope::Page);
            return Ok(());
        }
        let differing = self.differing_items((number, b"Annots"), old_items, new_items)?;
        let annotations: Option<Vec<u32>> = differing.map(|differing| {
            let is_widget = |item: &u32| signature_widgets.contains(item);
            let added = differing.added.into_iter().filter(|item| !is_widget(item));
            added.chain(differing.removed).collect()
        });
        let permitted =
            annotations.filter(|items| items.iter().all(|item| self.may_annotate(*item)));
        let Some(annotations) = permitted else {
            return Err(Stop::Change(format!(
                "The annotations of the page {number} were changed."
            )));
        };
        if !annotations.is_empty() {
            self.find(ChangeKind::Annotations);
        }
        self.permitted_lists.extend(lists);
        self.explain_as(number, ChangeScope::Page);
        Ok(())
    }

    /// Explains annotations that were added, removed or rewritten, with objects
    /// reachable only through them.
    fn explain_changed_annotations(&mut self) -> Result<(), Stop> {
        let annotations: Vec<(u32, Option<ObjectSource<'_>>)> = self
            .changed
            .iter()
            .filter(|(number, _)| self.may_annotate(**number))
            .map(|(number, change)| {
                let new = change.new.as_ref().map(|new| new.bytes.clone());
                (*number, new)
            })
            .collect();
        let references = self.detector.references()?;
        for (number, _) in &annotations {
            self.explain_as(*number, ChangeScope::Annotation);
            if references.reach(*number) {
                self.find(ChangeKind::Annotations);
            }
        }
        for new in annotations.iter().filter_map(|(_, new)| new.as_ref()) {
            self.explain_added(new)?;
        }
        Ok(())
    }

    /// Returns whether an object is, and was, an annotation that may change.
    fn may_annotate(&self, number: u32) -> bool {
        self.permissions.access == AccessPermission::Annotations
            && match self.changed.get(&number) {
                Some(change) => {
                    change.old.as_ref().is_none_or(is_annotation)
                        && change.new.as_ref().is_none_or(is_annotation)
                }
                None => matches!(self.old.raw(number), Ok(Some(object)) if is_annotation(&object)),
            }
    }
}

/// Returns the old and new `/Annots` arrays of a page if other pages may share
/// them: both are indirect objects, or there was none before.
fn shared_lists(old: Option<&[u8]>, new: Option<&[u8]>) -> Option<SharedLists> {
    let old = old
        .map(|old| as_reference(old).ok_or(()))
        .transpose()
        .ok()?;
    Some((old, new.and_then(as_reference)?))
}

/// Returns whether an object is an annotation other than a widget (ISO 32000-2,
/// 12.5.2). Fields have rules of their own.
pub(super) fn is_annotation(object: &RawObject<'_>) -> bool {
    object.data.is_none()
        && entries(&object.bytes).is_ok_and(|entries| {
            let subtype = entries.value(b"Subtype").and_then(as_name);
            let is_typed = entries
                .value(b"Type")
                .is_none_or(|written| as_name(written).is_some_and(|name| name == b"Annot"));
            entries.value(b"Rect").is_some()
                && subtype.is_some_and(|subtype| subtype != b"Widget")
                && is_typed
        })
}
