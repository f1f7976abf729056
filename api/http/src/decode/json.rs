//! A JSON text as a tree that preserves what `serde_json::Value` loses: duplicate members, and if a
//! number was written as an integer.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

/// Maximum number of values in one body; each member and item counts. The largest request of the
/// contract has a few hundred. The limit keeps a body of brackets from taking many times its length
/// in memory.
const MOST_VALUES: u32 = 20_000;

/// One JSON value (RFC 8259, 3).
#[derive(Debug)]
pub(crate) enum Json<'b> {
    Null,
    Boolean(bool),
    /// A non-negative integer as in JSON Schema (2020-12 validation, 6.1.1), so that `14.0` is one.
    Integer(u64),
    /// Other numbers.
    Number,
    String(Cow<'b, str>),
    Array(Vec<Json<'b>>),
    Object(Vec<(Cow<'b, str>, Json<'b>)>),
}

/// Reason why a body is not a JSON text.
#[derive(Debug)]
pub(super) enum NotJson {
    Empty,
    Broken(serde_json::Error),
}

impl fmt::Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("must be a JSON object, but is empty"),
            Self::Broken(error) => write!(f, "is not readable as JSON: {error}"),
        }
    }
}

/// Reads one JSON text. Depth is limited by `serde_json`.
pub(super) fn parse(body: &[u8]) -> Result<Json<'_>, NotJson> {
    if body.trim_ascii().is_empty() {
        return Err(NotJson::Empty);
    }
    let left = Cell::new(MOST_VALUES);
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let json = Value { left: &left }
        .deserialize(&mut deserializer)
        .map_err(NotJson::Broken)?;
    deserializer.end().map_err(NotJson::Broken)?;
    Ok(json)
}

/// Deserialises a value as long as there are values left.
#[derive(Clone, Copy)]
struct Value<'c> {
    left: &'c Cell<u32>,
}

impl<'b> DeserializeSeed<'b> for Value<'_> {
    type Value = Json<'b>;

    fn deserialize<D: Deserializer<'b>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let left = self.left.get().checked_sub(1);
        self.left
            .set(left.ok_or_else(|| D::Error::custom(format!("more than {MOST_VALUES} values")))?);
        deserializer.deserialize_any(self)
    }
}

impl<'b> Visitor<'b> for Value<'_> {
    type Value = Json<'b>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Json::Boolean(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Json::Integer(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Json::Number)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        let digits = value.to_string();
        Ok(digits.parse().map_or(Json::Number, Json::Integer))
    }

    fn visit_borrowed_str<E>(self, value: &'b str) -> Result<Self::Value, E> {
        Ok(Json::String(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Json::String(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'b>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            array.push(item);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'b>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut object = Vec::new();
        while let Some(name) = members.next_key_seed(Name)? {
            object.push((name, members.next_value_seed(self)?));
        }
        Ok(Json::Object(object))
    }
}

/// Deserializes a member's name, without a copy if it has no escapes.
struct Name;

impl<'b> DeserializeSeed<'b> for Name {
    type Value = Cow<'b, str>;

    fn deserialize<D: Deserializer<'b>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'b> Visitor<'b> for Name {
    type Value = Cow<'b, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member's name")
    }

    fn visit_borrowed_str<E>(self, name: &'b str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_occur_twice_are_both_kept() {
        let Ok(Json::Object(members)) = parse(br#"{"a":1,"b":[],"a":2}"#) else {
            panic!("an object")
        };
        let names: Vec<_> = members.iter().map(|(name, _)| name.as_ref()).collect();
        assert_eq!(names, ["a", "b", "a"]);
    }

    #[test]
    fn a_number_with_nothing_behind_its_point_is_an_integer() {
        for text in ["14", "14.0", "1.4e1"] {
            let parsed = parse(text.as_bytes());
            assert!(matches!(parsed, Ok(Json::Integer(14))), "{text}");
        }
        for text in [
            "14.5",
            "1e-1",
            "-1",
            "-1.0",
            "1e300",
            "18446744073709551616",
        ] {
            assert!(matches!(parse(text.as_bytes()), Ok(Json::Number)), "{text}");
        }
    }

    #[test]
    fn a_string_without_escapes_is_not_copied() {
        assert!(matches!(
            parse(br#""abc""#),
            Ok(Json::String(Cow::Borrowed("abc")))
        ));
        assert!(matches!(parse(br#""a\/c""#), Ok(Json::String(Cow::Owned(text))) if text == "a/c"));
    }

    #[test]
    fn depth_and_number_of_values_are_limited() {
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
        let many = format!("[{}0]", "0,".repeat(MOST_VALUES as usize));
        assert!(parse(many.as_bytes()).is_err());
    }

    #[test]
    fn what_follows_the_text_is_refused() {
        assert!(parse(b"{} {}").is_err());
        assert!(parse(b"{} \n").is_ok());
    }
}
