//! Remarks to callers and signers on accepted documents.

use parafa_plugin_host::{Refusal, Report, note, on_one_line};

/// Longest remark on a document, in bytes.
const LONGEST_REMARK: usize = 1000;

/// Notes that are reported to callers.
const TOLD: [&str; 4] = [
    note::JAVASCRIPT,
    note::LAUNCH,
    note::SIGNATURE_BROKEN,
    note::SIGNATURE_UNSUPPORTED,
];

/// Refusals of documents that act on their own, which are reported unchanged for
/// files in containers.
const OF_ACTIONS: [&str; 2] = ["auto-submit", "launch-action"];

/// Remark on other refusals, before their own words.
const NOT_TOLD: &str = "It is unknown whether the document contains JavaScript.";

/// Remarks on a document, or on the files of a container.
#[derive(Default)]
pub(crate) struct Told {
    /// Remarks to the caller.
    pub(crate) remarks: Vec<String>,
    /// There are scripts, which is reported to signers.
    pub(crate) has_scripts: bool,
}

impl Told {
    pub(super) fn of(report: &Report) -> Self {
        let notes = report.notes.iter();
        let told = notes.filter(|note| TOLD.contains(&&*note.code));
        let remarks = told.map(|note| remark(&note.detail));
        let mut notes = report.notes.iter();
        Self {
            remarks: remarks.collect(),
            has_scripts: notes.any(|note| note.code == note::JAVASCRIPT),
        }
    }

    /// Returns the remarks on a file that is refused and accepted nevertheless.
    /// Less strict programs may open it, and run its scripts.
    pub(super) fn of_refused(refusal: &Refusal, has_scripts: bool) -> Self {
        let is_of_action = OF_ACTIONS.contains(&&*refusal.code);
        let detail = &refusal.detail;
        let told = match is_of_action {
            true => remark(detail),
            false => remark(&format!("{NOT_TOLD} {detail}")),
        };
        Self {
            remarks: vec![told],
            has_scripts: is_of_action && has_scripts,
        }
    }

    /// Joins these with the remarks on the files in the document.
    pub(super) fn and(mut self, of_files: Self) -> Self {
        self.remarks.extend(of_files.remarks);
        self.has_scripts |= of_files.has_scripts;
        self
    }

    /// Adds the remarks on the file `name`.
    pub(super) fn add(&mut self, name: &str, of_file: Self) {
        let remarks = of_file.remarks.into_iter();
        self.remarks
            .extend(remarks.map(|remark| format!("{name}: {remark}")));
        self.has_scripts |= of_file.has_scripts;
    }
}

fn remark(detail: &str) -> String {
    on_one_line(detail, LONGEST_REMARK).into_owned()
}
