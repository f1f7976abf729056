use std::ops::RangeInclusive;

use email_address::EmailAddress;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use super::json::Json;
use super::located::Located;
use super::patterns::{ANY_BASE64, BASE64, Characters, LINE, LINES, file_name_pattern};
use super::schema_recorder::{Members, SchemaRecorder};
use super::{Object, base64, date_time, email, text, web_address};
use crate::ids::parse_uuid;
use crate::openapi::Schemas;
use crate::vocabulary::WireName;

/// Longest address, in characters. No standard limits it; servers on the way
/// usually do, near this.
const LONGEST_URL: usize = 2048;

/// One value of a request, or a placeholder for any value.
#[derive(Clone)]
pub struct Node<'j>(Source<'j>);

#[derive(Clone)]
enum Source<'j> {
    Given(Located<'j>),
    Any(SchemaRecorder<'j>),
}

impl<'j> Located<'j> {
    /// Result of `decode`. A missing result is a fault even if the code recorded none: a refusal
    /// must name its cause.
    pub(super) fn decode<T>(self, decode: impl FnOnce(Node<'j>) -> Option<T>) -> Option<T> {
        let before = self.faults.count();
        let decoded = decode(Node::given(self.clone()));
        if decoded.is_none() && self.faults.count() == before {
            self.fault("is not accepted");
        }
        decoded
    }
}

impl<'j> Node<'j> {
    pub(super) fn given(located: Located<'j>) -> Self {
        Self(Source::Given(located))
    }

    pub(super) fn any(sketch: SchemaRecorder<'j>) -> Self {
        Self(Source::Any(sketch))
    }

    /// The value; `None` while recording a schema.
    fn value(&self, schema: impl FnOnce(&mut Schemas) -> Value) -> Option<&Located<'j>> {
        match &self.0 {
            Source::Given(located) => Some(located),
            Source::Any(sketch) => {
                let schema = schema(&mut sketch.schemas.borrow_mut());
                sketch.note(schema);
                None
            }
        }
    }

    /// Its place, as a JSON Pointer.
    #[must_use]
    pub fn pointer(&self) -> &str {
        match &self.0 {
            Source::Given(located) => &located.pointer,
            Source::Any(_) => "",
        }
    }

    /// Records a fault of this value, such as a duplicate.
    pub fn fault(&self, detail: impl Into<String>) {
        if let Source::Given(located) = &self.0 {
            located.fault(detail);
        }
    }

    /// Adds a description for callers.
    #[must_use]
    pub fn described(self, description: &str) -> Self {
        self.with("description", description)
    }

    /// Adds a JSON Schema keyword for a rule that the decoder checks itself.
    #[must_use]
    pub fn with(self, keyword: &str, value: impl Into<Value>) -> Self {
        if let Source::Any(sketch) = &self.0 {
            sketch.keyword(keyword, value);
        }
        self
    }

    /// Members of an object; `decode` asks for those that it knows, and every other one is a fault.
    /// `name` is the name of the schema.
    pub fn object<T>(
        &self,
        name: &str,
        decode: impl FnOnce(&mut Object<'j>) -> Option<T>,
    ) -> Option<T> {
        match &self.0 {
            Source::Given(located) => located.members(decode),
            Source::Any(sketch) => {
                if sketch.schemas.borrow_mut().begin(name) {
                    let schema = Members::of(sketch.schemas, decode).schema();
                    sketch.schemas.borrow_mut().define(name, schema);
                }
                sketch.note(Schemas::reference(name));
                None
            }
        }
    }

    /// Items of an array. A length outside `lengths` is a fault; all items are checked for faults
    /// even if there are too many.
    pub fn items<T>(
        &self,
        lengths: RangeInclusive<usize>,
        mut decode: impl FnMut(Node<'j>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let (least, most) = (*lengths.start(), *lengths.end());
        let located = match &self.0 {
            Source::Given(located) => located,
            Source::Any(sketch) => {
                let items = SchemaRecorder::of(sketch.schemas, decode);
                sketch.note(json!({
                    "type": "array",
                    "items": items,
                    "minItems": least,
                    "maxItems": most,
                }));
                return None;
            }
        };
        let Json::Array(items) = located.json else {
            return located.wrong_type("an array");
        };
        if !lengths.contains(&items.len()) {
            let found = items.len();
            located.fault(format!(
                "must have {least} to {most} items, but has {found}"
            ));
        }
        if items.len() < least {
            return None;
        }
        let nodes = items.iter().enumerate();
        let decoded: Vec<_> = nodes
            .map(|(index, item)| located.child(item, &index.to_string(), index))
            .map(|item| item.decode(&mut decode))
            .collect();
        decoded.into_iter().collect()
    }

    /// Items of an array without duplicates.
    pub fn distinct_items<T: PartialEq>(
        &self,
        lengths: RangeInclusive<usize>,
        decode: impl Fn(&Node<'j>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut seen: Vec<T> = Vec::new();
        let node = self.clone().with("uniqueItems", true);
        node.items(lengths, |item| {
            let value = decode(&item)?;
            if seen.contains(&value) {
                item.fault("must not appear twice");
            } else {
                seen.push(value);
            }
            Some(())
        })?;
        Some(seen)
    }

    /// True or false.
    pub fn boolean(&self) -> Option<bool> {
        let value = self.value(|_| json!({"type": "boolean"}))?;
        match value.json {
            Json::Boolean(value) => Some(*value),
            _ => value.wrong_type("true or false"),
        }
    }

    /// An integer within `range`; in a query, of nothing but digits.
    pub fn integer(&self, range: RangeInclusive<u16>) -> Option<u16> {
        let (least, most) = (*range.start(), *range.end());
        let value =
            self.value(|_| json!({"type": "integer", "minimum": least, "maximum": most}))?;
        let number = match value.json {
            Json::Integer(number) => Some(*number),
            Json::Number => None,
            Json::String(text) if value.in_query => of_digits(text),
            _ => return value.wrong_type("an integer"),
        };
        let number = number.and_then(|number| u16::try_from(number).ok());
        let number = number.filter(|number| range.contains(number));
        if number.is_none() {
            value.fault(format!("must be an integer from {least} to {most}"));
        }
        number
    }

    /// A name of an enumeration's value.
    pub fn one_of<T: WireName + JsonSchema>(&self) -> Option<T> {
        let value = self.value(Schemas::of::<T>)?;
        let name = value.string()?;
        let known = T::ALL.iter().find(|(known, _)| *known == name);
        if known.is_none() {
            let names: Vec<_> = T::ALL.iter().map(|(known, _)| *known).collect();
            value.fault(format!("must be one of {}", names.join(", ")));
        }
        known.map(|(_, value)| *value)
    }

    /// A line of at most `longest` characters.
    pub fn text(&self, longest: usize) -> Option<&'j str> {
        self.of_characters(&LINE, || LINE.any(longest), longest)
    }

    /// Like [`Self::text`], with at least one visible character.
    pub fn visible_text(&self, longest: usize) -> Option<&'j str> {
        self.seen(self.of_characters(&LINE, || LINE.visible(longest), longest)?)
    }

    /// At most `longest` characters in any number of lines.
    pub fn lines(&self, longest: usize) -> Option<&'j str> {
        self.of_characters(&LINES, || LINES.any(longest), longest)
    }

    /// Like [`Self::lines`], with at least one visible character.
    pub fn visible_lines(&self, longest: usize) -> Option<&'j str> {
        self.seen(self.of_characters(&LINES, || LINES.visible(longest), longest)?)
    }

    fn of_characters(
        &self,
        characters: &Characters,
        schema: impl FnOnce() -> Value,
        longest: usize,
    ) -> Option<&'j str> {
        let value = self.value(|_| schema())?;
        let text = value.bounded(longest)?;
        if (characters.disturb)(text) {
            value.fault(characters.otherwise);
            return None;
        }
        Some(text)
    }

    fn seen(&self, text: &'j str) -> Option<&'j str> {
        if !text::is_visible(text) {
            self.fault(text::NOTHING_VISIBLE);
            return None;
        }
        Some(text)
    }

    /// A file name without a folder. The decoder itself must check for one of the `extensions`,
    /// because it knows the reason.
    pub fn file_name(&self, longest: usize, extensions: &[&str]) -> Option<&'j str> {
        let schema = || {
            let pattern = file_name_pattern(extensions);
            json!({"type": "string", "maxLength": longest, "pattern": pattern})
        };
        let name = self.seen(self.of_characters(&LINE, schema, longest)?)?;
        if name.contains(['/', '\\']) {
            self.fault("must be a file name without slashes");
            return None;
        }
        Some(name)
    }

    /// A string of exactly `length` ASCII digits.
    pub fn digits(&self, length: usize) -> Option<&'j str> {
        let pattern = format!("^[0-9]{{{length}}}$");
        let value = self.value(|_| json!({"type": "string", "pattern": pattern}))?;
        let digits = value.string()?;
        if digits.len() != length || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            value.fault(format!("must be exactly {length} digits"));
            return None;
        }
        Some(digits)
    }

    /// A string that `parse` accepts; `wanted` is the requirement in words, `pattern` the same as a
    /// regular expression of ECMA-262.
    pub fn parsed<T>(
        &self,
        pattern: &str,
        wanted: &str,
        parse: impl FnOnce(&'j str) -> Option<T>,
    ) -> Option<T> {
        let schema = |_: &mut Schemas| json!({"type": "string", "pattern": pattern});
        self.formatted(schema, wanted, parse)
    }

    fn formatted<T>(
        &self,
        schema: impl FnOnce(&mut Schemas) -> Value,
        wanted: &str,
        parse: impl FnOnce(&'j str) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(schema)?;
        let parsed = parse(value.string()?);
        if parsed.is_none() {
            value.fault(format!("must be {wanted}"));
        }
        parsed
    }

    /// A UUID in its hyphenated form.
    pub fn uuid(&self) -> Option<Uuid> {
        let schema = |_: &mut Schemas| json!({"type": "string", "format": "uuid"});
        self.formatted(schema, "a UUID", parse_uuid)
    }

    /// A `date-time` of RFC 3339, 5.6.
    pub fn date_time(&self) -> Option<Timestamp> {
        let schema = |_: &mut Schemas| json!({"type": "string", "format": "date-time"});
        let wanted = "a date-time of RFC 3339, such as 2026-03-01T08:00:00Z";
        self.formatted(schema, wanted, date_time::parse)
    }

    /// An email address.
    pub fn email(&self) -> Option<EmailAddress> {
        let schema = |_: &mut Schemas| json!({"type": "string", "format": "email"});
        self.formatted(schema, "an email address", email::parse)
    }

    /// An absolute http or https address with a host, without credentials and
    /// fragment.
    pub fn web_address(&self) -> Option<Url> {
        let value =
            self.value(|_| json!({"type": "string", "format": "uri", "maxLength": LONGEST_URL}))?;
        let url = web_address::parse(value.bounded(LONGEST_URL)?);
        if url.is_none() {
            value.fault("must be an absolute https URL without credentials and fragment");
        }
        url
    }

    /// Decodes a base64 string (RFC 4648, 4; lines as in RFC 2045, 6.8) to at most
    /// `longest` bytes.
    pub fn base64(&self, longest: usize) -> Option<Vec<u8>> {
        let value = self.value(|_| {
            json!({
                "type": "string",
                "contentEncoding": "base64",
                "pattern": BASE64,
            })
        })?;
        match base64::decode(value.string()?, longest) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                value.fault(error.to_string());
                None
            }
        }
    }

    /// Decodes base64 of either alphabet, padded or not, to 1 to `longest` bytes. Cards' apps use
    /// different libraries.
    pub fn any_base64(&self, longest: usize) -> Option<Vec<u8>> {
        let schema = |_: &mut Schemas| json!({"type": "string", "contentEncoding": "base64", "pattern": ANY_BASE64});
        let wanted = format!("base64 of 1 to {longest} bytes");
        self.formatted(schema, &wanted, |text| base64::decode_any(text, longest))
    }
}

/// A number as JSON writes it (RFC 8259, 6), so that each has one form.
fn of_digits(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_one = digits && (text == "0" || !text.starts_with('0'));
    is_one.then(|| text.parse().ok()).flatten()
}
