//! ASN.1 elements as slices of their original encoding.

use der::asn1::AnyRef;
use der::{Decode, Encode, Reader, SliceReader, Tag};

use crate::Error;

/// Maximum number of elements read from one list: each takes far more memory
/// than its minimum encoding of two bytes.
const MAX_LIST_ELEMENTS: usize = 1_000;

/// An element: tag, value and the bytes of both.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    /// Tag of the element.
    pub tag: Tag,
    /// Octets of the value.
    pub value: &'a [u8],
    /// The whole element, as encoded.
    pub der: &'a [u8],
}

impl<'a> Element<'a> {
    /// Parses the only element of `der`; `what` names its type in errors.
    ///
    /// # Errors
    /// The bytes are not one element, or trailing bytes follow.
    pub fn parse(what: &'static str, der: &'a [u8]) -> Result<Self, Error> {
        let mut elements = Elements::new(what, der)?;
        let element = elements.any()?;
        elements.finish()?;
        Ok(element)
    }

    /// Returns the elements of the SEQUENCE `der`; `what` names its type in
    /// errors. No signature covers the outermost tag.
    ///
    /// # Errors
    /// The bytes are not one SEQUENCE, or trailing bytes follow.
    pub(crate) fn sequence(what: &'static str, der: &'a [u8]) -> Result<Elements<'a>, Error> {
        let mut elements = Elements::new(what, der)?;
        let sequence = elements.expect(Tag::Sequence)?;
        elements.finish()?;
        sequence.children(what)
    }

    /// Returns the elements of its value of type `what`.
    ///
    /// # Errors
    /// The value exceeds the maximum of a reader (256 MiB).
    pub fn children(&self, what: &'static str) -> Result<Elements<'a>, Error> {
        Elements::new(what, self.value)
    }

    /// Decodes the value as a type of the `der` crate.
    ///
    /// # Errors
    /// The value has another type.
    pub fn decode<T: Decode<'a>>(&self, what: &'static str) -> Result<T, Error> {
        T::from_der(self.der).map_err(Error::malformed(what))
    }
}

/// Iterates over the elements of a constructed value.
#[derive(Debug)]
pub struct Elements<'a> {
    what: &'static str,
    reader: SliceReader<'a>,
}

impl<'a> Elements<'a> {
    /// Starts with the elements in `bytes`; `what` names the type of the value
    /// in errors.
    ///
    /// # Errors
    /// The bytes exceed the maximum of a reader (256 MiB).
    pub fn new(what: &'static str, bytes: &'a [u8]) -> Result<Self, Error> {
        let reader = SliceReader::new(bytes).map_err(Error::malformed(what))?;
        Ok(Self { what, reader })
    }

    /// Returns whether no element is left.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.reader.is_finished()
    }

    /// Finishes reading.
    ///
    /// # Errors
    /// Elements are left.
    pub fn finish(self) -> Result<(), Error> {
        self.reader.finish(()).map_err(Error::malformed(self.what))
    }

    /// Reads the next element of any tag.
    ///
    /// # Errors
    /// There is none, or it is not DER.
    pub fn any(&mut self) -> Result<Element<'a>, Error> {
        let der = self
            .reader
            .tlv_bytes()
            .map_err(Error::malformed(self.what))?;
        let any = AnyRef::from_der(der).map_err(Error::malformed(self.what))?;
        Ok(Element {
            tag: der::Tagged::tag(&any),
            value: any.value(),
            der,
        })
    }

    /// Reads the next element, which must have this tag.
    ///
    /// # Errors
    /// There is none, it is not DER, or it has another tag.
    pub fn expect(&mut self, tag: Tag) -> Result<Element<'a>, Error> {
        let element = self.any()?;
        element
            .tag
            .assert_eq(tag)
            .map_err(Error::malformed(self.what))?;
        Ok(element)
    }

    /// Reads the next element, if it has this tag.
    ///
    /// # Errors
    /// It is not DER.
    pub fn optional(&mut self, tag: Tag) -> Result<Option<Element<'a>>, Error> {
        if self.reader.peek_byte() == Some(tag.octet()) {
            self.any().map(Some)
        } else {
            Ok(None)
        }
    }

    /// Reads all remaining elements.
    ///
    /// # Errors
    /// One of them is not DER, or there are too many.
    pub fn remaining(mut self) -> Result<Vec<Element<'a>>, Error> {
        let mut elements = Vec::new();
        while !self.is_finished() {
            if elements.len() == MAX_LIST_ELEMENTS {
                return Err(Error::TooManyElements(MAX_LIST_ELEMENTS));
            }
            elements.push(self.any()?);
        }
        Ok(elements)
    }
}

/// Returns the tag `[number]` of a constructed element.
#[must_use]
pub const fn context(number: u8) -> Tag {
    Tag::ContextSpecific {
        constructed: true,
        number: der::TagNumber::new(number),
    }
}

/// Returns the tag `[number]` of a primitive element.
#[must_use]
pub const fn primitive_context(number: u8) -> Tag {
    Tag::ContextSpecific {
        constructed: false,
        number: der::TagNumber::new(number),
    }
}

/// Encodes an element with `value` in DER.
///
/// # Panics
/// The value exceeds 256 MiB, the limit of DER lengths.
#[must_use]
pub fn encode(tag: Tag, value: &[u8]) -> Vec<u8> {
    AnyRef::new(tag, value).and_then(|any| any.to_der()).expect(
        "values are assembled from inputs far below the 256 MiB that DER lengths are limited to",
    )
}

/// Encodes a SEQUENCE of DER-encoded `parts`.
#[must_use]
pub fn sequence<const N: usize>(parts: [&[u8]; N]) -> Vec<u8> {
    encode(Tag::Sequence, &parts.concat())
}

/// Returns the value of a DER SET OF: its elements in ascending order (X.690,
/// 11.6).
#[must_use]
pub fn set_of(mut elements: Vec<Vec<u8>>) -> Vec<u8> {
    elements.sort_unstable();
    elements.concat()
}

/// Encodes an OBJECT IDENTIFIER in DER.
#[must_use]
pub fn object_identifier(oid: const_oid::ObjectIdentifier) -> Vec<u8> {
    encode(Tag::ObjectIdentifier, oid.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_very_many_elements_is_refused() {
        let list = |len| {
            Elements::new("list", &[5, 0].repeat(len))
                .unwrap()
                .remaining()
                .map(|list| list.len())
        };

        assert_eq!(list(MAX_LIST_ELEMENTS).unwrap(), MAX_LIST_ELEMENTS);
        assert!(matches!(
            list(MAX_LIST_ELEMENTS + 1),
            Err(Error::TooManyElements(_))
        ));
    }
}
