//! Output of commands. A reader that closes the pipe is no fault: the command ends as usual.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use anyhow::Context;
use parafa_plugin_host::on_one_line;
use serde::Serialize;

/// Longest displayed text of a document or a plugin, in bytes.
const LONGEST_SHOWN: usize = 1024;

/// Returns a name from a document, a certificate or a plugin for display. It is on one line and
/// without terminal control characters, so that it cannot imitate the command's own output.
pub fn shown(text: &str) -> Cow<'_, str> {
    on_one_line(text, LONGEST_SHOWN)
}

/// Like `shown`, without a length limit, for a text that was accepted already.
pub fn shown_whole(text: &str) -> Cow<'_, str> {
    on_one_line(text, usize::MAX)
}

/// Prints a line for people.
pub fn print_line(text: impl Display) -> anyhow::Result<()> {
    is_read(writeln!(io::stdout().lock(), "{text}"))?;
    Ok(())
}

/// Prints JSON for programs.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print_line(serde_json::to_string_pretty(value)?)
}

/// Prints a warning to standard error.
pub fn warn(text: impl Display) {
    print_aside(format_args!("parafa: {text}"));
}

/// Prints a line to standard error.
pub fn print_aside(text: impl Display) {
    // If standard error is closed, the line is dropped.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Returns false if the reader has closed the pipe.
pub fn is_read(written: io::Result<()>) -> anyhow::Result<bool> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        written => {
            written.context("standard output")?;
            Ok(true)
        }
    }
}
