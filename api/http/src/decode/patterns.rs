//! Text patterns, as regular expressions of ECMA-262.

use std::fmt::Write as _;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::text::{self, Kind};

/// A character that leaves a mark.
static VISIBLE: LazyLock<String> = LazyLock::new(|| none_of("", |kind| !kind.is_visible()));
/// A character of a line, of several lines, and of a file name.
static IN_LINE: LazyLock<String> =
    LazyLock::new(|| none_of("", |kind| matches!(kind, Kind::Break | Kind::Disturbing)));
static IN_LINES: LazyLock<String> = LazyLock::new(|| none_of("", |kind| kind == Kind::Disturbing));
static IN_FILE_NAME: LazyLock<String> = LazyLock::new(|| {
    none_of("/\\\\", |kind| {
        matches!(kind, Kind::Break | Kind::Disturbing)
    })
});

/// The characters of a text.
pub(super) struct Characters {
    /// Pattern of one of the characters.
    one: &'static LazyLock<String>,
    /// Returns true if a text has other characters.
    pub(super) disturb: fn(&str) -> bool,
    /// The fault of a text that has other characters.
    pub(super) otherwise: &'static str,
}

/// Characters that leave the line and its direction as they are.
pub(super) static LINE: Characters = Characters {
    one: &IN_LINE,
    disturb: text::disturbs_line,
    otherwise: "must be one line without control or directional formatting characters",
};
/// The same, with tabs and line breaks.
pub(super) static LINES: Characters = Characters {
    one: &IN_LINES,
    disturb: text::disturbs_lines,
    otherwise: "must have no directional formatting characters, and no control characters but tabs and line breaks",
};
/// Base64 (RFC 4648, 4) whose last group has no excess bits, with line breaks anywhere.
pub(super) const BASE64: &str = "^[\\r\\n]*(([A-Za-z0-9+/][\\r\\n]*){4})*([A-Za-z0-9+/][\\r\\n]*([AQgw][\\r\\n]*=[\\r\\n]*=|[A-Za-z0-9+/][\\r\\n]*[AEIMQUYcgkosw048][\\r\\n]*=)[\\r\\n]*)?$";
/// Base64 of either alphabet, padded or not, with line breaks anywhere.
pub(super) const ANY_BASE64: &str = "^[A-Za-z0-9+/_\\r\\n-]+(=[\\r\\n]*){0,2}$";

impl Characters {
    /// Schema of at most `longest` of the characters.
    pub(super) fn any(&self, longest: usize) -> Value {
        let pattern = format!("^{}*$", **self.one);
        json!({"type": "string", "maxLength": longest, "pattern": pattern})
    }

    /// The same, with at least one visible character.
    pub(super) fn visible(&self, longest: usize) -> Value {
        let (one, seen) = (&**self.one, &*VISIBLE);
        let pattern = format!("^{one}*{seen}{one}*$");
        json!({"type": "string", "maxLength": longest, "minLength": 1, "pattern": pattern})
    }
}

/// A name of a file with one of these extensions, in either case.
#[must_use]
pub fn file_name_pattern(extensions: &[&str]) -> String {
    let alternatives: Vec<_> = extensions
        .iter()
        .map(|extension| in_either_case(extension))
        .collect();
    format!("^{}+\\.({})$", *IN_FILE_NAME, alternatives.join("|"))
}

/// A class of all characters except `others` and those of the Basic Multilingual Plane that are of
/// these kinds. No notation for characters beyond it is common to all pattern dialects.
fn none_of(others: &str, is_out: impl Fn(Kind) -> bool) -> String {
    let is_out = |unit: &u16| char::from_u32((*unit).into()).is_some_and(|c| is_out(Kind::of(c)));
    let units: Vec<u16> = (0..=u16::MAX).filter(is_out).collect();
    let mut class = format!("[^{others}");
    for run in units.chunk_by(|unit, next| unit.abs_diff(*next) == 1) {
        let [first, .., last] = run else {
            // Writing to a string does not fail.
            let _ = write!(class, "\\u{:04x}", run[0]);
            continue;
        };
        let _ = write!(class, "\\u{first:04x}-\\u{last:04x}");
    }
    class.push(']');
    class
}

fn in_either_case(text: &str) -> String {
    text.chars()
        .map(|c| format!("[{c}{}]", c.to_ascii_uppercase()))
        .collect()
}
