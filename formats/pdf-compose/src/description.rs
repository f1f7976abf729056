//! Description of a document; see the crate's documentation.

use std::collections::BTreeSet;

use parafa_format_core::{Refusal, refusal};
use serde::Deserialize;

use crate::fonts::Fonts;
use crate::limits::{Limits, passed};

/// Maximum number of missing characters in a refusal.
const MAX_NAMED_CHARACTERS: usize = 100;

/// Content of a document.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Description {
    pub(crate) title: String,
    pub(crate) language: Language,
    pub(crate) author: Option<String>,
    pub(crate) header: Option<String>,
    pub(crate) footer: Option<String>,
    #[serde(default)]
    pub(crate) attachments: Vec<AttachmentDescription>,
    pub(crate) content: Vec<Block>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Language {
    En,
    Lt,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct AttachmentDescription {
    pub(crate) name: String,
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) relationship: Relationship,
}

/// Relationship of a file to the document (ISO 19005-3, annex E).
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Relationship {
    Alternative,
    Data,
    Source,
    Supplement,
    #[default]
    Unspecified,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(
    tag = "type",
    deny_unknown_fields,
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub(crate) enum Block {
    Facts {
        items: Vec<Fact>,
    },
    Heading {
        level: u8,
        text: String,
    },
    List {
        #[serde(default)]
        ordered: bool,
        items: Vec<String>,
    },
    PageBreak {},
    Paragraph {
        text: String,
    },
    Table {
        columns: Vec<Column>,
        rows: Vec<Vec<String>>,
    },
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Fact {
    pub(crate) label: String,
    pub(crate) value: String,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Column {
    pub(crate) title: String,
    /// Relative to the other columns.
    pub(crate) width: Option<f32>,
    #[serde(default)]
    pub(crate) align: Align,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Align {
    End,
    #[default]
    Start,
}

impl Description {
    pub(crate) fn parse(json: &[u8]) -> Result<Self, Refusal> {
        let description: Self = serde_json::from_slice(json)
            .map_err(|error| invalid(format!("The description cannot be read: {error}.")))?;
        description.check_form()?;
        Ok(description)
    }

    /// Refuses content beyond the limits, and text that the fonts cannot show.
    pub(crate) fn check(&self, fonts: &Fonts, limits: &Limits) -> Result<(), Refusal> {
        let rows = |block: &Block| match block {
            Block::Facts { items } => items.len(),
            Block::List { items, .. } => items.len(),
            Block::Table { rows, .. } => rows.len(),
            _ => 0,
        };
        let columns = |block: &Block| match block {
            Block::Table { columns, .. } => columns.len(),
            _ => 0,
        };
        let texts = self.texts();
        let sizes = [
            ("blocks", self.content.len(), limits.blocks),
            (
                "rows and items",
                self.content.iter().map(rows).sum(),
                limits.rows,
            ),
            (
                "columns in a table",
                self.content.iter().map(columns).max().unwrap_or(0),
                limits.columns,
            ),
            (
                "characters",
                texts.iter().map(|text| text.chars().count()).sum(),
                limits.characters,
            ),
            ("attachments", self.attachments.len(), limits.attachments),
        ];
        for (what, size, limit) in sizes {
            if size > limit {
                return Err(passed(format!("There are more than {limit} {what}.")));
            }
        }
        let missing: BTreeSet<char> = texts
            .iter()
            .flat_map(|text| text.chars())
            .filter(|character| *character != '\n' && !fonts.have(*character))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let named = missing.iter().take(MAX_NAMED_CHARACTERS);
        Err(Refusal {
            subjects: named.map(|character| named_character(*character)).collect(),
            ..Refusal::new(
                refusal::CHARACTERS_MISSING,
                format!(
                    "The fonts lack {} of the characters in the text.",
                    missing.len()
                ),
            )
        })
    }

    fn check_form(&self) -> Result<(), Refusal> {
        if self.title.trim().is_empty() {
            return Err(invalid("The title is empty."));
        }
        let mut names = BTreeSet::new();
        for attachment in &self.attachments {
            if attachment.name.is_empty() || !names.insert(&attachment.name) {
                return Err(invalid("An attachment has no name, or that of another."));
            }
        }
        for (number, block) in (1_usize..).zip(&self.content) {
            let wrong = match block {
                Block::Heading { level, .. } if !(2..=3).contains(level) => {
                    Some("is a heading of a level other than 2 and 3")
                }
                Block::Heading { text, .. } if text.trim().is_empty() => {
                    Some("is a heading without text")
                }
                Block::Facts { items } if items.is_empty() => Some("has no items"),
                Block::List { items, .. } if items.is_empty() => Some("has no items"),
                Block::Table { columns, .. } if columns.is_empty() => {
                    Some("is a table without columns")
                }
                Block::Table { columns, rows }
                    if rows.iter().any(|row| row.len() != columns.len()) =>
                {
                    Some("is a table with a row that has not one cell a column")
                }
                Block::Table { columns, .. }
                    if columns
                        .iter()
                        .filter_map(|column| column.width)
                        .any(|width| !(0.1..=100.0).contains(&width)) =>
                {
                    Some("is a table with a width that is not between 0.1 and 100")
                }
                _ => None,
            };
            if let Some(wrong) = wrong {
                return Err(invalid(format!("The block {number} {wrong}.")));
            }
        }
        Ok(())
    }

    /// Returns every text of the content and metadata.
    fn texts(&self) -> Vec<&str> {
        let mut texts = vec![self.title.as_str()];
        texts.extend(self.header.as_deref());
        texts.extend(self.footer.as_deref());
        for block in &self.content {
            match block {
                Block::Facts { items } => {
                    texts.extend(items.iter().flat_map(|fact| [&*fact.label, &*fact.value]));
                }
                Block::Heading { text, .. } | Block::Paragraph { text } => texts.push(text),
                Block::List { items, .. } => texts.extend(items.iter().map(String::as_str)),
                Block::PageBreak {} => {}
                Block::Table { columns, rows } => {
                    texts.extend(columns.iter().map(|column| column.title.as_str()));
                    texts.extend(rows.iter().flatten().map(String::as_str));
                }
            }
        }
        texts
    }
}

impl Language {
    /// Returns the language tag (RFC 5646).
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Lt => "lt",
        }
    }
}

fn named_character(character: char) -> String {
    let code = format!("U+{:04X}", u32::from(character));
    if character.is_control() {
        code
    } else {
        format!("{code} {character}")
    }
}

pub(crate) fn invalid(detail: impl Into<String>) -> Refusal {
    Refusal::new(refusal::DESCRIPTION_INVALID, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(content: &str) -> Refusal {
        let json = format!(r#"{{"title":"A","language":"lt","content":[{content}]}}"#);
        Description::parse(json.as_bytes()).unwrap_err()
    }

    #[test]
    fn unknown_members_are_refused_wherever_they_stand() {
        let top = br#"{"title":"A","language":"lt","content":[],"color":1}"#;
        assert!(
            Description::parse(top)
                .unwrap_err()
                .detail
                .contains("`color`")
        );
        for block in [
            r#"{"type":"paragraph","text":"a","size":3}"#,
            r#"{"type":"pageBreak","text":"a"}"#,
            r#"{"type":"facts","items":[{"label":"a","value":"b","c":"d"}]}"#,
            r#"{"type":"image"}"#,
        ] {
            assert!(
                refused(block).detail.contains("unknown"),
                "{:?}",
                refused(block)
            );
        }
    }

    #[test]
    fn what_cannot_be_laid_out_is_refused_by_its_number() {
        for block in [
            r#"{"type":"heading","level":1,"text":"a"}"#,
            r#"{"type":"heading","level":2,"text":" "}"#,
            r#"{"type":"list","items":[]}"#,
            r#"{"type":"table","columns":[],"rows":[]}"#,
            r#"{"type":"table","columns":[{"title":"a"}],"rows":[["b","c"]]}"#,
            r#"{"type":"table","columns":[{"title":"a","width":0}],"rows":[]}"#,
        ] {
            let refusal = refused(block);
            assert_eq!(refusal.code, "description-invalid");
            assert!(
                refusal.detail.starts_with("The block 1 "),
                "{}",
                refusal.detail
            );
        }
    }
}
