//! The arguments of a call.

use std::fmt::Display;

use parafa_api_http::{Fault, Problem};
use parafa_register_data::EntityCode;
use rmcp::model::JsonObject;
use serde_json::Value;
use url::form_urlencoded;

use super::definitions::{Entity, PURPOSES};
use super::pages::{Cursor, HIGHEST_LIMIT, USUAL_LIMIT};

/// Arguments of a call that were not read yet, and the faults of those that were. The faults are
/// all that the API would find, because it sees no arguments until there are none.
pub(super) struct Arguments {
    left: JsonObject,
    faults: Vec<Fault>,
}

/// Question about an entity.
pub(super) struct Asked {
    /// The path and the query of the API's call.
    pub(super) address: String,
    /// The address with all other arguments that change the answer.
    pub(super) question: String,
    /// True if BODS statements are requested.
    pub(super) bods: bool,
    /// Most entries of each list.
    pub(super) limit: usize,
    /// Position in an earlier answer.
    pub(super) cursor: Option<Cursor>,
}

impl Arguments {
    pub(super) fn new(arguments: JsonObject) -> Self {
        Self {
            left: arguments,
            faults: Vec::new(),
        }
    }

    /// Arguments of a tool about an entity, whose API call is at a path like `template`.
    pub(super) fn about_entity(mut self, template: &str, takes: Entity) -> Result<Asked, Problem> {
        let code = self.entity_code();
        let mut query = form_urlencoded::Serializer::new(String::new());
        if takes.purpose
            && let Some(purpose) = self.purpose()
        {
            query.append_pair("purpose", &purpose);
        }
        if takes.interpretation && self.flag("interpret") {
            query.append_pair("interpret", "1");
        }
        let bods = takes.bods && self.flag("bods");
        let limit = self.limit();
        let cursor = self.cursor();
        let asked = code.map(|code| {
            let address = address(template, &code, &query.finish());
            Asked {
                question: format!("{address} {bods}"),
                address,
                bods,
                limit,
                cursor,
            }
        });
        self.complete(asked)
    }

    pub(super) fn fault(&mut self, name: &str, detail: impl Display) {
        let name = name.replace('~', "~0").replace('/', "~1");
        self.faults
            .push(Fault::new(format!("/{name}"), detail.to_string()));
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let text = self.optional_text(name)?;
        if text.is_none() {
            self.fault(name, "is required");
        }
        text
    }

    /// `None` if it is not a text.
    fn optional_text(&mut self, name: &str) -> Option<Option<String>> {
        match self.left.shift_remove(name) {
            Some(Value::String(text)) => Some(Some(text)),
            Some(_) => {
                self.fault(name, "must be a string");
                None
            }
            None => Some(None),
        }
    }

    fn entity_code(&mut self) -> Option<EntityCode> {
        match self.text("entityCode")?.parse::<EntityCode>() {
            Ok(code) => Some(code),
            Err(reason) => {
                self.fault("entityCode", format_args!("is not valid: {reason}"));
                None
            }
        }
    }

    fn purpose(&mut self) -> Option<String> {
        let purpose = self.text("purpose")?;
        let is_known = PURPOSES.contains(&purpose.as_str());
        if !is_known {
            self.fault(
                "purpose",
                format_args!("must be one of {}", PURPOSES.join(", ")),
            );
        }
        is_known.then_some(purpose)
    }

    fn flag(&mut self, name: &str) -> bool {
        match self.left.shift_remove(name) {
            None => false,
            Some(Value::Bool(flag)) => flag,
            Some(_) => {
                self.fault(name, "must be true or false");
                false
            }
        }
    }

    fn limit(&mut self) -> usize {
        let Some(limit) = self.left.shift_remove("limit") else {
            return USUAL_LIMIT;
        };
        let limit = limit.as_u64().and_then(|limit| usize::try_from(limit).ok());
        match limit {
            Some(limit @ 1..=HIGHEST_LIMIT) => limit,
            _ => {
                let detail = format_args!("must be a whole number from 1 to {HIGHEST_LIMIT}");
                self.fault("limit", detail);
                USUAL_LIMIT
            }
        }
    }

    fn cursor(&mut self) -> Option<Cursor> {
        let text = self.optional_text("cursor")??;
        let cursor = Cursor::parse(&text);
        if cursor.is_none() {
            self.fault("cursor", "must be a nextCursor of an earlier answer");
        }
        cursor
    }

    /// # Errors
    /// `validation-failed`, also for unknown arguments.
    pub(super) fn complete<T>(mut self, asked: Option<T>) -> Result<T, Problem> {
        let unknown: Vec<_> = self.left.keys().cloned().collect();
        for name in unknown {
            self.fault(&name, "is not a known member");
        }
        match asked {
            Some(asked) if self.faults.is_empty() => Ok(asked),
            _ => Err(Problem::validation(self.faults)),
        }
    }
}

fn address(template: &str, code: &EntityCode, query: &str) -> String {
    let path = template.replace("{code}", code.as_str());
    match query.is_empty() {
        true => path,
        false => format!("{path}?{query}"),
    }
}
