//! Reading a JSON body strictly, with all its faults in one answer.

use serde_json::{Map, Value};

use super::problem::{FieldError, Problem};

/// Collects the faults of a body.
#[derive(Debug, Default)]
pub(super) struct Checker {
    errors: Vec<FieldError>,
}

/// The members of one object of the body.
#[derive(Debug)]
pub(super) struct Members<'v> {
    map: &'v Map<String, Value>,
    pointer: String,
}

impl Checker {
    /// Reads an object with only the `allowed` members.
    pub(super) fn members<'v>(
        &mut self,
        value: &'v Value,
        pointer: &str,
        allowed: &[&str],
    ) -> Option<Members<'v>> {
        let Some(map) = value.as_object() else {
            self.refuse_at(pointer.into(), "must be an object");
            return None;
        };
        let members = Members {
            map,
            pointer: pointer.into(),
        };
        for name in map.keys().filter(|name| !allowed.contains(&name.as_str())) {
            self.refuse(&members, name, "is not allowed here");
        }
        Some(members)
    }

    /// A member that must be there, of any kind.
    pub(super) fn required<'v>(&mut self, members: &Members<'v>, name: &str) -> Option<&'v Value> {
        let value = members.optional(name);
        if value.is_none() {
            self.refuse(members, name, "is required");
        }
        value
    }

    /// A string that must be there and not be empty.
    pub(super) fn text<'v>(&mut self, members: &Members<'v>, name: &str) -> Option<&'v str> {
        self.required(members, name)?;
        self.optional_text(members, name)
    }

    /// A string that is not empty when it is there.
    pub(super) fn optional_text<'v>(
        &mut self,
        members: &Members<'v>,
        name: &str,
    ) -> Option<&'v str> {
        let value = members.optional(name)?;
        let text = value.as_str().filter(|text| !text.is_empty());
        if text.is_none() {
            self.refuse(members, name, "must be a string that is not empty");
        }
        text
    }

    /// A string that must be there and be one of a few.
    pub(super) fn choice<T: Copy>(
        &mut self,
        members: &Members<'_>,
        name: &str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let text = self.text(members, name)?;
        let choice = choices.iter().find(|(choice, _)| *choice == text);
        if choice.is_none() {
            self.refuse(members, name, "is not a known value");
        }
        choice.map(|(_, choice)| *choice)
    }

    /// Records a fault of a member.
    pub(super) fn refuse(&mut self, members: &Members<'_>, name: &str, detail: &str) {
        self.refuse_at(members.pointer_to(name), detail);
    }

    /// The value when nothing was wrong.
    pub(super) fn finish<T>(self, value: Option<T>) -> Result<T, Problem> {
        match value {
            Some(value) if self.errors.is_empty() => Ok(value),
            _ => Err(Problem::bad_request(
                "the request is not valid",
                self.errors,
            )),
        }
    }

    fn refuse_at(&mut self, pointer: String, detail: &str) {
        self.errors.push(FieldError {
            code: None,
            detail: detail.into(),
            param_name: None,
            pointer: Some(pointer),
        });
    }
}

impl<'v> Members<'v> {
    /// A member that may be absent or null.
    pub(super) fn optional(&self, name: &str) -> Option<&'v Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// The JSON pointer to a member of this object.
    pub(super) fn pointer_to(&self, name: &str) -> String {
        let name = name.replace('~', "~0").replace('/', "~1");
        format!("{}/{name}", self.pointer)
    }

    /// The names in the object.
    pub(super) fn names(&self) -> impl Iterator<Item = &'v str> {
        self.map.keys().map(String::as_str)
    }
}
