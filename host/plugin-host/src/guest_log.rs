use crate::{CallLimits, PluginDigest};

/// The log lines of one call: bounded, on one line each, and always under the
/// plugin's name and digest.
#[derive(Debug)]
pub(crate) struct GuestLog {
    plugin: String,
    digest: PluginDigest,
    lines_left: usize,
    bytes_left: usize,
    last_error: Option<String>,
}

/// How much a line is worth.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Level {
    Debug,
    Error,
    Info,
    Warn,
}

impl GuestLog {
    pub(crate) fn new(plugin: String, digest: PluginDigest, limits: &CallLimits) -> Self {
        Self {
            plugin,
            digest,
            lines_left: limits.log_lines,
            bytes_left: limits.log_bytes,
            last_error: None,
        }
    }

    pub(crate) fn write(&mut self, level: Level, message: &str) {
        let Some(line) = self.admit(message) else {
            return;
        };
        let (plugin, digest) = (&self.plugin, &self.digest);
        match level {
            Level::Debug => {
                tracing::debug!(plugin.id = plugin, plugin.digest = %digest, "plugin: {line}");
            }
            Level::Error => {
                tracing::error!(plugin.id = plugin, plugin.digest = %digest, "plugin: {line}");
            }
            Level::Info => {
                tracing::info!(plugin.id = plugin, plugin.digest = %digest, "plugin: {line}");
            }
            Level::Warn => {
                tracing::warn!(plugin.id = plugin, plugin.digest = %digest, "plugin: {line}");
            }
        }
        if level == Level::Error {
            self.last_error = Some(line);
        }
    }

    /// The last error line, which is a panic's message when the plugin ends on it.
    pub(crate) fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }

    /// The line as far as there is room for it, without control characters.
    fn admit(&mut self, message: &str) -> Option<String> {
        if self.lines_left == 0 || self.bytes_left == 0 {
            return None;
        }
        let end = message.floor_char_boundary(self.bytes_left);
        let (line, _) = message.split_at(end);
        self.lines_left -= 1;
        self.bytes_left -= end;
        if self.lines_left == 0 || end < message.len() {
            self.bytes_left = 0;
            tracing::warn!(plugin.id = self.plugin, plugin.digest = %self.digest, "plugin logs too much, dropping the rest");
        }
        Some(
            line.chars()
                .map(|character| {
                    if character.is_control() {
                        ' '
                    } else {
                        character
                    }
                })
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_past_the_limits_are_dropped() {
        let limits = CallLimits {
            log_lines: 3,
            log_bytes: 9,
            ..CallLimits::default()
        };
        let mut log = GuestLog::new("toy".into(), PluginDigest::of(b""), &limits);

        assert_eq!(log.admit("eins"), Some("eins".into()));
        assert_eq!(log.admit("zw\u{f6}lf"), Some("zw\u{f6}l".into()));
        assert_eq!(log.admit("drei"), None);
    }

    #[test]
    fn a_line_cannot_pretend_to_be_two() {
        let mut log = GuestLog::new("toy".into(), PluginDigest::of(b""), &CallLimits::default());

        assert_eq!(log.admit("a\nb\x1b[31m"), Some("a b [31m".into()));
    }
}
