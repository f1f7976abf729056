use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use super::Node;
use super::json::Json;
use super::located::Located;
use super::schema_recorder::Members;

/// Members of an object, some already asked for.
pub struct Object<'j>(pub(super) Kind<'j>);

pub(super) enum Kind<'j> {
    /// An object in a request.
    Given(Given<'j>),
    /// A placeholder for any object.
    Any(Members<'j>),
}

/// Members of an object in a request.
pub(super) struct Given<'j> {
    object: Located<'j>,
    members: &'j [(Cow<'j, str>, Json<'j>)],
    known: Vec<&'static str>,
}

impl<'j> Object<'j> {
    /// A member that may be left out.
    pub fn optional<T>(
        &mut self,
        name: &'static str,
        decode: impl FnOnce(Node<'j>) -> Option<T>,
    ) -> Option<T> {
        match &mut self.0 {
            Kind::Given(given) => given.member(name)?.optional().decode(decode),
            Kind::Any(any) => {
                any.optional(name, decode);
                None
            }
        }
    }

    /// A member that must be there.
    pub fn required<T>(
        &mut self,
        name: &'static str,
        decode: impl FnOnce(Node<'j>) -> Option<T>,
    ) -> Option<T> {
        match &mut self.0 {
            Kind::Given(given) => {
                let member = given.member(name);
                if member.is_none() {
                    given.object.fault_of_missing(name, "is required");
                }
                member?.decode(decode)
            }
            Kind::Any(any) => {
                any.required(name, decode);
                None
            }
        }
    }

    /// A member with `default` if it is left out.
    pub fn or<T: Serialize>(
        &mut self,
        name: &'static str,
        default: T,
        decode: impl FnOnce(Node<'j>) -> Option<T>,
    ) -> Option<T> {
        match &mut self.0 {
            Kind::Given(given) => match given.member(name) {
                Some(member) => member.optional().decode(decode),
                None => Some(default),
            },
            Kind::Any(any) => {
                any.optional(name, decode);
                let default = serde_json::to_value(default);
                any.default(
                    name,
                    &default.expect("defaults are strings, numbers and lists"),
                );
                None
            }
        }
    }

    /// Exactly one of two members. Neither and both are faults of the first; both are still checked
    /// for further ones.
    pub fn either<T>(
        &mut self,
        (first, decode_first): (&'static str, impl FnOnce(Node<'j>) -> Option<T>),
        (second, decode_second): (&'static str, impl FnOnce(Node<'j>) -> Option<T>),
    ) -> Option<T> {
        let given = match &mut self.0 {
            Kind::Given(given) => given,
            Kind::Any(any) => {
                any.optional(first, decode_first);
                any.optional(second, decode_second);
                any.either(first, second);
                return None;
            }
        };
        match (given.member(first), given.member(second)) {
            (Some(member), None) => member.decode(decode_first),
            (None, Some(member)) => member.decode(decode_second),
            (Some(member), Some(other)) => {
                member.fault(format!("must not be given together with {second}"));
                member.decode(decode_first);
                other.decode(decode_second);
                None
            }
            (None, None) => {
                let detail = format!("is required, unless {second} is given");
                given.object.fault_of_missing(first, detail);
                None
            }
        }
    }

    /// A fault of a member that is left out and may not be in this case.
    pub fn missing(&self, name: &'static str, detail: &'static str) {
        if let Kind::Given(given) = &self.0 {
            given.object.fault_of_missing(name, detail);
        }
    }

    /// Adds a JSON Schema keyword for a rule between members that the decoder checks itself.
    pub fn keyword(&mut self, keyword: &str, value: Value) {
        if let Kind::Any(any) = &mut self.0 {
            any.keyword(keyword, value);
        }
    }
}

impl<'j> Located<'j> {
    /// Members, if it is an object; those that `decode` does not ask for are faults.
    pub(super) fn members<T>(
        &self,
        decode: impl FnOnce(&mut Object<'j>) -> Option<T>,
    ) -> Option<T> {
        let Json::Object(members) = self.json else {
            return self.wrong_type("an object");
        };
        let mut object = Object(Kind::Given(Given::new(self.clone(), members)));
        let decoded = decode(&mut object);
        if let Kind::Given(given) = &object.0 {
            given.refuse_unknown();
        }
        decoded
    }
}

impl<'j> Given<'j> {
    pub(super) fn new(object: Located<'j>, members: &'j [(Cow<'j, str>, Json<'j>)]) -> Self {
        Self {
            object,
            members,
            known: Vec::new(),
        }
    }

    fn member(&mut self, name: &'static str) -> Option<Located<'j>> {
        self.known.push(name);
        let mut found = self
            .members
            .iter()
            .enumerate()
            .filter(|(_, (member, _))| member == name);
        let (index, (_, json)) = found.next()?;
        for (index, (_, json)) in found {
            let again = self.object.child(json, name, index);
            again.fault("must not appear twice");
        }
        Some(self.object.child(json, name, index))
    }

    pub(super) fn refuse_unknown(&self) {
        let detail = self.object.unknown_member();
        for (index, (name, json)) in self.members.iter().enumerate() {
            if !self.known.contains(&name.as_ref()) {
                self.object.child(json, name, index).fault(detail);
            }
        }
    }
}
