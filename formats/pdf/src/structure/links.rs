//! References, classified by the keys that contain them.

use std::borrow::Cow;

use super::scan::{Scanner, Token, unsigned};
use super::scan_error::ScanError;
use super::text::decode_name;

/// A reference in the source of an object.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Link {
    /// Object number of the target.
    pub(crate) to: u32,
    pub(crate) kind: LinkKind,
}

/// Position of a reference in its object.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum LinkKind {
    /// In `/Annots` of the object, as in a page (ISO 32000-2, 7.7.3.3).
    Annotation,
    /// In an array that is the object itself.
    Array,
    /// Under a key that forms, annotations and actions use for fields.
    Field,
    /// Under `/Data`, as in a signature reference (12.8.1, table 256).
    SignedData,
    /// Under a key that the structure tree, bookmarks and destinations use for
    /// structure elements (14.7).
    Structure,
    /// Under `/Obj` of an object reference that is a kid of a structure element
    /// (14.7.5.3).
    StructureObject,
    /// Anywhere else.
    Other,
}

/// Keys for fields or lists of fields. Page content uses none of them.
const FIELD_KEYS: [&[u8]; 7] = [
    b"Annots", b"CO", b"Fields", b"Kids", b"Obj", b"Parent", b"T",
];

/// Keys for structure elements or lists of them. Filter parameters and group
/// attributes use none of them.
const STRUCTURE_KEYS: [&[u8]; 8] = [
    b"K",
    b"Names",
    b"Nums",
    b"P",
    b"Ref",
    b"SD",
    b"SE",
    b"StructTreeRoot",
];

/// Returns all references in the source of an object, in order.
pub(crate) fn links(source: &[u8]) -> Result<Vec<Link>, ScanError> {
    let mut scanner = Scanner::new(source, 0);
    let mut links = Vec::new();
    let mut open: Vec<Level<'_>> = Vec::new();
    let mut before = [None, None];
    while let Some((token, _)) = scanner.token()? {
        if let (Token::Keyword(b"R"), [Some(number), Some(_)]) = (token, before)
            && let Ok(to) = u32::try_from(number)
        {
            links.push(Link {
                to,
                kind: kind(&open),
            });
        }
        let [_, last] = before;
        let value = match token {
            Token::Number(digits) => unsigned(digits),
            _ => None,
        };
        before = [last, value];
        match token {
            Token::ArrayStart => open.push(Level::Array),
            Token::DictionaryStart => open.push(Level::Dictionary {
                key: Cow::Borrowed(b""),
                has_value: true,
            }),
            Token::ArrayEnd | Token::DictionaryEnd => {
                open.pop();
                end_value(&mut open);
            }
            Token::Name(name) => match open.last_mut() {
                Some(Level::Dictionary { key, has_value }) if *has_value => {
                    *key = decode_name(name);
                    *has_value = false;
                }
                _ => end_value(&mut open),
            },
            _ => end_value(&mut open),
        }
    }
    Ok(links)
}

enum Level<'s> {
    Array,
    Dictionary {
        /// The last key.
        key: Cow<'s, [u8]>,
        /// Its value has begun; the next name is a key.
        has_value: bool,
    },
}

fn end_value(open: &mut [Level<'_>]) {
    if let Some(Level::Dictionary { has_value, .. }) = open.last_mut() {
        *has_value = true;
    }
}

fn kind(open: &[Level<'_>]) -> LinkKind {
    let mut keys = open.iter().rev().filter_map(|level| match level {
        Level::Array => None,
        Level::Dictionary { key, .. } => Some(key.as_ref()),
    });
    match (keys.next(), keys.next(), keys.next()) {
        (None, ..) => LinkKind::Array,
        (Some(b"Annots"), None, _) => LinkKind::Annotation,
        (Some(b"Obj"), Some(b"K"), None) => LinkKind::StructureObject,
        (Some(b"Data"), ..) => LinkKind::SignedData,
        (Some(key), ..) if FIELD_KEYS.contains(&key) => LinkKind::Field,
        (Some(key), ..) if STRUCTURE_KEYS.contains(&key) => LinkKind::Structure,
        _ => LinkKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &[u8]) -> Vec<(u32, LinkKind)> {
        let links = links(source).unwrap();
        links.into_iter().map(|link| (link.to, link.kind)).collect()
    }

    #[test]
    fn a_reference_stands_where_its_keys_say() {
        assert_eq!(
            kinds(
                b"<< /Type /Page /P 1 0 R /Annots [2 0 R 3 0 R] /N 7 /X << /Annots 4 0 R /Y /Z >> \
                  /K [<< /Obj 5 0 R >>] /Kids [6 0 R] /Reference [<< /Data 8 0 R >>] \
                  /DecodeParms 9 0 R >>"
            ),
            [
                (1, LinkKind::Structure),
                (2, LinkKind::Annotation),
                (3, LinkKind::Annotation),
                (4, LinkKind::Field),
                (5, LinkKind::StructureObject),
                (6, LinkKind::Field),
                (8, LinkKind::SignedData),
                (9, LinkKind::Other),
            ]
        );
        assert_eq!(
            kinds(b"[1 0 R [2 0 R] << /A 3 0 R >>]"),
            [
                (1, LinkKind::Array),
                (2, LinkKind::Array),
                (3, LinkKind::Other)
            ]
        );
    }

    #[test]
    fn a_key_is_known_however_it_is_written_and_a_name_for_a_value_is_none() {
        assert_eq!(
            kinds(b"<</#41nnots 1 0 R/A/Annots/B 2 0 R>>"),
            [(1, LinkKind::Annotation), (2, LinkKind::Other)]
        );
    }
}
