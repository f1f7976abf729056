//! The unprotected header: `etsiU` (ETSI TS 119 182-1, 5.3.1), its only member.
//! The components are JSON objects with one member, either all plain or all in
//! base64url.

use parafa_ades::Values;
use parafa_format_core::{Refusal, TimestampKind};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::encoding::{from_base64, from_base64url, to_base64, to_base64url};
use crate::json;
use crate::schema;

/// Name of the member.
const ETSI_U: &str = "etsiU";
/// Maximum number of certificates, and of revocation data, that are read.
const MAX_OBJECTS: usize = 1000;
/// Maximum number of time-stamps; each is verified.
const MAX_TIMESTAMPS: usize = 100;

/// The components, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnsignedHeader {
    components: Vec<Component>,
    /// The components are plain objects.
    is_clear: bool,
}

#[derive(Clone, Debug)]
struct Component {
    name: String,
    value: Value,
    /// The list item, as written.
    item: Value,
}

/// A time-stamp token of the header.
#[derive(Debug)]
pub(crate) struct Stamp {
    pub(crate) kind: TimestampKind,
    /// DER if it can be decoded, or else the text.
    pub(crate) token: Vec<u8>,
}

/// Certificates and revocation data of the header, each DER-encoded.
#[derive(Debug, Default)]
pub(crate) struct ValidationValues {
    pub(crate) certificates: Vec<Vec<u8>>,
    /// OCSP responses and CRLs.
    pub(crate) revocation: Vec<Vec<u8>>,
}

impl UnsignedHeader {
    /// Reads the member `header` of the serialization.
    pub(crate) fn read(header: Value) -> Result<Self, Refusal> {
        let Value::Object(mut header) = header else {
            return Err(invalid("The unprotected header is no object."));
        };
        let components = header.remove(ETSI_U);
        if let Some(name) = header.keys().next() {
            return Err(invalid(format!(
                "The unprotected header has {name:?}, where only {ETSI_U:?} may stand: nobody \
                 has signed it."
            )));
        }
        let Some(Value::Array(items)) = components.filter(|items| *items != json!([])) else {
            return Err(invalid(format!(
                "{ETSI_U:?} is no list with something in it."
            )));
        };
        let is_clear = items[0].is_object();
        let components = items
            .into_iter()
            .map(|item| Component::read(item, is_clear));
        Ok(Self {
            components: components.collect::<Result<_, _>>()?,
            is_clear,
        })
    }

    /// Returns whether there are no components.
    pub(crate) fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// Adds a signature time-stamp (TS 119 182-1, 5.3.4), a DER-encoded RFC
    /// 3161 token.
    pub(crate) fn with_signature_timestamp(mut self, token: &[u8]) -> Self {
        let value = json!({"tstTokens": [{"val": to_base64(token)}]});
        self.push("sigTst", value);
        self
    }

    /// Appends certificates and revocation data (TS 119 182-1, 5.3.5.2 and
    /// 5.3.5.4).
    pub(crate) fn with_values(&self, values: &Values) -> Self {
        let mut header = self.clone();
        let objects = |ders: &[Vec<u8>]| -> Vec<Value> {
            let ders = ders.iter();
            ders.map(|der| json!({"val": to_base64(der)})).collect()
        };
        let certificates = objects(&values.certificates).into_iter();
        let certificates: Vec<_> = certificates
            .map(|certificate| json!({"x509Cert": certificate}))
            .collect();
        if !certificates.is_empty() {
            header.push("xVals", certificates.into());
        }
        let lists = [("crlVals", &values.lists), ("ocspVals", &values.responses)];
        let lists = lists.into_iter().filter(|(_, ders)| !ders.is_empty());
        let lists: Map<_, _> = lists
            .map(|(name, ders)| (name.to_owned(), objects(ders).into()))
            .collect();
        if !lists.is_empty() {
            header.push("rVals", lists.into());
        }
        header
    }

    /// Returns the number of counter-signatures (TS 119 182-1, 5.3.2).
    pub(crate) fn counter_signatures(&self) -> usize {
        let components = self.components.iter();
        let counter_signatures = components.filter(|component| component.name == "cSig");
        counter_signatures.count()
    }

    /// Returns the time-stamps; `None` for more than [`MAX_TIMESTAMPS`].
    pub(crate) fn timestamps(&self) -> Option<Vec<Stamp>> {
        let stamps = self.components.iter().flat_map(|component| {
            let kind = match component.name.as_str() {
                "sigTst" => Some(TimestampKind::Signature),
                "arcTst" => Some(TimestampKind::Archive),
                _ => None,
            };
            let tokens = kind.map(|_| items_of(&component.value, "tstTokens"));
            let tokens = tokens.into_iter().flatten();
            tokens.filter_map(move |token| {
                let text = token.get("val").and_then(Value::as_str).unwrap_or_default();
                Some(Stamp {
                    kind: kind?,
                    token: from_base64(text).unwrap_or_else(|| text.as_bytes().to_vec()),
                })
            })
        });
        let stamps: Vec<_> = stamps.take(MAX_TIMESTAMPS + 1).collect();
        (stamps.len() <= MAX_TIMESTAMPS).then_some(stamps)
    }

    /// Returns the validation material (TS 119 182-1, 5.3.5), omitting
    /// undecodable values; `None` without such components.
    pub(crate) fn validation_values(&self) -> Option<ValidationValues> {
        let mut values = ValidationValues::default();
        let mut are_there = false;
        for Component { name, value, .. } in &self.components {
            match name.as_str() {
                "xVals" => values.add_certificates(value),
                "rVals" => values.add_revocation(value),
                "tstVD" | "anyValData" => {
                    values.add_certificates(&value["xVals"]);
                    values.add_revocation(&value["rVals"]);
                }
                _ => continue,
            }
            are_there = true;
        }
        values.certificates.truncate(MAX_OBJECTS);
        values.revocation.truncate(MAX_OBJECTS);
        are_there.then_some(values)
    }

    fn push(&mut self, name: &str, value: Value) {
        let object = Value::Object(Map::from_iter([(name.to_owned(), value.clone())]));
        let item = if self.is_clear {
            object
        } else {
            to_base64url(object.to_string()).into()
        };
        self.components.push(Component {
            name: name.to_owned(),
            value,
            item,
        });
    }
}

impl Serialize for UnsignedHeader {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let items = self.components.iter().map(|component| &component.item);
        serializer.collect_map([(ETSI_U, items.collect::<Vec<_>>())])
    }
}

impl Component {
    fn read(item: Value, is_clear: bool) -> Result<Self, Refusal> {
        let members = match &item {
            Value::Object(members) if is_clear => members.clone(),
            Value::String(text) if !is_clear => {
                let text = from_base64url(text).ok_or_else(|| {
                    invalid(format!("A component of {ETSI_U:?} is not base64url."))
                })?;
                let what = format!("A component of {ETSI_U:?}");
                json::object(&text).map_err(|error| error.refusal("header-invalid", &what))?
            }
            _ => {
                return Err(invalid(format!(
                    "The components of {ETSI_U:?} are neither all objects nor all strings."
                )));
            }
        };
        let is_sound = schema::is_object_of("component", &members);
        let mut members = members.into_iter();
        match (members.next(), members.next()) {
            (Some((name, _)), None) if !is_sound => Err(invalid(format!(
                "The component {name:?} of {ETSI_U:?} is not built as its schema has it."
            ))),
            (Some((name, value)), None) => Ok(Self { name, value, item }),
            _ => Err(invalid(format!(
                "A component of {ETSI_U:?} has not exactly one member."
            ))),
        }
    }
}

impl ValidationValues {
    fn add_certificates(&mut self, list: &Value) {
        let items = list.as_array().into_iter().flatten();
        let values = items.filter_map(|item| value_of(item.get("x509Cert")?));
        self.certificates.extend(values);
    }

    fn add_revocation(&mut self, lists: &Value) {
        for name in ["ocspVals", "crlVals"] {
            let values = items_of(lists, name).filter_map(value_of);
            self.revocation.extend(values);
        }
    }
}

fn items_of<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value[name].as_array().into_iter().flatten()
}

/// Returns the DER in `val` of an object (`pkiOb`, TS 119 182-1, 5.4.1).
fn value_of(object: &Value) -> Option<Vec<u8>> {
    from_base64(object.get("val")?.as_str()?)
}

fn invalid(detail: impl Into<String>) -> Refusal {
    Refusal {
        subjects: vec!["header".to_owned()],
        ..Refusal::new("header-invalid", detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(header: Value) -> Result<UnsignedHeader, Refusal> {
        UnsignedHeader::read(header)
    }

    #[test]
    fn components_are_read_whether_they_are_encoded_or_not() {
        let clear = json!({"sigTst": {"tstTokens": [{"val": "MAA="}]}});
        let encoded = json!(to_base64url(clear.to_string()));

        for item in [clear, encoded] {
            let header = read(json!({"etsiU": [item.clone()]})).unwrap();
            let [stamp] = &header.timestamps().unwrap()[..] else {
                panic!("one time-stamp")
            };
            assert_eq!(stamp.token, [0x30, 0]);
            assert_eq!(json!(header), json!({"etsiU": [item]}));
        }
    }

    #[test]
    fn what_is_added_looks_like_what_is_there() {
        let values = json!({"xVals": [{"x509Cert": {"val": "MAA="}}]});
        for item in [values.clone(), json!(to_base64url(values.to_string()))] {
            let header = read(json!({"etsiU": [item]})).unwrap();
            let header = header.with_signature_timestamp(&[0x30, 0]);
            let again = read(json!(header)).unwrap();

            assert_eq!(again.timestamps().unwrap().len(), 1);
            assert_eq!(again.validation_values().unwrap().certificates.len(), 1);
        }
    }

    #[test]
    fn nothing_but_components_of_one_kind_is_taken() {
        for header in [
            json!([]),
            json!({}),
            json!({"etsiU": []}),
            json!({"etsiU": {}}),
            json!({"etsiU": [{"a": 1}], "alg": "none"}),
            json!({"etsiU": [{"a": 1}, to_base64url(r#"{"a":1}"#)]}),
            json!({"etsiU": [to_base64url(r#"{"a":1}"#), {"a": 1}]}),
            json!({"etsiU": [{"a": 1, "b": 2}]}),
            json!({"etsiU": [{}]}),
            json!({"etsiU": ["e30="]}),
            json!({"etsiU": [to_base64url("[]")]}),
            json!({"etsiU": [1]}),
            json!({"etsiU": [{"xVals": []}]}),
            json!({"etsiU": [to_base64url(r#"{"sigTst":{"tstTokens":[]}}"#)]}),
        ] {
            let refusal = read(header.clone()).unwrap_err();
            assert_eq!(refusal.code, "header-invalid", "{header}");
        }
        let repeated = to_base64url(r#"{"a":1,"a":1}"#);
        let refusal = read(json!({"etsiU": [repeated]})).unwrap_err();
        assert_eq!(refusal.code, "repeated-member");
    }

    #[test]
    fn more_time_stamps_than_are_verified_are_told() {
        let with = |count| {
            let tokens = vec![json!({"val": ""}); count];
            let stamps = json!({"sigTst": {"tstTokens": tokens}});
            read(json!({"etsiU": [stamps]})).unwrap().timestamps()
        };

        assert_eq!(with(MAX_TIMESTAMPS).unwrap().len(), MAX_TIMESTAMPS);
        assert!(with(MAX_TIMESTAMPS + 1).is_none());
    }
}
