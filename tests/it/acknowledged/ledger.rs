use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;

/// All operations acknowledged to callers. They are in memory and, if requested, in a file that can
/// be read during a run.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<State>);

#[derive(Default)]
struct State {
    entries: BTreeMap<String, Entry>,
    changes: u64,
    file: Option<File>,
}

/// One object that callers have made, and their knowledge of it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) subject: Subject,
    /// The address to which its events are posted.
    pub(crate) hook: Option<String>,
    /// The acknowledged steps, in their order; never empty.
    pub(crate) reached: Vec<Step>,
    /// The requested steps, whether acknowledged or not.
    pub(crate) asked: Vec<Step>,
    /// Digest of the document or package that a caller has read.
    pub(crate) sha256: Option<String>,
    /// The number of its last change in the ledger.
    pub(crate) change: u64,
    #[serde(skip)]
    pub(crate) at: Option<Instant>,
}

/// The subject of an entry.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Subject {
    /// A document that one person signs.
    Signing,
    /// An identification package.
    Order {
        /// The subject of the package.
        holder: &'static str,
    },
    /// A login of a person.
    Authentication { is_by_phone: bool },
    /// A question to the registers, under the id of the request that was answered.
    Question {
        /// Earlier attempts of the request: if one was charged, its answer was kept for this one.
        earlier: Vec<String>,
    },
}

/// The steps in the life of an object.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    Created,
    Completed,
    Failed,
    Cancelled,
    Erased,
}

impl Ledger {
    /// Creates a ledger that appends each change to a new file, a line of JSON each.
    pub(crate) fn in_file(path: &Path) -> Self {
        let file = File::create(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let state = State {
            file: Some(file),
            ..State::default()
        };
        Self(Mutex::new(state))
    }

    /// Records a new object and its first step.
    pub(crate) fn begin(&self, id: &str, subject: Subject, hook: Option<&str>, step: Step) {
        let entry = Entry {
            id: id.to_owned(),
            subject,
            hook: hook.map(str::to_owned),
            reached: vec![step],
            asked: vec![step],
            sha256: None,
            change: 0,
            at: None,
        };
        let mut state = self.state();
        let before = state.entries.insert(id.to_owned(), entry);
        assert!(before.is_none(), "{id} was made twice");
        state.note(id, |_| {});
    }

    /// Records that a step is requested.
    pub(crate) fn asks(&self, id: &str, step: Step) {
        self.state().note(id, |entry| entry.asked.push(step));
    }

    /// Records that a step is acknowledged.
    pub(crate) fn reached(&self, id: &str, step: Step) {
        self.state().note(id, |entry| entry.reached.push(step));
    }

    /// Records that the end is acknowledged, with this document.
    pub(crate) fn completed(&self, id: &str, sha256: &str) {
        self.state().note(id, |entry| {
            entry.reached.push(Step::Completed);
            entry.sha256 = Some(sha256.to_owned());
        });
    }

    /// Returns all entries.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.state().entries.values().cloned().collect()
    }

    /// Returns the entries changed since this change, and the number of the last change.
    pub(crate) fn changed_since(&self, change: u64) -> (Vec<Entry>, u64) {
        let state = self.state();
        let entries = state.entries.values();
        let changed = entries.filter(|entry| entry.change > change).cloned();
        (changed.collect(), state.changes)
    }

    /// Returns an entry in its current state.
    pub(crate) fn entry(&self, id: &str) -> Entry {
        self.state().entries[id].clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn note(&mut self, id: &str, change: impl FnOnce(&mut Entry)) {
        self.changes += 1;
        let entry = self.entries.get_mut(id);
        let entry = entry.unwrap_or_else(|| panic!("{id} is unknown"));
        change(entry);
        entry.change = self.changes;
        entry.at = Some(Instant::now());
        if let Some(file) = &mut self.file {
            let line = serde_json::to_string(entry).expect("JSON");
            writeln!(file, "{line}").expect("the ledger is written");
        }
    }
}

impl Entry {
    /// Returns the last acknowledged step.
    pub(crate) fn step(&self) -> Step {
        self.reached.last().copied().expect("one at least")
    }

    /// Returns true if a step was acknowledged, perhaps with others after it.
    pub(crate) fn has_reached(&self, step: Step) -> bool {
        self.reached.contains(&step)
    }

    /// Returns true if a step was requested, so that it may have been carried out.
    pub(crate) fn may_have_reached(&self, step: Step) -> bool {
        self.asked.contains(&step)
    }
}
