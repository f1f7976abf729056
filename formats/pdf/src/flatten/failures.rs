//! Fields that cannot be drawn.

use std::collections::BTreeSet;

use lopdf::ObjectId;
use parafa_format_core::{Refusal, refusal};

use super::field::Fields;
use super::verdict::Reason;
use super::widget::Annotation;
use crate::structure::PdfFile;

/// Advice to the author of the document.
const ADVICE: &str = "Let the library that fills in the form make the appearances \
    (such as updateFieldAppearances, generate_appearances, refreshAppearances) and leave \
    out /NeedAppearances; docs/flattening.md has the calls.";

/// Fields that cannot be drawn, each listed once with its first reason.
pub(super) struct Failures {
    widgets: BTreeSet<ObjectId>,
    names: BTreeSet<String>,
    subjects: Vec<String>,
    /// Remaining byte budget for field names.
    remaining_bytes: usize,
}

impl Failures {
    pub(super) fn new(file: &PdfFile<'_>) -> Self {
        Self {
            widgets: BTreeSet::new(),
            names: BTreeSet::new(),
            subjects: Vec::new(),
            remaining_bytes: file.limits().field_name_bytes,
        }
    }

    /// Records why a widget of a page cannot be drawn.
    ///
    /// # Errors
    /// `form-tree` when the names of all fields together are too long.
    pub(super) fn add<'f>(
        &mut self,
        fields: &Fields<'f, '_>,
        page: usize,
        widget: &Annotation<'f>,
        reason: Reason,
    ) -> Result<(), Refusal> {
        if widget.id.is_some_and(|id| !self.widgets.insert(id)) {
            return Ok(());
        }
        let name = fields.name(widget, &mut self.remaining_bytes)?;
        let name = name.unwrap_or_else(|| format!("(unnamed p{page} #{})", widget.index));
        if !self.names.contains(&name) {
            self.subjects.push(format!("{name}: {reason}"));
            self.names.insert(name);
        }
        Ok(())
    }

    /// Returns one entry per field, in the order of insertion.
    pub(super) fn into_subjects(self) -> Vec<String> {
        self.subjects
    }

    /// # Errors
    /// `flatten-refused` when there is any.
    pub(super) fn into_result(self) -> Result<(), Refusal> {
        let detail = match self.subjects.len() {
            0 => return Ok(()),
            1 => format!(
                "One field cannot be drawn as readers show it; nothing was flattened. {ADVICE}"
            ),
            count => {
                format!(
                    "{count} fields cannot be drawn as readers show them; nothing was flattened. {ADVICE}"
                )
            }
        };
        Err(Refusal {
            subjects: self.subjects,
            ..Refusal::new(refusal::FLATTEN_REFUSED, detail)
        })
    }
}
