//! What commands print. A reader who has had enough is no fault: the command
//! ends as it would have.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use anyhow::Context;
use parafa_plugin_host::on_one_line;
use serde::Serialize;

/// Longest text of a document or a plugin that people are shown, in bytes.
const LONGEST_SHOWN: usize = 1024;

/// What a document, a certificate or a plugin calls something, as people are
/// shown it: on one line, and with nothing in it that a terminal obeys, so that
/// it cannot pass for words of ours.
pub fn shown(text: &str) -> Cow<'_, str> {
    on_one_line(text, LONGEST_SHOWN)
}

/// The same of a text that has been accepted as it is, however long.
pub fn shown_whole(text: &str) -> Cow<'_, str> {
    on_one_line(text, usize::MAX)
}

/// Prints a line for people.
pub fn print_line(text: impl Display) -> anyhow::Result<()> {
    is_read(writeln!(io::stdout().lock(), "{text}"))?;
    Ok(())
}

/// Prints what a program may read.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print_line(serde_json::to_string_pretty(value)?)
}

/// Tells the operator something beside the answer.
pub fn warn(text: impl Display) {
    print_aside(format_args!("parafa: {text}"));
}

/// Prints a line beside the answer.
pub fn print_aside(text: impl Display) {
    // Whoever closed standard error does not want to be told.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Whether somebody still reads what was written.
pub fn is_read(written: io::Result<()>) -> anyhow::Result<bool> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        written => {
            written.context("standard output")?;
            Ok(true)
        }
    }
}
