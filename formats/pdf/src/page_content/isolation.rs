//! What the content of a page leaves open, and how it is shut in (ISO 32000-2,
//! 8.4.2, 9.4.1 and 14.6.1).

use lopdf::{Object, ObjectId};

use super::decoder::ContentDecoder;
use super::operators::{Operand, Operators};
use crate::structure::PdfFile;

/// Why nothing can be drawn on top of a page.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum PageContentError {
    /// A content stream cannot be decoded within the limits.
    #[error("the content stream {0} cannot be decoded")]
    Undecodable(u32),
    /// `/Contents` is neither a stream nor an array of streams.
    #[error("the content of the page is no stream")]
    NoStream,
}

/// How the content of a page is shut in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Isolation {
    /// There is nothing to be shut in.
    Empty,
    /// By `q` before it, and by these operators after it.
    Closed {
        /// Operators that close what is open, and the isolation.
        closing: Vec<u8>,
    },
    /// Like `Closed`, but a surplus `Q`, which readers pass over, would close
    /// the isolation: this content lacks it.
    Mended {
        /// All of the page's content, not encoded.
        content: Vec<u8>,
        /// Operators that close what is open, and the isolation.
        closing: Vec<u8>,
    },
}

impl Isolation {
    /// Reads the content of a page.
    pub(super) fn read(
        file: &PdfFile<'_>,
        page: ObjectId,
        decoder: &mut ContentDecoder,
    ) -> Result<Self, PageContentError> {
        let mut content = Vec::new();
        let streams = streams(file, page)?;
        for stream in &streams {
            let decoded = decoder.decode(file, *stream);
            let decoded = decoded.ok_or(PageContentError::Undecodable(stream.0))?;
            // The parts of a content stream are apart from each other (7.8.2).
            if content.is_empty() {
                content = decoded;
            } else {
                content.push(b'\n');
                content.extend(decoded);
            }
        }
        if streams.is_empty() {
            return Ok(Self::Empty);
        }
        let Balance { open, surplus } = Balance::of(&content);
        if surplus.is_empty() {
            return Ok(Self::Closed { closing: open });
        }
        for at in surplus {
            if let Some(operator) = content.get_mut(at) {
                *operator = b' ';
            }
        }
        Ok(Self::Mended {
            content,
            closing: open,
        })
    }
}

/// What is open at the end of a content stream.
struct Balance {
    /// The operators that close it, and the `q` before the content.
    open: Vec<u8>,
    /// Where each `Q` stands that has no `q`.
    surplus: Vec<usize>,
}

impl Balance {
    fn of(content: &[u8]) -> Self {
        let mut states = 0_usize;
        let mut marked = 0_usize;
        let mut in_text = false;
        let mut surplus = Vec::new();
        let mut operators = Operators::new(content);
        while let Some(operand) = operators.next() {
            let Operand::Operator(operator) = operand else {
                continue;
            };
            match operator {
                b"q" => states += 1,
                b"Q" => match states.checked_sub(1) {
                    Some(outer) => states = outer,
                    None => surplus.push(operators.position().saturating_sub(1)),
                },
                b"BT" => in_text = true,
                b"ET" => in_text = false,
                b"BDC" | b"BMC" => marked += 1,
                b"EMC" => marked = marked.saturating_sub(1),
                _ => {}
            }
        }
        let mut open = b"\n".to_vec();
        if in_text {
            open.extend_from_slice(b"ET\n");
        }
        open.extend(b"EMC\n".repeat(marked));
        open.extend(b"Q\n".repeat(states + 1));
        Self { open, surplus }
    }
}

/// The content streams of a page in order.
fn streams(file: &PdfFile<'_>, page: ObjectId) -> Result<Vec<ObjectId>, PageContentError> {
    let dictionary = file.object(page).and_then(|page| page.as_dict().ok());
    let Some(contents) = dictionary.and_then(|page| page.get(b"Contents").ok()) else {
        return Ok(Vec::new());
    };
    let items = match file.resolve(contents) {
        None => return Ok(Vec::new()),
        Some(Object::Array(items)) => items.as_slice(),
        Some(_) => std::slice::from_ref(contents),
    };
    items
        .iter()
        .filter(|item| file.resolve(item).is_some())
        .map(|item| match file.resolve(item) {
            Some(Object::Stream(_)) => file.resolve_id(item).ok_or(PageContentError::NoStream),
            _ => Err(PageContentError::NoStream),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn balance(content: &[u8]) -> (String, Vec<usize>) {
        let Balance { open, surplus } = Balance::of(content);
        (String::from_utf8(open).unwrap(), surplus)
    }

    #[test]
    fn balanced_content_needs_only_the_isolation_closed() {
        assert_eq!(
            balance(b"q 1 0 0 1 0 0 cm Q BT ET"),
            ("\nQ\n".into(), vec![])
        );
    }

    #[test]
    fn what_is_open_is_closed() {
        assert_eq!(
            balance(b"q q /OC /A BDC /B BMC EMC Q BT (Q) Tj"),
            ("\nET\nEMC\nQ\nQ\n".into(), vec![])
        );
    }

    #[test]
    fn a_surplus_operator_is_found_where_it_stands() {
        assert_eq!(balance(b"q Q Q 1 g Q q"), ("\nQ\nQ\n".into(), vec![4, 10]));
    }
}
