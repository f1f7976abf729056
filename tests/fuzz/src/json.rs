//! JSON that is nearly valid for a reader: a sound text with a few edits, which the input chooses.

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use serde_json::Value;

/// Most edits of one text: more would destroy it.
const MOST_EDITS: usize = 8;
/// Longest string that an edit takes from the input, in bytes.
const LONGEST_STRING: usize = 64;

/// Values, as written, that readers interpret differently.
const HOSTILE: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-1",
    "-0.0",
    "1.0",
    "1e400",
    "1e-400",
    "18446744073709551616",
    "01",
    "NaN",
    "\"\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\u202e\"",
    "\"\\/\"",
    "'a'",
    "[]",
    "{}",
    "[[]]",
    "{\"\":{}}",
    "{\"a\":1,\"a\":2}",
    "",
];

/// A JSON text as a tree. It can represent what `serde_json::Value` cannot: repeated members, and
/// numbers and strings in any spelling.
#[derive(Clone)]
enum Json {
    Scalar(String),
    Array(Vec<Json>),
    /// Names are spelled as in the text, with their quotes.
    Object(Vec<(String, Json)>),
}

/// Returns a sound text with the edits that the input chooses. `words` are strings in such texts,
/// names and values alike.
pub(crate) fn edited<W: AsRef<str>>(
    sound: &Value,
    words: &[W],
    input: &mut Unstructured<'_>,
) -> Result<String> {
    let mut json = Json::from(sound);
    for _ in 0..input.int_in_range(0..=MOST_EDITS)? {
        let mut place = input.choose_index(json.values())?;
        if let Some(value) = json.at(&mut place) {
            value.edit(words, input)?;
        }
    }
    Ok(json.text())
}

impl Json {
    /// Counts the values, including this one.
    fn values(&self) -> usize {
        1 + match self {
            Self::Scalar(_) => 0,
            Self::Array(items) => items.iter().map(Self::values).sum(),
            Self::Object(members) => members.iter().map(|(_, value)| value.values()).sum(),
        }
    }

    /// Returns the value at a place, counted in the order of the text.
    fn at(&mut self, place: &mut usize) -> Option<&mut Self> {
        if *place == 0 {
            return Some(self);
        }
        *place -= 1;
        match self {
            Self::Scalar(_) => None,
            Self::Array(items) => items.iter_mut().find_map(|item| item.at(place)),
            Self::Object(members) => members.iter_mut().find_map(|(_, value)| value.at(place)),
        }
    }

    fn edit<W: AsRef<str>>(&mut self, words: &[W], input: &mut Unstructured<'_>) -> Result<()> {
        let edit: u8 = input.int_in_range(0..=5)?;
        if edit == 0 {
            *self = Self::any(words, input)?;
            return Ok(());
        }
        match self {
            Self::Scalar(text) => {
                let mut characters: Vec<char> = text.chars().collect();
                if edit > 3 {
                    let at = input.int_in_range(0..=characters.len())?;
                    characters.insert(at, input.arbitrary()?);
                } else {
                    rearrange(&mut characters, edit, input)?;
                }
                *text = characters.into_iter().collect();
            }
            Self::Array(items) if edit > 3 => items.push(Self::any(words, input)?),
            Self::Array(items) => rearrange(items, edit, input)?,
            Self::Object(members) if edit == 4 => {
                let name = quoted(input.choose(words)?.as_ref());
                members.push((name, Self::any(words, input)?));
            }
            Self::Object(members) if edit == 5 && !members.is_empty() => {
                let at = input.choose_index(members.len())?;
                members[at].0 = quoted(input.choose(words)?.as_ref());
            }
            Self::Object(members) => rearrange(members, edit, input)?,
        }
        Ok(())
    }

    /// Returns another value.
    fn any<W: AsRef<str>>(words: &[W], input: &mut Unstructured<'_>) -> Result<Self> {
        Ok(Self::Scalar(match input.int_in_range(0..=3_u8)? {
            0 => quoted(input.choose(words)?.as_ref()),
            1 => (*input.choose(HOSTILE)?).to_owned(),
            2 => {
                let length = input.int_in_range(0..=LONGEST_STRING)?.min(input.len());
                quoted(&String::from_utf8_lossy(input.bytes(length)?))
            }
            _ => {
                let depth = input.arbitrary::<u8>()?.into();
                "[".repeat(depth) + &"]".repeat(depth)
            }
        }))
    }

    fn text(&self) -> String {
        match self {
            Self::Scalar(text) => text.clone(),
            Self::Array(items) => {
                let items: Vec<_> = items.iter().map(Self::text).collect();
                format!("[{}]", items.join(","))
            }
            Self::Object(members) => {
                let members = members.iter();
                let members: Vec<_> = members
                    .map(|(name, value)| format!("{name}:{}", value.text()))
                    .collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        match value {
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(members) => Self::Object(
                members
                    .iter()
                    .map(|(name, value)| (quoted(name), value.into()))
                    .collect(),
            ),
            scalar => Self::Scalar(scalar.to_string()),
        }
    }
}

/// Removes, repeats or swaps.
fn rearrange<T: Clone>(list: &mut Vec<T>, edit: u8, input: &mut Unstructured<'_>) -> Result<()> {
    if list.is_empty() {
        return Ok(());
    }
    let at = input.choose_index(list.len())?;
    match edit {
        1 => {
            list.remove(at);
        }
        2 => {
            let again = list[at].clone();
            list.push(again);
        }
        _ => {
            let other = input.choose_index(list.len())?;
            list.swap(at, other);
        }
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
