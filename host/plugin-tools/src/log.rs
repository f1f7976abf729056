//! The plugins' log, for the person who runs them.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use parafa_plugin_host::{CallObserver, LogLevel};
use serde::Serialize;

/// The lines of all calls, in their order.
#[derive(Debug, Default)]
pub(crate) struct CapturedLog(Mutex<Vec<Line>>);

/// One line.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Line {
    level: &'static str,
    message: String,
}

impl CapturedLog {
    pub(crate) fn lines(&self) -> Vec<Line> {
        // Poisoning is ignored: no code panics while it holds the lock.
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl CallObserver for CapturedLog {
    fn logged(&self, level: LogLevel, line: &str) {
        let line = Line {
            level: level.name(),
            message: line.to_owned(),
        };
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(line);
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<5} {}", self.level, self.message)
    }
}
