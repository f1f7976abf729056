//! Strict JSON (RFC 8259): a single value in UTF-8, without repeated object
//! members. Readers differ in the member they use (RFC 8259, 4), so that one
//! could be shown and another signed (RFC 7515, 4).

use std::collections::BTreeSet;
use std::fmt;

use parafa_format_core::Refusal;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Reason for rejecting a text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JsonError {
    /// Not JSON.
    #[error("it is no JSON: {0}")]
    Syntax(serde_json::Error),
    /// An object has a repeated member.
    #[error("{0}")]
    RepeatedMember(serde_json::Error),
    /// JSON, but not an object.
    #[error("it is no object")]
    NotAnObject,
}

/// Returns the member names of the top-level object; `None` for other values.
pub(crate) fn names(text: &[u8]) -> Result<Option<BTreeSet<String>>, JsonError> {
    let outermost: Outermost = serde_json::from_slice(text).map_err(|error| {
        // Every value is accepted, so no other data error is possible.
        if error.is_data() {
            JsonError::RepeatedMember(error)
        } else {
            JsonError::Syntax(error)
        }
    })?;
    Ok(outermost.0)
}

/// Returns the members of a text that is an object.
pub(crate) fn object(text: &[u8]) -> Result<Map<String, Value>, JsonError> {
    names(text)?.ok_or(JsonError::NotAnObject)?;
    named_object(text)
}

/// Like [`object`], for a text in which [`names`] found an object.
pub(crate) fn named_object(text: &[u8]) -> Result<Map<String, Value>, JsonError> {
    serde_json::from_slice(text).map_err(JsonError::Syntax)
}

impl JsonError {
    /// Converts the error into a refusal; `code` applies unless the error has
    /// its own.
    pub(crate) fn refusal(&self, code: &'static str, what: &str) -> Refusal {
        let code = match self {
            Self::RepeatedMember(_) => "repeated-member",
            Self::Syntax(_) | Self::NotAnObject => code,
        };
        Refusal::new(code, format!("{what} cannot be read: {self}."))
    }
}

/// A validated but discarded value; the member names of an object are kept.
struct Outermost(Option<BTreeSet<String>>);

impl<'de> Deserialize<'de> for Outermost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Anything)
    }
}

struct Anything;

const NO_OBJECT: Outermost = Outermost(None);

impl<'de> Visitor<'de> for Anything {
    type Value = Outermost;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Outermost, E> {
        Ok(NO_OBJECT)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Outermost, E> {
        Ok(NO_OBJECT)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Outermost, E> {
        Ok(NO_OBJECT)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Outermost, E> {
        Ok(NO_OBJECT)
    }

    fn visit_str<E>(self, _: &str) -> Result<Outermost, E> {
        Ok(NO_OBJECT)
    }

    fn visit_unit<E>(self) -> Result<Outermost, E> {
        Ok(NO_OBJECT)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Outermost, A::Error> {
        while items.next_element::<Outermost>()?.is_some() {}
        Ok(NO_OBJECT)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Outermost, A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if names.contains(&name) {
                return Err(A::Error::custom(format!("the member {name:?} is repeated")));
            }
            names.insert(name);
            members.next_value::<Outermost>()?;
        }
        Ok(Outermost(Some(names)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_member_may_not_be_there_twice_however_deep_or_escaped() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"[{"b":[{"a":1,"\u0061":2}]}]"#,
            r#"{"a":{"x":null,"y":0,"x":null}}"#,
        ] {
            let error = names(text.as_bytes()).unwrap_err();
            assert!(matches!(error, JsonError::RepeatedMember(_)), "{error}");
            assert!(error.to_string().contains("is repeated at line 1"));
        }
        assert!(names(br#"[{"a":1},{"a":1},{"A":1,"a":1}]"#).is_ok());
    }

    #[test]
    fn what_is_no_json_is_not_taken() {
        for text in [
            &b""[..],
            b"{} {}",
            b"{}x",
            b"\xEF\xBB\xBF{}",
            b"{'a':1}",
            b"{\"a\":1,}",
            b"[1,]",
            b"NaN",
            b"1e999",
            b"\"\xff\"",
            b"\"\\ud800\"",
            b"// c\n{}",
        ] {
            let error = names(text).unwrap_err();
            assert!(matches!(error, JsonError::Syntax(_)), "{error}");
        }
    }

    #[test]
    fn values_may_nest_as_deep_as_the_reader_takes_and_no_deeper() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));

        assert!(names(nested(127).as_bytes()).is_ok());
        assert!(names(nested(128).as_bytes()).is_err());
    }

    #[test]
    fn the_names_are_those_of_the_outermost_object() {
        let found = names(br#"{"b":{"c":1},"a":[]}"#).unwrap().unwrap();

        assert_eq!(Vec::from_iter(found), ["a", "b"]);
        assert!(matches!(object(b"[]"), Err(JsonError::NotAnObject)));
    }

    proptest! {
        #[test]
        fn what_is_taken_is_what_serde_json_takes(text in r#"[\[\]{}",:a1\\ \n-]{0,12}"#) {
            let is_json = serde_json::from_str::<Value>(&text).is_ok();
            match names(text.as_bytes()) {
                Ok(_) | Err(JsonError::RepeatedMember(_)) => prop_assert!(is_json),
                Err(_) => prop_assert!(!is_json),
            }
        }
    }
}
