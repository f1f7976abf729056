//! Conversion of validated tokens into values.
//!
//! Only the types of `lopdf` are used, not its reader: it would repair invalid
//! input and find other objects than the validated ones.

use std::str::FromStr;

use lopdf::{Dictionary, Object, ObjectId, Stream, StringFormat};
use parafa_format_core::Refusal;

use super::scan::{Scanner, Token};
use super::text::{decode_hex, decode_literal, decode_name};

/// Creates a stream with this dictionary, without data if that was omitted.
pub(super) fn stream(dictionary: &[u8], data: Option<&[u8]>) -> Option<Object> {
    let Object::Dictionary(dictionary) = value(dictionary)? else {
        return None;
    };
    let data = data.unwrap_or_default().to_vec();
    Some(Object::Stream(Stream::new(dictionary, data)))
}

/// Returns the value of a scanned source; `None` if a number is too long for
/// any reader.
pub(super) fn value(source: &[u8]) -> Option<Object> {
    let mut scanner = Scanner::new(source, 0);
    let (token, _) = scanner.token().ok()??;
    value_from(token, &mut scanner)
}

/// Scanning has already bounded the nesting.
fn value_from(token: Token<'_>, scanner: &mut Scanner<'_>) -> Option<Object> {
    Some(match token {
        Token::ArrayStart => {
            let mut items = Vec::new();
            loop {
                match scanner.token().ok()?? {
                    (Token::ArrayEnd, _) => break Object::Array(items),
                    (token, _) => items.push(value_from(token, scanner)?),
                }
            }
        }
        Token::DictionaryStart => {
            let mut entries = Dictionary::new();
            loop {
                match scanner.token().ok()?? {
                    (Token::DictionaryEnd, _) => break Object::Dictionary(entries),
                    (Token::Name(key), _) => {
                        let (token, _) = scanner.token().ok()??;
                        entries.set(decode_name(key), value_from(token, scanner)?);
                    }
                    _ => return None,
                }
            }
        }
        Token::HexString(digits) => Object::String(decode_hex(digits), StringFormat::Hexadecimal),
        Token::LiteralString(text) => Object::String(decode_literal(text), StringFormat::Literal),
        Token::Name(name) => Object::Name(decode_name(name).into_owned()),
        Token::Number(digits) => match scanner.rest_of_reference(digits) {
            Some((number, generation)) => Object::Reference((number, generation.try_into().ok()?)),
            None if digits.contains(&b'.') => Object::Real(number(digits)?),
            None => Object::Integer(number(digits)?),
        },
        Token::Keyword(b"true") => Object::Boolean(true),
        Token::Keyword(b"false") => Object::Boolean(false),
        Token::Keyword(b"null") => Object::Null,
        Token::ArrayEnd | Token::DictionaryEnd | Token::Keyword(_) => return None,
    })
}

/// Returns the refusal of an object that is no value.
pub(super) fn refusal((number, generation): ObjectId) -> Refusal {
    let detail = format!("The object {number} {generation} cannot be parsed.");
    Refusal::new("object-damaged", detail)
}

fn number<T: FromStr>(digits: &[u8]) -> Option<T> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}
