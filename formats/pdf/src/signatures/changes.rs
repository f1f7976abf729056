//! What the revisions after a signature changed (ISO 32000-2, 12.8.2.2.2).
//!
//! A change is explained when it is one of: a new signature field with its
//! value and widget, values and appearances of form fields, annotations where
//! they are permitted, the structure element of a new field's widget, validation
//! data in the catalog's `/DSS`, metadata, the document information dictionary,
//! and what the trailer does not lead to, such as the file's own bookkeeping. It
//! must be reached by no other way than that one. Everything else changed what
//! was signed.

mod annotations;
mod appearances;
mod catalog;
mod comparison;
mod confinement;
mod detector;
mod fields;
mod form;
mod items;
mod new_fields;
mod number_tree;
mod references;
mod sources;
mod structure_tree;
mod values;

use parafa_format_core::{ChangeKind, LaterChanges, Refusal};

use self::comparison::{Comparison, Stop};
pub(crate) use self::detector::ChangeDetector;
use super::Permissions;

impl ChangeDetector<'_, '_> {
    /// The first change after an offset that nothing explains or permits, as a
    /// sentence; `None` when a signature that covers everything up to there
    /// still says what it said.
    pub(crate) fn unexplained_after(
        &self,
        end: usize,
        permissions: &Permissions,
    ) -> Result<Option<String>, Refusal> {
        Ok(self.compare(end, permissions)?.err())
    }

    /// What was changed after an offset, whether that is permitted or not.
    pub(crate) fn changes_after(
        &self,
        end: usize,
        permissions: &Permissions,
    ) -> Result<LaterChanges, Refusal> {
        Ok(match self.compare(end, permissions)? {
            Ok(kind) => LaterChanges::permitted(kind),
            Err(change) => LaterChanges {
                // What not even the most lenient signature permits is something
                // else, also where it cannot be looked at once more.
                kind: match self.compare(end, &Permissions::everything()) {
                    Ok(Ok(kind)) => kind,
                    Ok(Err(_)) | Err(_) => ChangeKind::Other,
                },
                unpermitted: Some(change),
            },
        })
    }

    /// What was changed after an offset, or the first change that is not
    /// permitted.
    fn compare(
        &self,
        end: usize,
        permissions: &Permissions,
    ) -> Result<Result<ChangeKind, String>, Refusal> {
        if end >= self.file.end() {
            return Ok(Ok(ChangeKind::None));
        }
        let Some(old) = self.file.revision_ending_at(end) else {
            return Ok(Err(format!("No revision ends at byte {end}.")));
        };
        let mut comparison = Comparison::new(self, permissions, old)?;
        if comparison.changed.is_empty() && comparison.has_same_roots() {
            return Ok(Ok(ChangeKind::None));
        }
        match comparison.explain() {
            Ok(()) => Ok(Ok(comparison.kind)),
            Err(Stop::Change(change)) => Ok(Err(change)),
            Err(Stop::Refusal(refusal)) => Err(refusal),
        }
    }
}

impl Comparison<'_, '_, '_> {
    fn explain(&mut self) -> Result<(), Stop> {
        self.explain_information()?;
        self.explain_catalog()?;
        self.explain_fields()?;
        self.explain_appearances()?;
        self.explain_annotations()?;
        self.explain_structure()?;
        self.refuse_unexplained()?;
        self.confine()
    }

    /// What nothing leads to shows nothing, however it changed: object streams,
    /// cross-reference streams and what is out of use. A reference that led
    /// nowhere before would lead somewhere now, so every object is asked.
    fn refuse_unexplained(&self) -> Result<(), Stop> {
        let references = self.detector.references()?;
        let unexplained = self
            .changed
            .iter()
            .find(|(number, _)| !self.explained.contains_key(number) && references.reach(**number));
        match unexplained {
            None => Ok(()),
            Some((number, change)) => Err(Stop::Change(match (&change.old, &change.new) {
                (None, _) => {
                    format!("The object {number} was added, and no permitted change leads to it.")
                }
                (_, None) => format!("The object {number} was removed."),
                _ => format!("The object {number} was changed."),
            })),
        }
    }
}
