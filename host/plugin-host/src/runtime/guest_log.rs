use std::sync::Arc;

use crate::contract::text::{self, SENTENCE_BYTES};
use crate::{CallLimits, CallObserver, LogLevel, PluginDigest};

/// The log lines of one call: bounded, on one line each, and always under the
/// plugin's name and digest.
#[derive(Debug)]
pub(crate) struct GuestLog {
    plugin: String,
    digest: PluginDigest,
    observer: Arc<dyn CallObserver>,
    lines_left: usize,
    bytes_left: usize,
    last_error: Option<String>,
}

impl GuestLog {
    pub(crate) fn new(
        plugin: String,
        digest: PluginDigest,
        observer: Arc<dyn CallObserver>,
        limits: &CallLimits,
    ) -> Self {
        Self {
            plugin,
            digest,
            observer,
            lines_left: limits.log_lines,
            bytes_left: limits.log_bytes,
            last_error: None,
        }
    }

    pub(crate) fn write(&mut self, level: LogLevel, message: &str) {
        // Kept even when the log is full: it may be the message of a panic.
        if level == LogLevel::Error {
            self.last_error = Some(text::line(message, SENTENCE_BYTES).into_owned());
        }
        let Some(line) = self.admit(message) else {
            return;
        };
        self.observer.logged(level, &line);
        let (plugin, digest) = (&self.plugin, &self.digest);
        match level {
            LogLevel::Debug => {
                tracing::debug!(plugin.id = plugin, plugin.digest = %digest, "plugin: {line}");
            }
            LogLevel::Error => {
                tracing::error!(plugin.id = plugin, plugin.digest = %digest, "plugin: {line}");
            }
            LogLevel::Info => {
                tracing::info!(plugin.id = plugin, plugin.digest = %digest, "plugin: {line}");
            }
            LogLevel::Warn => {
                tracing::warn!(plugin.id = plugin, plugin.digest = %digest, "plugin: {line}");
            }
        }
    }

    /// Returns the last error line, which is a panic's message if the plugin has ended with one.
    pub(crate) fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }

    /// Returns the line without control characters, cut to the remaining room.
    fn admit(&mut self, message: &str) -> Option<String> {
        if self.lines_left == 0 || self.bytes_left == 0 {
            return None;
        }
        let line = text::line(message, self.bytes_left).into_owned();
        self.lines_left -= 1;
        self.bytes_left = self.bytes_left.saturating_sub(message.len());
        if self.lines_left == 0 || self.bytes_left == 0 {
            self.bytes_left = 0;
            tracing::warn!(plugin.id = self.plugin, plugin.digest = %self.digest, "plugin logs too much, dropping the rest");
        }
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unobserved;

    fn log(limits: &CallLimits) -> GuestLog {
        let digest = PluginDigest::of(b"");
        GuestLog::new("toy".into(), digest, Arc::new(Unobserved), limits)
    }

    #[test]
    fn lines_past_the_limits_are_dropped() {
        let mut log = log(&CallLimits {
            log_lines: 3,
            log_bytes: 9,
            ..CallLimits::default()
        });

        assert_eq!(log.admit("eins"), Some("eins".into()));
        assert_eq!(log.admit("zw\u{f6}lf"), Some("zw\u{f6}l…".into()));
        assert_eq!(log.admit("drei"), None);
    }
}
