//! ASN.1 elements as slices of the encoding that they came in.

use der::asn1::AnyRef;
use der::{Decode, Encode, Reader, SliceReader, Tag};

use crate::Error;

/// Most elements of one list that are read: each takes far more memory than the
/// two bytes that it may consist of.
const MAX_LIST_ELEMENTS: usize = 1_000;

/// One element: tag, value and the bytes of both.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    /// Its tag.
    pub tag: Tag,
    /// The octets of its value.
    pub value: &'a [u8],
    /// All of it, as it came.
    pub der: &'a [u8],
}

impl<'a> Element<'a> {
    /// The only element of `der`; `what` names its type in errors.
    ///
    /// # Errors
    /// The bytes are not one element, or something follows it.
    pub fn parse(what: &'static str, der: &'a [u8]) -> Result<Self, Error> {
        let mut elements = Elements::new(what, der)?;
        let element = elements.any()?;
        elements.finish()?;
        Ok(element)
    }

    /// The elements of the SEQUENCE that `der` is; `what` names its type in errors.
    /// No signature is over the outermost tag.
    ///
    /// # Errors
    /// The bytes are not one SEQUENCE, or something follows it.
    pub(crate) fn sequence(what: &'static str, der: &'a [u8]) -> Result<Elements<'a>, Error> {
        let mut elements = Elements::new(what, der)?;
        let sequence = elements.expect(Tag::Sequence)?;
        elements.finish()?;
        sequence.children(what)
    }

    /// The elements of its value, whose type is `what`.
    ///
    /// # Errors
    /// The value is longer than a reader takes (256 MiB).
    pub fn children(&self, what: &'static str) -> Result<Elements<'a>, Error> {
        Elements::new(what, self.value)
    }

    /// Its value as a type of the `der` crate.
    ///
    /// # Errors
    /// It is no such value.
    pub fn decode<T: Decode<'a>>(&self, what: &'static str) -> Result<T, Error> {
        T::from_der(self.der).map_err(Error::malformed(what))
    }
}

/// The elements of a constructed value, one after the other.
#[derive(Debug)]
pub struct Elements<'a> {
    what: &'static str,
    reader: SliceReader<'a>,
}

impl<'a> Elements<'a> {
    /// The elements that `bytes` consist of; `what` names in errors the type
    /// whose value they are.
    ///
    /// # Errors
    /// There are more bytes than a reader takes (256 MiB).
    pub fn new(what: &'static str, bytes: &'a [u8]) -> Result<Self, Error> {
        let reader = SliceReader::new(bytes).map_err(Error::malformed(what))?;
        Ok(Self { what, reader })
    }

    /// Whether none is left.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.reader.is_finished()
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// Something is left.
    pub fn finish(self) -> Result<(), Error> {
        self.reader.finish(()).map_err(Error::malformed(self.what))
    }

    /// The next one, whatever it is.
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

    /// The next one, which has this tag.
    ///
    /// # Errors
    /// There is none, it is not DER, or it is another.
    pub fn expect(&mut self, tag: Tag) -> Result<Element<'a>, Error> {
        let element = self.any()?;
        element
            .tag
            .assert_eq(tag)
            .map_err(Error::malformed(self.what))?;
        Ok(element)
    }

    /// The next one, if it has this tag.
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

    /// All that are left.
    ///
    /// # Errors
    /// One of them is not DER, or they are too many.
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

/// The tag `[number]` of a constructed element.
#[must_use]
pub const fn context(number: u8) -> Tag {
    Tag::ContextSpecific {
        constructed: true,
        number: der::TagNumber::new(number),
    }
}

/// The tag `[number]` of a primitive element.
#[must_use]
pub const fn primitive_context(number: u8) -> Tag {
    Tag::ContextSpecific {
        constructed: false,
        number: der::TagNumber::new(number),
    }
}

/// The DER of an element with `value`.
///
/// # Panics
/// The value is longer than the 256 MiB that DER lengths are limited to.
#[must_use]
pub fn encode(tag: Tag, value: &[u8]) -> Vec<u8> {
    AnyRef::new(tag, value).and_then(|any| any.to_der()).expect(
        "values are assembled from inputs far below the 256 MiB that DER lengths are limited to",
    )
}

/// The DER of a SEQUENCE of `parts`, each as DER.
#[must_use]
pub fn sequence<const N: usize>(parts: [&[u8]; N]) -> Vec<u8> {
    encode(Tag::Sequence, &parts.concat())
}

/// The value of a DER SET OF: its elements in ascending order (X.690, 11.6).
#[must_use]
pub fn set_of(mut elements: Vec<Vec<u8>>) -> Vec<u8> {
    elements.sort_unstable();
    elements.concat()
}

/// The DER of an OBJECT IDENTIFIER.
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
