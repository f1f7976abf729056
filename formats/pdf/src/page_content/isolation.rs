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
        let streams = streams(file, page)?;
        if streams.is_empty() {
            return Ok(Self::Empty);
        }
        let mut decode = |stream: ObjectId| {
            let decoded = decoder.decode(file, stream);
            decoded.ok_or(PageContentError::Undecodable(stream.0))
        };
        let mut balance = Balance::default();
        let mut is_mended = false;
        for stream in &streams {
            is_mended |= !balance.go_through(&decode(*stream)?).is_empty();
        }
        let closing = balance.closing();
        if !is_mended {
            return Ok(Self::Closed { closing });
        }
        let mut content = Vec::new();
        let mut balance = Balance::default();
        for stream in &streams {
            let mut part = decode(*stream)?;
            for surplus in balance.go_through(&part) {
                if let Some(operator) = part.get_mut(surplus) {
                    *operator = b' ';
                }
            }
            if content.len().saturating_add(part.len()) > file.limits().decoded_stream_bytes {
                return Err(PageContentError::Undecodable(stream.0));
            }
            content.append(&mut part);
            // The parts of a content are apart from each other (7.8.2).
            content.push(b'\n');
        }
        Ok(Self::Mended { content, closing })
    }
}

/// What the content of a page has opened so far.
#[derive(Default)]
struct Balance {
    graphics_states: usize,
    marked_contents: usize,
    in_text: bool,
}

impl Balance {
    /// Goes on with a stream, and tells where each `Q` stands that has no `q`.
    fn go_through(&mut self, content: &[u8]) -> Vec<usize> {
        let mut surplus = Vec::new();
        let mut operators = Operators::new(content);
        while let Some(operand) = operators.next() {
            let Operand::Operator(operator) = operand else {
                continue;
            };
            match operator {
                b"q" => self.graphics_states += 1,
                b"Q" => match self.graphics_states.checked_sub(1) {
                    Some(outer) => self.graphics_states = outer,
                    None => surplus.push(operators.position().saturating_sub(1)),
                },
                b"BT" => self.in_text = true,
                b"ET" => self.in_text = false,
                b"BDC" | b"BMC" => self.marked_contents += 1,
                b"EMC" => self.marked_contents = self.marked_contents.saturating_sub(1),
                _ => {}
            }
        }
        surplus
    }

    /// The operators that close what is open, and the `q` before the content.
    fn closing(&self) -> Vec<u8> {
        let mut closing = b"\n".to_vec();
        if self.in_text {
            closing.extend_from_slice(b"ET\n");
        }
        closing.extend(b"EMC\n".repeat(self.marked_contents));
        closing.extend(b"Q\n".repeat(self.graphics_states + 1));
        closing
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

    fn balance(streams: &[&[u8]]) -> (String, Vec<usize>) {
        let mut balance = Balance::default();
        let surplus = streams.iter().flat_map(|stream| balance.go_through(stream));
        let surplus = surplus.collect();
        (String::from_utf8(balance.closing()).unwrap(), surplus)
    }

    #[test]
    fn balanced_content_needs_only_the_isolation_closed() {
        assert_eq!(
            balance(&[b"q 1 0 0 1 0 0 cm", b"Q BT ET"]),
            ("\nQ\n".into(), vec![])
        );
    }

    #[test]
    fn what_is_open_is_closed() {
        assert_eq!(
            balance(&[b"q q /OC /A BDC /B BMC EMC Q BT (Q) Tj"]),
            ("\nET\nEMC\nQ\nQ\n".into(), vec![])
        );
    }

    #[test]
    fn a_surplus_operator_is_found_where_it_stands() {
        assert_eq!(
            balance(&[b"q Q Q 1 g Q q"]),
            ("\nQ\nQ\n".into(), vec![4, 10])
        );
    }
}
