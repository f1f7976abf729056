//! What texts look like, as regular expressions of ECMA-262.

use serde_json::{Value, json};

use super::text;

/// A character that leaves a mark: no white space, no control character, and
/// none of the Basic Multilingual Plane that is drawn as nothing. Those beyond
/// it have no notation that every dialect of patterns shares.
const VISIBLE: &str = "[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8]";
/// The characters of a text.
pub(super) struct Characters {
    /// One of them, as a pattern.
    one: &'static str,
    /// Whether a text has others.
    pub(super) disturb: fn(&str) -> bool,
    /// What is said of a text that has.
    pub(super) otherwise: &'static str,
}

/// Neither control characters nor turns of direction.
pub(super) const LINE: Characters = Characters {
    one: "[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]",
    disturb: text::disturbs_line,
    otherwise: "must be one line without control characters and direction marks",
};
/// The same, with tabs and line breaks.
pub(super) const LINES: Characters = Characters {
    one: "[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]",
    disturb: text::disturbs_lines,
    otherwise: "must have no control characters but tabs and line breaks, and no direction marks",
};
/// Characters that a file name may not have, for a class of a pattern.
const NOT_IN_FILE_NAMES: &str = "/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069";
/// Base64 (RFC 4648, 4) whose last group has no bits too many, with line breaks
/// anywhere.
pub(super) const BASE64: &str = "^[\\r\\n]*(([A-Za-z0-9+/][\\r\\n]*){4})*([A-Za-z0-9+/][\\r\\n]*([AQgw][\\r\\n]*=[\\r\\n]*=|[A-Za-z0-9+/][\\r\\n]*[AEIMQUYcgkosw048][\\r\\n]*=)[\\r\\n]*)?$";
/// Base64 of either alphabet, padded or not, with line breaks anywhere.
pub(super) const ANY_BASE64: &str = "^[A-Za-z0-9+/_\\r\\n-]+(=[\\r\\n]*){0,2}$";

impl Characters {
    /// At most `longest` of them.
    pub(super) fn any(&self, longest: usize) -> Value {
        let pattern = format!("^{}*$", self.one);
        json!({"type": "string", "maxLength": longest, "pattern": pattern})
    }

    /// The same, of which one can be seen.
    pub(super) fn visible(&self, longest: usize) -> Value {
        let one = self.one;
        let pattern = format!("^{one}*{VISIBLE}{one}*$");
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
    format!("^[^{NOT_IN_FILE_NAMES}]+\\.({})$", alternatives.join("|"))
}

fn in_either_case(text: &str) -> String {
    text.chars()
        .map(|c| format!("[{c}{}]", c.to_ascii_uppercase()))
        .collect()
}
