//! The text of `trust.toml`, edited line by line: what people wrote around its entries is kept.

use std::fs;
use std::ops::Range;
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;
use toml::Spanned;

use crate::difference::{Added, Difference};
use crate::error::ImportError;
use crate::listed::Window;

/// The name of the file.
pub(crate) const MANIFEST: &str = "trust.toml";

/// The text of `trust.toml`, with the positions of its editable values.
#[derive(Debug)]
pub(crate) struct Manifest {
    text: String,
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Form {
    #[serde(default)]
    certificate: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    file: String,
    sha256: Spanned<String>,
    qualified_from: Option<Spanned<String>>,
    qualified_until: Option<Spanned<String>>,
}

impl Manifest {
    /// Reads that of a folder, which was found to be sound.
    pub(crate) fn read(folder: &Path) -> Result<Self, ImportError> {
        let path = folder.join(MANIFEST);
        let text = fs::read_to_string(&path).map_err(|source| ImportError::Read {
            path: path.clone(),
            source,
        })?;
        // Every line must end in a line feed, so that another may follow.
        let text = match text.ends_with('\n') || text.is_empty() {
            true => text,
            false => text + "\n",
        };
        let form: Form = toml::from_str(&text).map_err(|source| ImportError::Malformed {
            path,
            source: Box::new(source),
        })?;
        Ok(Self {
            text,
            entries: form.certificate,
        })
    }

    /// The files of its entries, in their order.
    pub(crate) fn files(&self) -> Vec<String> {
        let files = self.entries.iter().map(|entry| entry.file.clone());
        files.collect()
    }

    /// The text with the changes and additions of a difference.
    pub(crate) fn with(&self, difference: &Difference) -> String {
        let changed = difference.changed.iter().chain(&difference.withdrawn);
        let mut edits: Vec<Edit> = changed
            .filter_map(|changed| Some((self.entries.get(changed.entry)?, changed.after)))
            .flat_map(|(entry, window)| self.edits(entry, window))
            .collect();
        edits.sort_by_key(|edit| edit.lines.start);
        let mut text = String::new();
        let mut done = 0;
        for edit in edits {
            text.push_str(self.text.get(done..edit.lines.start).unwrap_or_default());
            text.push_str(&edit.text);
            done = done.max(edit.lines.end);
        }
        text.push_str(self.text.get(done..).unwrap_or_default());
        for added in &difference.added {
            text.push_str(&entry_of(added));
        }
        text
    }

    /// Edits that give an entry another window.
    fn edits(&self, entry: &Entry, window: Window) -> Vec<Edit> {
        let keys = [
            ("qualified_from", &entry.qualified_from, window.from),
            ("qualified_until", &entry.qualified_until, window.until),
        ];
        let mut replaced = Vec::new();
        let mut new_lines = String::new();
        for (key, place, value) in keys {
            let line = value.map(|value| line_of(key, value)).unwrap_or_default();
            match place {
                Some(place) => replaced.push(Edit {
                    lines: self.line(place),
                    text: line,
                }),
                None => new_lines.push_str(&line),
            }
        }
        // Insert before the lines that begin at the same position.
        let behind_digest = self.line(&entry.sha256).end;
        let mut edits = vec![Edit {
            lines: behind_digest..behind_digest,
            text: new_lines,
        }];
        edits.extend(replaced);
        edits
    }

    /// The line that contains a value, with its line feed.
    fn line(&self, value: &Spanned<String>) -> Range<usize> {
        let span = value.span();
        let before = self.text.get(..span.start).unwrap_or_default();
        let behind = self.text.get(span.end..).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let end = behind.find('\n').map(|end| span.end + end + 1);
        start..end.unwrap_or(self.text.len())
    }
}

/// Lines that are replaced.
struct Edit {
    lines: Range<usize>,
    text: String,
}

fn line_of(key: &str, value: Timestamp) -> String {
    format!("{key} = \"{value}\"\n")
}

/// A new entry, with the list's description in a comment.
fn entry_of(added: &Added) -> String {
    let mut about = format!(
        "{}: {}, {}.",
        added.territory, added.service, added.provider
    );
    if !added.policies.is_empty() {
        about += &format!(" Policies of the list: {}.", added.policies.join(", "));
    }
    let Window { from, until } = added.window;
    let from = from.map(|from| line_of("qualified_from", from));
    let until = until.map(|until| line_of("qualified_until", until));
    format!(
        "\n# {}\n[[certificate]]\nfile = \"{}\"\nsha256 = \"{}\"\nkind = \"issuing\"\npurposes = [\"{}\"]\n{}{}",
        in_comment(&about),
        added.file,
        added.sha256,
        added.purpose,
        from.unwrap_or_default(),
        until.unwrap_or_default()
    )
}

/// A list's text made safe for a comment: one line of letters, digits, spaces and ASCII
/// punctuation.
fn in_comment(text: &str) -> String {
    let is_plain = |c: char| c == ' ' || c.is_alphanumeric() || c.is_ascii_punctuation();
    let plain = text.chars().map(|c| if is_plain(c) { c } else { '?' });
    plain.collect()
}
