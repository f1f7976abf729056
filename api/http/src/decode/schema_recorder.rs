//! Recording of what a decoder accepts.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::object::Kind;
use super::{Node, Object};
use crate::openapi::Schemas;

/// A value of any kind, and the JSON Schema of what is accepted in its place.
#[derive(Clone)]
pub(super) struct SchemaRecorder<'j> {
    pub(super) schemas: &'j RefCell<Schemas>,
    schema: Rc<RefCell<Map<String, Value>>>,
}

impl<'j> SchemaRecorder<'j> {
    pub(super) fn new(schemas: &'j RefCell<Schemas>) -> Self {
        Self {
            schemas,
            schema: Rc::default(),
        }
    }

    /// Records a keyword.
    pub(super) fn keyword(&self, keyword: &str, value: impl Into<Value>) {
        let mut schema = self.schema.borrow_mut();
        schema.insert(keyword.to_owned(), value.into());
    }

    /// Records a schema, before the keywords recorded so far.
    pub(super) fn note(&self, schema: Value) {
        let Value::Object(mut schema) = schema else {
            return;
        };
        schema.append(&mut self.schema.borrow_mut());
        self.schema.replace(schema);
    }

    /// The schema of what `decode` accepts.
    pub(super) fn of<T>(
        schemas: &'j RefCell<Schemas>,
        decode: impl FnOnce(Node<'j>) -> Option<T>,
    ) -> Value {
        let sketch = Self::new(schemas);
        decode(Node::any(sketch.clone()));
        Value::Object(sketch.schema.take())
    }
}

/// The members of an object of any kind.
pub(crate) struct Members<'j> {
    schemas: &'j RefCell<Schemas>,
    properties: Map<String, Value>,
    required: Vec<&'static str>,
    keywords: Map<String, Value>,
}

impl<'j> Members<'j> {
    pub(super) fn of<T>(
        schemas: &'j RefCell<Schemas>,
        decode: impl FnOnce(&mut Object<'j>) -> Option<T>,
    ) -> Self {
        let mut object = Object(Kind::Any(Self {
            schemas,
            properties: Map::new(),
            required: Vec::new(),
            keywords: Map::new(),
        }));
        decode(&mut object);
        match object.0 {
            Kind::Any(members) => members,
            Kind::Given(_) => unreachable!("an object stays of its kind"),
        }
    }

    pub(super) fn optional<T>(
        &mut self,
        name: &'static str,
        decode: impl FnOnce(Node<'j>) -> Option<T>,
    ) {
        let schema = SchemaRecorder::of(self.schemas, decode);
        self.properties.insert(name.to_owned(), schema);
    }

    pub(super) fn required<T>(
        &mut self,
        name: &'static str,
        decode: impl FnOnce(Node<'j>) -> Option<T>,
    ) {
        self.optional(name, decode);
        self.required.push(name);
    }

    /// Documents the default of an optional member. In words, because client generators treat a
    /// member with the keyword `default` as always present.
    pub(super) fn default(&mut self, name: &str, value: &Value) {
        let Some(Value::Object(schema)) = self.properties.get_mut(name) else {
            return;
        };
        let shown = match value {
            Value::String(text) => text.clone(),
            Value::Array(items) => {
                let items = items.iter().map(|item| item.as_str().unwrap_or_default());
                items.collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        };
        let described = schema.entry("description").or_insert_with(|| "".into());
        let before = described.as_str().unwrap_or_default();
        *described = format!("{before} Default: {shown}.").trim_start().into();
    }

    pub(super) fn keyword(&mut self, keyword: &str, value: Value) {
        let before = self.keywords.insert(keyword.to_owned(), value);
        debug_assert!(before.is_none(), "{keyword} can be said once of an object");
    }

    /// Exactly one of two members. Expressed by conditions, so that client generators still find
    /// the object's members.
    pub(super) fn either(&mut self, first: &str, second: &str) {
        self.keyword("if", json!({"required": [first]}));
        self.keyword("then", json!({"properties": {second: false}}));
        self.keyword("else", json!({"required": [second]}));
    }

    /// An object with exactly these members.
    pub(super) fn schema(self) -> Value {
        let mut schema = json!({"type": "object", "properties": self.properties});
        if !self.required.is_empty() {
            schema["required"] = self.required.into();
        }
        schema["additionalProperties"] = false.into();
        if let Value::Object(schema) = &mut schema {
            schema.extend(self.keywords);
        }
        schema
    }

    /// Name, schema and whether it is required, of each.
    pub(crate) fn each(self) -> impl Iterator<Item = (String, Value, bool)> {
        let Self {
            properties,
            required,
            ..
        } = self;
        properties.into_iter().map(move |(name, schema)| {
            let is_required = required.contains(&name.as_str());
            (name, schema, is_required)
        })
    }
}

/// Schema of the bodies that `decode` accepts.
pub(crate) fn body_schema<T>(
    schemas: &RefCell<Schemas>,
    decode: impl FnOnce(Node<'_>) -> Option<T>,
) -> Value {
    SchemaRecorder::of(schemas, decode)
}

/// Parameters of the queries that `decode` accepts.
pub(crate) fn query_members<T>(
    schemas: &RefCell<Schemas>,
    decode: impl FnOnce(&mut Object<'_>) -> Option<T>,
) -> Members<'_> {
    Members::of(schemas, decode)
}
