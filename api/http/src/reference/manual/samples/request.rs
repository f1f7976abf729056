//! What a program sends, and what it does with the answer.

use serde_json::Value;

use super::super::document::{Call, Document, items, members, text};
use super::super::types::plain;
use crate::openapi::USUAL;

/// The file that bytes of an answer are written to.
pub(super) const FILE: &str = "answer.bin";
/// The variables of the service's address and of the usual credentials.
pub(super) const BASE: &str = "BASE";
pub(super) const KEY: &str = "KEY";

/// What a program sends.
pub(super) struct Request<'d> {
    /// In capitals.
    pub(super) method: String,
    /// What follows the service's address.
    path: Vec<Piece>,
    pub(super) credentials: Option<Credentials>,
    /// Whether a repetition may be told from another request.
    pub(super) is_repeatable: bool,
    pub(super) body: Option<&'d Value>,
    pub(super) answer: Answer,
}

/// A part of a path.
enum Piece {
    Text(String),
    /// The value of an environment variable.
    Variable(String),
}

/// What is sent of credentials: the value of an environment variable.
pub(super) enum Credentials {
    Bearer(String),
    Basic(String),
}

/// What is done with an answer.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Answer {
    Json,
    Bytes,
    Nothing,
}

impl<'d> Request<'d> {
    pub(super) fn of(document: &Document<'d>, call: &Call<'d>) -> Self {
        let parameters = document.parameters(call);
        let is_repeatable = parameters
            .iter()
            .any(|one| one["name"] == "Idempotency-Key");
        let body = call.body().and_then(|(_, content)| content.get("example"));
        Self {
            method: call.method.to_uppercase(),
            path: path(document, call.path, &parameters),
            credentials: credentials(document, call),
            is_repeatable,
            body,
            answer: answer(call),
        }
    }

    /// The path as a language writes what is in variables.
    pub(super) fn written(&self, variable: impl Fn(&str) -> String) -> String {
        let pieces = self.path.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Variable(name) => variable(name),
        });
        pieces.collect()
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        self.path.iter().filter_map(|piece| match piece {
            Piece::Variable(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }
}

impl Credentials {
    pub(super) fn variable(&self) -> &str {
        match self {
            Self::Bearer(variable) | Self::Basic(variable) => variable,
        }
    }
}

fn credentials<'d>(document: &Document<'d>, call: &Call<'d>) -> Option<Credentials> {
    let name = document.credentials(call)?;
    let variable = match name {
        USUAL => KEY.to_owned(),
        other => in_capitals(other),
    };
    match text(&document.security_scheme(name)["scheme"]) {
        "basic" => Some(Credentials::Basic(variable)),
        _ => Some(Credentials::Bearer(variable)),
    }
}

/// A template with examples, or variables, in the place of its parameters, and the
/// parameters that a query must have.
fn path<'d>(document: &Document<'d>, template: &str, parameters: &[&'d Value]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for part in template.split('{') {
        let literal = match part.split_once('}') {
            None => part,
            Some((name, literal)) => {
                let described = parameters.iter().find(|one| one["name"] == name);
                pieces.push(match described.and_then(|one| example(&one["schema"])) {
                    Some(example) => Piece::Text(example),
                    None => Piece::Variable(in_capitals(name)),
                });
                literal
            }
        };
        pieces.push(Piece::Text(literal.to_owned()));
    }
    let required = parameters
        .iter()
        .filter(|one| one["in"] == "query" && one["required"] == true);
    for (index, parameter) in required.enumerate() {
        let joint = if index == 0 { '?' } else { '&' };
        let value = example(document.resolved(&parameter["schema"])).unwrap_or_default();
        pieces.push(Piece::Text(format!(
            "{joint}{}={value}",
            text(&parameter["name"])
        )));
    }
    pieces
}

/// A value that a schema allows, where it names one.
fn example(schema: &Value) -> Option<String> {
    let mut named = items(&schema["examples"]).chain(items(&schema["enum"]));
    named.next().map(plain)
}

fn answer(call: &Call<'_>) -> Answer {
    let done = call.responses().find(|(status, _)| status.starts_with('2'));
    let first = done.and_then(|(_, response)| members(&response["content"]).next());
    match first {
        None => Answer::Nothing,
        Some(("application/json", _)) => Answer::Json,
        Some(_) => Answer::Bytes,
    }
}

/// `signingId` as `SIGNING_ID`.
pub(super) fn in_capitals(name: &str) -> String {
    let mut written = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            written.push('_');
        }
        written.push(letter.to_ascii_uppercase());
    }
    written
}
