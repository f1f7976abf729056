//! What callers and signers are told of documents that are taken all the same.

use parafa_plugin_host::{Report, note, on_one_line};

/// Longest remark on a document, in bytes.
const LONGEST_REMARK: usize = 1000;

/// The notes that callers are told.
const TOLD: [&str; 4] = [
    note::JAVASCRIPT,
    note::LAUNCH,
    note::SIGNATURE_BROKEN,
    note::SIGNATURE_UNSUPPORTED,
];

/// What is told of a document, or of the files of a container.
#[derive(Default)]
pub(crate) struct Told {
    /// What the caller is told.
    pub(crate) remarks: Vec<String>,
    /// Whether there are scripts, which signers are told.
    pub(crate) has_scripts: bool,
}

impl Told {
    pub(super) fn of(report: &Report) -> Self {
        let notes = report.notes.iter();
        let told = notes.filter(|note| TOLD.contains(&&*note.code));
        let remarks = told.map(|note| on_one_line(&note.detail, LONGEST_REMARK).into_owned());
        let mut notes = report.notes.iter();
        Self {
            remarks: remarks.collect(),
            has_scripts: notes.any(|note| note.code == note::JAVASCRIPT),
        }
    }

    /// Adds what is told of the file `name`.
    pub(super) fn add(&mut self, name: &str, of_file: Self) {
        let remarks = of_file.remarks.into_iter();
        self.remarks
            .extend(remarks.map(|remark| format!("{name}: {remark}")));
        self.has_scripts |= of_file.has_scripts;
    }
}
