//! The interpretation in an answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The standardized legal interpretation of the data of one answer. It is
/// automated: no individual opinion, no score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Interpretation {
    /// Version of the reviewed library that was applied.
    pub policy_version: String,
    /// SHA-256 of that version's rules file, in lowercase hex.
    pub library: String,
    /// SHA-256, in lowercase hex, of the interpreted `data` in canonical form
    /// (RFC 8785), without any `retrievedAt` and without the `reference` of
    /// any `source`.
    pub data_sha256: String,
    /// The lawyer who reviewed the library for this service; null in a sandbox without
    /// a review.
    pub reviewed_by: Option<String>,
    /// Meanings of the data, ordered by pointer, then by rule.
    pub items: Vec<InterpretationItem>,
    /// The scope of this interpretation.
    pub notice: Bilingual,
}

/// The meaning of a part of the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InterpretationItem {
    /// The rule that was applied.
    pub rule_id: String,
    /// The part of `data` that this is about (RFC 6901); empty: all of it.
    pub pointer: String,
    /// The meaning.
    pub meaning: Bilingual,
    /// The provisions that say so.
    pub citations: Vec<Citation>,
}

/// A provision of an act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Citation {
    /// The customary abbreviation of the act.
    pub act: String,
    /// Number under which the act was adopted.
    pub number: String,
    /// Article; a range has an en dash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    /// Paragraph of the article.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paragraph: Option<String>,
    /// Point of the paragraph, of the article or, in regulations without
    /// articles, of the act; a range has an en dash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<String>,
    /// Title of the act.
    pub title: Bilingual,
    /// The address at which the act is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// One text in both languages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bilingual {
    /// In Lithuanian, which is the language of the law.
    pub lt: String,
    /// In English.
    pub en: String,
}

impl Bilingual {
    /// The language in which there is no text, or text with space around it.
    pub(crate) fn language_without_text(&self) -> Option<&'static str> {
        [("lt", &self.lt), ("en", &self.en)]
            .into_iter()
            .find(|(_, text)| text.is_empty() || text.trim() != text.as_str())
            .map(|(language, _)| language)
    }
}
