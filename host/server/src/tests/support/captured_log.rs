//! Captured operator's log.

use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex};

use tracing::subscriber::DefaultGuard;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;

use crate::json_log::WithSources;
use crate::log_filter::log_filter;

/// Log of this thread during the value's lifetime.
pub(crate) struct Log {
    written: Written,
    _guard: DefaultGuard,
}

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub(crate) fn open() -> Self {
        let written = Written::default();
        let writer = written.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish()
            .with(filter());
        Self {
            written,
            _guard: tracing::subscriber::set_default(subscriber),
        }
    }

    /// Captures the log in JSON.
    pub(crate) fn in_json() -> Self {
        let written = Written::default();
        let writer = written.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .json()
            .map_event_format(WithSources)
            .finish()
            .with(filter());
        Self {
            written,
            _guard: tracing::subscriber::set_default(subscriber),
        }
    }

    /// Returns the output since the last call.
    pub(crate) fn take(&self) -> String {
        let written = mem::take(&mut *self.written.0.lock().unwrap());
        String::from_utf8(written).unwrap()
    }
}

/// Returns the default filter of the server's log.
fn filter() -> Targets {
    log_filter("info").unwrap()
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
