//! JSON Schemas (draft 2020-12), as OpenAPI 3.1 has them.

use std::ops::RangeInclusive;

use serde_json::{Map, Value, json};

use crate::vocabulary::WireName;

/// A character that leaves a mark: no white space, no control character, and
/// none of the Basic Multilingual Plane that is drawn as nothing. Those beyond
/// it have no notation that every dialect of patterns shares.
const VISIBLE: &str = "[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8]";
/// A character of a line: neither a control character nor a turn of direction.
const OF_LINE: &str = "[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]";
/// The same of several lines, in which tabs and line breaks stand too.
const OF_LINES: &str =
    "[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]";

/// One schema.
#[derive(Clone, Debug)]
pub(in crate::openapi) struct Schema(Map<String, Value>);

impl Schema {
    /// Without a keyword.
    pub(in crate::openapi) fn any() -> Self {
        Self(Map::new())
    }

    pub(in crate::openapi) fn string() -> Self {
        Self::typed("string")
    }

    pub(in crate::openapi) fn boolean() -> Self {
        Self::typed("boolean")
    }

    /// An integer that is not negative.
    pub(in crate::openapi) fn count() -> Self {
        Self::typed("integer").with("minimum", 0)
    }

    pub(in crate::openapi) fn integer(range: &RangeInclusive<u16>) -> Self {
        Self::typed("integer")
            .with("minimum", *range.start())
            .with("maximum", *range.end())
    }

    pub(in crate::openapi) fn uuid() -> Self {
        Self::string().with("format", "uuid")
    }

    pub(in crate::openapi) fn date_time() -> Self {
        Self::string().with("format", "date-time")
    }

    pub(in crate::openapi) fn email() -> Self {
        Self::string().with("format", "email")
    }

    pub(in crate::openapi) fn uri() -> Self {
        Self::string().with("format", "uri")
    }

    /// SHA-256 in hexadecimal digits.
    pub(in crate::openapi) fn sha256() -> Self {
        Self::string().pattern("^[0-9a-f]{64}$")
    }

    /// One of an enumeration's names.
    pub(in crate::openapi) fn one_of<T: WireName>() -> Self {
        let names: Vec<_> = T::ALL.iter().map(|(name, _)| *name).collect();
        Self::string().with("enum", names)
    }

    pub(in crate::openapi) fn constant(value: impl Into<Value>) -> Self {
        Self::any().with("const", value)
    }

    /// Another one of the document.
    pub(in crate::openapi) fn named(name: &str) -> Self {
        Self::any().with("$ref", format!("#/components/schemas/{name}"))
    }

    pub(in crate::openapi) fn array(items: Self) -> Self {
        Self::typed("array").with("items", items)
    }

    /// An object with exactly these members.
    pub(in crate::openapi) fn object(members: impl IntoIterator<Item = Member>) -> Self {
        let mut required = Vec::new();
        let mut properties = Map::new();
        for member in members {
            if member.required {
                required.push(member.name);
            }
            properties.insert(member.name.to_owned(), member.schema.into());
        }
        let object = Self::typed("object").with("properties", properties);
        let object = match required.is_empty() {
            true => object,
            false => object.with("required", required),
        };
        object.with("additionalProperties", false)
    }

    /// In Unicode code points.
    pub(in crate::openapi) fn max_length(self, length: usize) -> Self {
        self.with("maxLength", length)
    }

    pub(in crate::openapi) fn min_length(self, length: usize) -> Self {
        self.with("minLength", length)
    }

    /// One line.
    pub(in crate::openapi) fn line(self) -> Self {
        self.pattern(format!("^{OF_LINE}*$"))
    }

    /// One line with something to be seen.
    pub(in crate::openapi) fn visible_line(self) -> Self {
        let pattern = format!("^{OF_LINE}*{VISIBLE}{OF_LINE}*$");
        self.min_length(1).pattern(pattern)
    }

    /// Lines.
    pub(in crate::openapi) fn lines(self) -> Self {
        self.pattern(format!("^{OF_LINES}*$"))
    }

    /// Lines with something to be seen.
    pub(in crate::openapi) fn visible_lines(self) -> Self {
        let pattern = format!("^{OF_LINES}*{VISIBLE}{OF_LINES}*$");
        self.min_length(1).pattern(pattern)
    }

    /// A regular expression of ECMA-262.
    pub(in crate::openapi) fn pattern(self, pattern: impl Into<String>) -> Self {
        self.with("pattern", pattern.into())
    }

    /// How many items.
    pub(in crate::openapi) fn items(self, lengths: &RangeInclusive<usize>) -> Self {
        self.with("minItems", *lengths.start())
            .with("maxItems", *lengths.end())
    }

    /// Each item once.
    pub(in crate::openapi) fn unique(self) -> Self {
        self.with("uniqueItems", true)
    }

    pub(in crate::openapi) fn default(self, value: impl Into<Value>) -> Self {
        self.with("default", value)
    }

    pub(in crate::openapi) fn described(self, description: &str) -> Self {
        self.with("description", description)
    }

    /// Or null.
    pub(in crate::openapi) fn nullable(mut self) -> Self {
        if self.0.contains_key("$ref") {
            return Self::any().with("anyOf", [self.into(), json!({"type": "null"})]);
        }
        if let Some(Value::Array(values)) = self.0.get_mut("enum") {
            values.push(Value::Null);
        }
        let Some(plain) = self.0.remove("type") else {
            return self;
        };
        // Put first, where a reader looks for it.
        let mut nullable = Self::any().with("type", [plain, "null".into()]);
        nullable.0.extend(self.0);
        nullable
    }

    /// Any other keyword.
    pub(in crate::openapi) fn with(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.0.insert(keyword.to_owned(), value.into());
        self
    }

    fn typed(name: &str) -> Self {
        Self::any().with("type", name)
    }
}

impl From<Schema> for Value {
    fn from(schema: Schema) -> Self {
        Self::Object(schema.0)
    }
}

/// A member of an object.
pub(in crate::openapi) struct Member {
    name: &'static str,
    schema: Schema,
    required: bool,
}

/// A member that is always there.
pub(in crate::openapi) fn required(name: &'static str, schema: Schema) -> Member {
    Member {
        name,
        schema,
        required: true,
    }
}

/// A member that may be absent.
pub(in crate::openapi) fn optional(name: &'static str, schema: Schema) -> Member {
    Member {
        name,
        schema,
        required: false,
    }
}
