//! Settings of the service that can be changed while it runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::{end_result::EndResult, session::Task};
use crate::replacements::Replacements;

/// Settings of the Smart-ID service that can be changed while it runs. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct SmartIdSwitches {
    ends: Arc<Mutex<Ends>>,
    replacements: Replacements,
}

#[derive(Debug, Default)]
struct Ends {
    choices: Option<EndResult>,
    signatures: Option<EndResult>,
}

impl SmartIdSwitches {
    /// Sets the result of every certificate choice, for all persons; with `None` persons decide,
    /// which is the default.
    pub fn end_choices(&self, result: Option<EndResult>) {
        self.ends().choices = result;
    }

    /// Sets the result of every signature, for all persons; with `None` persons decide, which is
    /// the default.
    pub fn end_signatures(&self, result: Option<EndResult>) {
        self.ends().signatures = result;
    }

    /// Replaces a member (RFC 6901) of every answer that has it.
    pub fn replace(&self, pointer: impl Into<String>, value: Value) {
        self.replacements.put(pointer.into(), value);
    }

    /// Leaves answers as they are again.
    pub fn replace_nothing(&self) {
        self.replacements.clear();
    }

    /// Result set for a session, unless persons decide.
    pub(super) fn end_of(&self, task: &Task) -> Option<EndResult> {
        let ends = self.ends();
        match task {
            Task::CertificateChoice(_) => ends.choices,
            Task::Signature(_) | Task::Authentication(_) => ends.signatures,
        }
    }

    pub(super) fn replacements(&self) -> Replacements {
        self.replacements.clone()
    }

    fn ends(&self) -> MutexGuard<'_, Ends> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
