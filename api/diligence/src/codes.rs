//! Subjects named by paths: entities and things, by their codes.

use std::str::FromStr;

use axum::extract::RawPathParams;
use parafa_api_http::{Fault, PathParameter, PathParams, Problem};
use parafa_register_data::{EntityCode, PropertyNumber};
use serde_json::json;

/// The entity of the examples: it has everything.
pub(crate) const ENTITY: &str = "999000009";
/// The object of the examples.
pub(crate) const PROPERTY: &str = "4400-9990-0001";
/// The parameter of entities' codes.
const CODE: &str = "code";
/// The parameter of unique numbers.
const UNIQUE_NUMBER: &str = "uniqueNumber";

/// Legal entity of a path, or the fault of its code.
#[derive(Clone, Debug)]
pub(crate) struct EntityPath(Result<EntityCode, String>);

/// Real-property object of a path, or the fault of its number.
#[derive(Clone, Debug)]
pub(crate) struct PropertyPath(Result<PropertyNumber, String>);

impl EntityPath {
    /// The code.
    ///
    /// # Errors
    /// `validation-failed`.
    pub(crate) fn code(self) -> Result<EntityCode, Problem> {
        self.0.map_err(|detail| malformed(CODE, &detail))
    }
}

impl PropertyPath {
    /// The unique number.
    ///
    /// # Errors
    /// `validation-failed`.
    pub(crate) fn number(self) -> Result<PropertyNumber, Problem> {
        self.0.map_err(|detail| malformed(UNIQUE_NUMBER, &detail))
    }
}

impl<R> PathParams<R> for EntityPath {
    fn described() -> Vec<PathParameter> {
        vec![PathParameter {
            name: CODE,
            description: "The code of a Lithuanian legal entity (juridinio asmens kodas): nine digits, the last of them a check digit.",
            schema: json!({"type": "string", "pattern": "^[0-9]{9}$", "examples": [ENTITY]}),
            is_id: false,
        }]
    }

    fn of(params: &RawPathParams) -> Option<Self> {
        parsed(params, CODE).map(Self)
    }

    fn fault(&self) -> Option<Fault> {
        self.0.as_ref().err().map(|detail| fault(CODE, detail))
    }

    fn record(&self) -> Option<R> {
        None
    }

    fn fill(&self, template: &str) -> String {
        filled(template, CODE, self.0.as_ref().map(EntityCode::as_str))
    }
}

impl<R> PathParams<R> for PropertyPath {
    fn described() -> Vec<PathParameter> {
        vec![PathParameter {
            name: UNIQUE_NUMBER,
            description: "The unique number of a real-property object (unikalus daikto numeris), with or without its dashes; a part of a building has a suffix after a colon.",
            schema: json!({
                "type": "string",
                "pattern": "^[0-9]{4}-?[0-9]{4}-?[0-9]{4}(:[0-9]{1,4})?$",
                "examples": [PROPERTY],
            }),
            is_id: false,
        }]
    }

    fn of(params: &RawPathParams) -> Option<Self> {
        parsed(params, UNIQUE_NUMBER).map(Self)
    }

    fn fault(&self) -> Option<Fault> {
        let detail = self.0.as_ref().err();
        detail.map(|detail| fault(UNIQUE_NUMBER, detail))
    }

    fn record(&self) -> Option<R> {
        None
    }

    fn fill(&self, template: &str) -> String {
        filled(
            template,
            UNIQUE_NUMBER,
            self.0.as_ref().map(PropertyNumber::as_str),
        )
    }
}

/// The path with a value in the place of the parameter, if there is one.
fn filled<E>(template: &str, name: &str, value: Result<&str, E>) -> String {
    let value = value.ok();
    value.map_or_else(
        || template.to_owned(),
        |value| template.replace(&format!("{{{name}}}"), value),
    )
}

fn parsed<T: FromStr<Err: ToString>>(
    params: &RawPathParams,
    name: &str,
) -> Option<Result<T, String>> {
    let (_, segment) = params.iter().find(|(known, _)| *known == name)?;
    Some(segment.parse().map_err(|error: T::Err| error.to_string()))
}

fn fault(name: &str, detail: &str) -> Fault {
    Fault::new(format!("/{name}"), format!("is not valid: {detail}"))
}

fn malformed(name: &str, detail: &str) -> Problem {
    Problem::validation(vec![fault(name, detail)])
}
