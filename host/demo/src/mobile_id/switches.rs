//! Settings of the service that can be changed while it runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::replacements::Replacements;

/// Settings of the Mobile-ID service that can be changed while it runs. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct MobileIdSwitches {
    result: Arc<Mutex<Option<String>>>,
    replacements: Replacements,
}

impl MobileIdSwitches {
    /// Sets the `result` of every signature, for all persons; with `None` persons decide, which is
    /// the default.
    pub fn end_signatures(&self, result: Option<&str>) {
        *self.ends() = result.map(str::to_owned);
    }

    /// Replaces a member (RFC 6901) of every answer that has it.
    pub fn replace(&self, pointer: impl Into<String>, value: Value) {
        self.replacements.put(pointer.into(), value);
    }

    /// Leaves answers as they are again.
    pub fn replace_nothing(&self) {
        self.replacements.clear();
    }

    pub(super) fn result(&self) -> Option<String> {
        self.ends().clone()
    }

    pub(super) fn replacements(&self) -> Replacements {
        self.replacements.clone()
    }

    fn ends(&self) -> MutexGuard<'_, Option<String>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
