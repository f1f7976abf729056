use super::fault::append;
use super::json::Json;
use super::{Faults, Position};

/// One value of a request, with its place in it.
#[derive(Clone)]
pub(super) struct Located<'j> {
    pub(super) json: &'j Json<'j>,
    pub(super) faults: &'j Faults,
    pub(super) pointer: String,
    position: Position,
    pub(super) in_query: bool,
    /// True if it may be left out.
    is_optional: bool,
}

impl<'j> Located<'j> {
    pub(super) fn of_body(json: &'j Json<'j>, faults: &'j Faults) -> Self {
        Self::root(json, faults, Position::body(), false)
    }

    pub(super) fn of_query(json: &'j Json<'j>, faults: &'j Faults) -> Self {
        Self::root(json, faults, Position::query(), true)
    }

    fn root(json: &'j Json<'j>, faults: &'j Faults, position: Position, in_query: bool) -> Self {
        Self {
            json,
            faults,
            pointer: String::new(),
            position,
            in_query,
            is_optional: false,
        }
    }

    pub(super) fn child(&self, json: &'j Json<'j>, token: &str, index: usize) -> Self {
        Self {
            json,
            faults: self.faults,
            pointer: append(&self.pointer, token),
            position: self.position.child(index),
            in_query: self.in_query,
            is_optional: false,
        }
    }

    pub(super) fn optional(self) -> Self {
        Self {
            is_optional: true,
            ..self
        }
    }

    pub(super) fn fault(&self, detail: impl Into<String>) {
        let (position, pointer) = (self.position.clone(), self.pointer.clone());
        self.faults.note(position, pointer, detail);
    }

    /// Records a fault of a missing member.
    pub(super) fn fault_of_missing(&self, name: &str, detail: impl Into<String>) {
        let (position, pointer) = (self.position.missing_child(), append(&self.pointer, name));
        self.faults.note(position, pointer, detail);
    }

    /// The fault of a member that is not known.
    pub(super) fn unknown_member(&self) -> &'static str {
        match self.in_query {
            true => "is not a known parameter",
            false => "is not a known member",
        }
    }

    pub(super) fn wrong_type<T>(&self, wanted: &str) -> Option<T> {
        let found = match self.json {
            Json::Null => "null",
            Json::Boolean(_) => "a boolean",
            Json::Integer(_) | Json::Number => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        };
        let remedy = match self.json {
            Json::Null if self.is_optional => "; leave the member out instead",
            _ => "",
        };
        self.fault(format!("must be {wanted}, but is {found}{remedy}"));
        None
    }

    /// A string of at most `longest` characters.
    pub(super) fn bounded(&self, longest: usize) -> Option<&'j str> {
        let value = self.string()?;
        let length = value.chars().count();
        if length > longest {
            self.fault(format!(
                "must have at most {longest} characters, but has {length}"
            ));
            return None;
        }
        Some(value)
    }

    pub(super) fn string(&self) -> Option<&'j str> {
        match self.json {
            Json::String(value) => Some(value),
            _ => self.wrong_type("a string"),
        }
    }
}
