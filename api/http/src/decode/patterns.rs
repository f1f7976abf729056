//! What texts look like, as regular expressions of ECMA-262.

use serde_json::{Value, json};

/// A character that leaves a mark: no white space, no control character, and
/// none of the Basic Multilingual Plane that is drawn as nothing. Those beyond
/// it have no notation that every dialect of patterns shares.
const VISIBLE: &str = "[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8]";
/// A character of a line: neither a control character nor a turn of direction.
pub(super) const OF_LINE: &str = "[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]";
/// The same of several lines, in which tabs and line breaks stand too.
pub(super) const OF_LINES: &str =
    "[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]";
/// Characters that a file name may not have, for a class of a pattern.
const NOT_IN_FILE_NAMES: &str = "/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069";
/// Base64 (RFC 4648, 4) whose last group has no bits too many.
pub(super) const BASE64: &str =
    "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";

/// At most `longest` such characters, of which one can be seen.
pub(super) fn visible(longest: usize, character: &str) -> Value {
    json!({
        "type": "string",
        "maxLength": longest,
        "minLength": 1,
        "pattern": format!("^{character}*{VISIBLE}{character}*$"),
    })
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
