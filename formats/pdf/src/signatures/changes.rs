//! Changes in the revisions after a signature (ISO 32000-2, 12.8.2.2.2).
//!
//! These changes are explained: a new signature field with its value and
//! widget; values and appearances of form fields; annotations where permitted;
//! the structure element of a new field's widget; validation data in the
//! catalog's `/DSS`; metadata; the document information dictionary. Objects
//! unreachable from the trailer, such as the file's own bookkeeping, are
//! explained too. A changed object must not be reachable in any other way.
//! Every other change altered signed content.

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
    /// Returns the first unexplained or unpermitted change after an offset, as
    /// a sentence; `None` if a signature that covers everything up to there
    /// remains valid.
    pub(crate) fn unexplained_after(
        &self,
        end: usize,
        permissions: &Permissions,
    ) -> Result<Option<String>, Refusal> {
        Ok(self.compare(end, permissions)?.err())
    }

    /// Returns the changes after an offset, permitted or not.
    pub(crate) fn changes_after(
        &self,
        end: usize,
        permissions: &Permissions,
    ) -> Result<LaterChanges, Refusal> {
        Ok(match self.compare(end, permissions)? {
            Ok(kind) => LaterChanges::permitted(kind),
            Err(change) => LaterChanges {
                // Changes beyond even the most lenient permissions, or a failed
                // second comparison, count as other changes.
                kind: match self.compare(end, &Permissions::everything()) {
                    Ok(Ok(kind)) => kind,
                    Ok(Err(_)) | Err(_) => ChangeKind::Other,
                },
                unpermitted: Some(change),
            },
        })
    }

    /// Returns the kind of changes after an offset, or the first unpermitted
    /// one.
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

    /// Refuses unexplained changes of reachable objects. Unreachable ones show
    /// nothing: object streams, cross-reference streams and unused objects.
    /// Every object is checked, because a reference to a missing object may now
    /// resolve.
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
