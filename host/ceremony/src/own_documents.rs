//! Documents of our own: parts of descriptions, and their composition by the PDF
//! plugin.

use bytes::Bytes;
use jiff::Timestamp;
use parafa_plugin_host::{CallError, ComposeRequest, Plugin, SourceFile};
use serde_json::{Value, json};
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

use crate::error::CeremonyError;
use crate::seed;

/// Media type of the composed documents (RFC 8118).
const PDF: &str = "application/pdf";
/// The plugin's refusal of characters that its fonts lack, with the characters as
/// subjects.
const CHARACTERS_MISSING: &str = "characters-missing";
/// Most answers to such refusals: each names many characters at once.
const MOST_SUBSTITUTIONS: usize = 4;

/// Composes a document. Characters that its fonts lack are written as their
/// Unicode numbers, such as `[U+738B]`. A name in another script therefore does
/// not prevent a document.
pub async fn compose(
    plugin: &Plugin,
    description: &Value,
    now: Timestamp,
) -> Result<Bytes, CeremonyError> {
    let mut description = description.clone();
    change_texts(&mut description, &|text| {
        text.nfc().filter(is_drawn).collect()
    });
    for _ in 0..=MOST_SUBSTITUTIONS {
        let source = SourceFile {
            name: "description.json".to_owned(),
            media_type: "application/json".to_owned(),
            content: Bytes::from(description.to_string()).into(),
        };
        let request = ComposeRequest {
            time: now.as_second(),
            seed: seed()?,
            media_type: PDF.to_owned(),
            params: Vec::new(),
        };
        match plugin.compose(&[source], &request).await {
            Ok(made) => return Ok(made.bytes),
            Err(CallError::Fault(fault)) => {
                return Err(CeremonyError::Plugin(Box::new(fault)));
            }
            Err(CallError::Refused(refusal)) if refusal.code == CHARACTERS_MISSING => {
                substitute(&mut description, &refusal.subjects);
            }
            Err(CallError::Refused(refusal)) => {
                tracing::error!(code = &*refusal.code, "a document of our own is refused");
                return Err(CeremonyError::NoDocuments);
            }
        }
    }
    tracing::error!("a document of our own has too many characters that no font has");
    Err(CeremonyError::NoDocuments)
}

/// Returns false for characters that leave no mark of their own, and that the fonts lack or draw
/// nevertheless: format characters (UAX #44, 5.7.1) and variation selectors.
fn is_drawn(c: &char) -> bool {
    let is_selector = matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}');
    !is_selector && get_general_category(*c) != GeneralCategory::Format
}

/// Returns a heading of a section.
#[must_use]
pub fn heading(text: &str) -> Value {
    json!({ "type": "heading", "level": 2, "text": text })
}

/// Returns a paragraph.
#[must_use]
pub fn paragraph(text: &str) -> Value {
    json!({ "type": "paragraph", "text": text })
}

/// Returns a block of labels and values.
#[must_use]
pub fn facts_block(facts: &[(&str, &str)]) -> Value {
    let items = facts.iter();
    let items = items.map(|(label, value)| json!({ "label": label, "value": value }));
    json!({ "type": "facts", "items": items.collect::<Vec<_>>() })
}

/// Returns a table with a title above each column.
#[must_use]
pub fn table<const N: usize>(titles: [&str; N], rows: impl Iterator<Item = [String; N]>) -> Value {
    json!({
        "type": "table",
        "columns": titles.map(|title| json!({ "title": title })).to_vec(),
        "rows": rows.map(Vec::from).collect::<Vec<Vec<String>>>(),
    })
}

/// Formats a time in UTC, to the second.
#[must_use]
pub fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Replaces characters by their numbers, and adds a note on that to the document.
/// Each is named as `U+738B`, perhaps followed by itself.
fn substitute(description: &mut Value, named: &[String]) {
    let missing: Vec<char> = named.iter().filter_map(|name| character(name)).collect();
    change_texts(description, &|text| {
        let written = text.chars().map(|character| {
            if missing.contains(&character) {
                format!("[U+{:04X}]", u32::from(character))
            } else {
                character.to_string()
            }
        });
        written.collect()
    });
    let note = json!({ "type": "paragraph", "text": NOTE });
    if let Some(Value::Array(content)) = description.get_mut("content")
        && !content.contains(&note)
    {
        content.push(note);
    }
}

/// The note in a document with such numbers.
const NOTE: &str = "Ženklai, kurių šio dokumento šriftas neturi, parašyti jų „Unicode“ numeriais, pavyzdžiui, [U+738B]. / Characters that the font of this document lacks are written as their Unicode numbers, such as [U+738B].";

fn character(name: &str) -> Option<char> {
    let number = name.strip_prefix("U+")?.split(' ').next()?;
    char::from_u32(u32::from_str_radix(number, 16).ok()?)
}

/// Changes every text of a description except the names of its members.
fn change_texts(value: &mut Value, change: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| change_texts(value, change)),
        Value::Object(members) => members
            .values_mut()
            .for_each(|value| change_texts(value, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_leave_no_mark_are_not_drawn() {
        let text = "\u{FEFF}bendra\u{AD}darbiavimas עברית\u{200F} #\u{FE0F}";
        let drawn: String = text.chars().filter(is_drawn).collect();
        assert_eq!(drawn, "bendradarbiavimas עברית #");
    }

    #[test]
    fn characters_that_no_font_has_are_written_as_their_numbers_and_the_document_says_so() {
        let paragraph = json!({ "type": "paragraph", "text": "王小明, Jonas\t" });
        let mut description = json!({ "title": "王", "content": [paragraph] });

        for _ in 0..2 {
            let named = ["U+738B 王", "U+5C0F 小", "U+660E 明", "U+0009"];
            substitute(&mut description, &named.map(str::to_owned));
        }

        assert_eq!(description["title"], "[U+738B]");
        let content = description["content"].as_array().unwrap();
        assert_eq!(
            content[0]["text"],
            "[U+738B][U+5C0F][U+660E], Jonas[U+0009]"
        );
        assert_eq!(content.len(), 2, "it is said once: {content:?}");
        assert_eq!(content[1]["text"], NOTE);
    }
}
