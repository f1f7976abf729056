use std::ops::RangeInclusive;

use email_address::EmailAddress;
use jiff::Timestamp;
use url::Url;
use uuid::Uuid;

use super::fault::append;
use super::json::Json;
use super::{Faults, Object, Position, base64, date_time, email, text, web_address};
use crate::ids::parse_uuid;
use crate::requests::limits::LONGEST_URL;
use crate::vocabulary::WireName;

/// What is wrong with a line that has a character of no use there.
const UNFIT_FOR_LINE: &str = "must be one line without control characters and direction marks";
/// The same of several lines.
pub const UNFIT_FOR_LINES: &str =
    "must have no control characters but tabs and line breaks, and no direction marks";

/// One value of a body, with its place in it.
#[derive(Clone)]
pub(crate) struct Node<'j> {
    json: &'j Json<'j>,
    faults: &'j Faults,
    pointer: String,
    position: Position,
}

impl<'j> Node<'j> {
    pub(super) fn root(json: &'j Json<'j>, faults: &'j Faults) -> Self {
        Self {
            json,
            faults,
            pointer: String::new(),
            position: Position::body(),
        }
    }

    pub(super) fn child(&self, json: &'j Json<'j>, token: &str, index: usize) -> Self {
        Self {
            json,
            faults: self.faults,
            pointer: append(&self.pointer, token),
            position: self.position.child(index),
        }
    }

    /// Its place, as a JSON Pointer.
    pub(crate) fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Notes a fault of this value.
    pub(crate) fn fault(&self, detail: impl Into<String>) {
        self.faults
            .note(self.position.clone(), self.pointer.clone(), detail);
    }

    /// Notes a fault of a member that is not there.
    pub(super) fn fault_of_missing(&self, name: &str, detail: impl Into<String>) {
        self.faults.note(
            self.position.missing_child(),
            append(&self.pointer, name),
            detail,
        );
    }

    /// Members of an object; `decode` asks for those that it knows, and every
    /// other one is a fault.
    pub(crate) fn object<T>(&self, decode: impl FnOnce(&mut Object<'j>) -> Option<T>) -> Option<T> {
        let Json::Object(members) = self.json else {
            return self.wrong_type("an object");
        };
        let mut object = Object::new(self.clone(), members);
        let decoded = decode(&mut object);
        object.refuse_unknown();
        decoded
    }

    /// Items of an array. A length that is not within `lengths` is a fault; too
    /// many items are all there to be looked at for more.
    pub(crate) fn items(&self, lengths: RangeInclusive<usize>) -> Option<Vec<Node<'j>>> {
        let Json::Array(items) = self.json else {
            return self.wrong_type("an array");
        };
        let (least, most) = (*lengths.start(), *lengths.end());
        if !lengths.contains(&items.len()) {
            self.fault(format!(
                "must have {least} to {most} items, and has {}",
                items.len()
            ));
        }
        if items.len() < least {
            return None;
        }
        Some(
            items
                .iter()
                .enumerate()
                .map(|(index, item)| self.child(item, &index.to_string(), index))
                .collect(),
        )
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        match self.json {
            Json::Boolean(value) => Some(*value),
            _ => self.wrong_type("true or false"),
        }
    }

    /// An integer within `range`.
    pub(crate) fn integer(&self, range: RangeInclusive<u16>) -> Option<u16> {
        let value = match self.json {
            Json::Integer(value) => u16::try_from(*value)
                .ok()
                .filter(|value| range.contains(value)),
            Json::Number => None,
            _ => return self.wrong_type("an integer"),
        };
        if value.is_none() {
            self.fault(format!(
                "must be an integer from {} to {}",
                range.start(),
                range.end()
            ));
        }
        value
    }

    /// One of an enumeration's names.
    pub(crate) fn one_of<T: WireName>(&self) -> Option<T> {
        let name = self.string()?;
        let value = T::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value);
        if value.is_none() {
            let names: Vec<_> = T::ALL.iter().map(|(known, _)| *known).collect();
            self.fault(format!("must be one of {}", names.join(", ")));
        }
        value
    }

    /// A line of at most `longest` characters.
    pub(crate) fn text(&self, longest: usize) -> Option<&'j str> {
        let value = self.bounded(longest)?;
        if text::disturbs_line(value) {
            self.fault(UNFIT_FOR_LINE);
            return None;
        }
        Some(value)
    }

    /// The same with at least one character that can be seen.
    pub(crate) fn visible_text(&self, longest: usize) -> Option<&'j str> {
        self.visible(self.text(longest)?)
    }

    /// At most `longest` characters in as many lines as somebody likes.
    pub(crate) fn lines(&self, longest: usize) -> Option<&'j str> {
        let value = self.bounded(longest)?;
        if text::disturbs_lines(value) {
            self.fault(UNFIT_FOR_LINES);
            return None;
        }
        Some(value)
    }

    /// The same with at least one character that can be seen.
    pub(crate) fn visible_lines(&self, longest: usize) -> Option<&'j str> {
        self.visible(self.lines(longest)?)
    }

    /// A name of a file, without a folder.
    pub(crate) fn file_name(&self, longest: usize) -> Option<&'j str> {
        let name = self.visible_text(longest)?;
        if name.contains(['/', '\\']) {
            self.fault("must be a file name without slashes");
            return None;
        }
        Some(name)
    }

    /// A string of exactly `length` ASCII digits.
    pub(crate) fn digits(&self, length: usize) -> Option<&'j str> {
        let value = self.string()?;
        if value.len() != length || !value.bytes().all(|byte| byte.is_ascii_digit()) {
            self.fault(format!("must be exactly {length} digits"));
            return None;
        }
        Some(value)
    }

    pub(crate) fn uuid(&self) -> Option<Uuid> {
        let id = parse_uuid(self.string()?);
        if id.is_none() {
            self.fault("must be a UUID");
        }
        id
    }

    /// A `date-time` of RFC 3339, 5.6.
    pub(crate) fn date_time(&self) -> Option<Timestamp> {
        let time = date_time::parse(self.string()?);
        if time.is_none() {
            self.fault("must be a date-time of RFC 3339, such as 2026-03-01T08:00:00Z");
        }
        time
    }

    pub(crate) fn email(&self) -> Option<EmailAddress> {
        let address = email::parse(self.string()?);
        if address.is_none() {
            self.fault("must be an email address");
        }
        address
    }

    /// An absolute http or https address with a host, without credentials and
    /// fragment.
    pub(crate) fn web_address(&self) -> Option<Url> {
        let url = web_address::parse(self.bounded(LONGEST_URL)?);
        if url.is_none() {
            self.fault("must be an absolute https URL without credentials and fragment");
        }
        url
    }

    /// What a base64 string (RFC 4648, 4) encodes, at most `longest` bytes.
    pub(crate) fn base64(&self, longest: usize) -> Option<Vec<u8>> {
        match base64::decode(self.string()?, longest) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.fault(error.to_string());
                None
            }
        }
    }

    /// A string of at most `longest` characters.
    fn bounded(&self, longest: usize) -> Option<&'j str> {
        let value = self.string()?;
        let length = value.chars().count();
        if length > longest {
            self.fault(format!(
                "must have at most {longest} characters, and has {length}"
            ));
            return None;
        }
        Some(value)
    }

    fn visible(&self, value: &'j str) -> Option<&'j str> {
        if !text::is_visible(value) {
            self.fault("must have at least one visible character");
            return None;
        }
        Some(value)
    }

    fn string(&self) -> Option<&'j str> {
        match self.json {
            Json::String(value) => Some(value),
            _ => self.wrong_type("a string"),
        }
    }

    fn wrong_type<T>(&self, wanted: &str) -> Option<T> {
        let found = match self.json {
            Json::Null => "null",
            Json::Boolean(_) => "a boolean",
            Json::Integer(_) | Json::Number => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        };
        self.fault(format!("must be {wanted}, and is {found}"));
        None
    }
}
