//! Requests of sample programs, and how they use the answer.

use serde_json::Value;

use super::super::document::{Call, Document, items, members, text};
use super::super::types::plain;
use crate::openapi::USUAL;

/// The file that bytes of an answer are written to.
pub(super) const FILE: &str = "answer.bin";
/// The variables of the service's address and of the usual credentials.
pub(super) const BASE: &str = "BASE";
pub(super) const KEY: &str = "KEY";

/// Request of a sample program.
pub(super) struct Request<'d> {
    /// Method in capitals.
    pub(super) method: String,
    /// URL with the names of variables in braces.
    address: String,
    /// Parameters with values in variables.
    pub(super) variables: Vec<&'d Value>,
    pub(super) credentials: Option<Credentials>,
    /// True if the request may carry an idempotency key.
    pub(super) is_repeatable: bool,
    pub(super) body: Option<&'d Value>,
    pub(super) answer: Answer,
}

/// Credentials sent: the value of an environment variable.
pub(super) enum Credentials {
    Bearer(String),
    Basic(String),
}

/// Use of the answer.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Answer {
    Json,
    Bytes,
    Nothing,
}

impl<'d> Request<'d> {
    /// The call with the examples of its parameters, or variables for those without one, and with
    /// the required query.
    pub(super) fn of(document: &Document<'d>, call: &Call<'d>) -> Self {
        let parameters = document.parameters(call);
        let mut address = format!("{{{BASE}}}{}", call.path);
        let (mut query, mut variables) = (Vec::new(), Vec::new());
        for parameter in &parameters {
            let name = text(&parameter["name"]);
            let example = example(document.resolved(&parameter["schema"]));
            match text(&parameter["in"]) {
                "path" => {
                    let value = example.unwrap_or_else(|| {
                        variables.push(*parameter);
                        format!("{{{}}}", in_capitals(name))
                    });
                    address = address.replace(&format!("{{{name}}}"), &value);
                }
                "query" if parameter["required"] == true => {
                    query.push(format!("{name}={}", example.unwrap_or_default()));
                }
                _ => {}
            }
        }
        if !query.is_empty() {
            address = format!("{address}?{}", query.join("&"));
        }
        Self {
            method: call.method.to_uppercase(),
            address,
            variables,
            credentials: credentials(document, call),
            is_repeatable: parameters
                .iter()
                .any(|one| one["name"] == "Idempotency-Key"),
            body: call.body().and_then(|(_, content)| content.get("example")),
            answer: answer(call),
        }
    }

    /// The URL, with a language's syntax around variables.
    pub(super) fn address(&self, [before, after]: [&str; 2]) -> String {
        self.address.replace('{', before).replace('}', after)
    }

    /// The headers, one a line, with a language's syntax for credentials and for a new key.
    pub(super) fn headers(
        &self,
        indent: &str,
        credentials: fn(&Credentials) -> String,
        key: &str,
    ) -> String {
        let headers = [
            self.credentials
                .as_ref()
                .map(|sent| ("Authorization", credentials(sent))),
            self.body
                .map(|_| ("Content-Type", "\"application/json\"".to_owned())),
            self.is_repeatable
                .then(|| ("Idempotency-Key", key.to_owned())),
        ];
        headers
            .into_iter()
            .flatten()
            .map(|(name, value)| format!("{indent}\"{name}\": {value},\n"))
            .collect()
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
    let (name, scheme) = document.credentials(call)?;
    let variable = match name {
        USUAL => KEY.to_owned(),
        other => in_capitals(other),
    };
    match text(&scheme["scheme"]) {
        "basic" => Some(Credentials::Basic(variable)),
        _ => Some(Credentials::Bearer(variable)),
    }
}

/// A value allowed by a schema, if it names one.
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
