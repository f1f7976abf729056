//! Which calls of plugins there were.

use std::mem::take;
use std::sync::Mutex;

use parafa_plugin_host::{CallObserver, EndedCall, Urgency};

/// The calls of a site's plugins, and how urgent each was.
#[derive(Debug, Default)]
pub(crate) struct Calls(Mutex<Vec<(&'static str, Urgency)>>);

impl Calls {
    /// Those since this was asked last.
    pub(crate) fn take(&self) -> Vec<(&'static str, Urgency)> {
        take(&mut *self.0.lock().unwrap())
    }
}

impl CallObserver for Calls {
    fn ended(&self, call: &EndedCall<'_>) {
        let call = (call.operation, call.urgency);
        self.0.lock().unwrap().push(call);
    }
}
