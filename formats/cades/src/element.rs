//! ASN.1 elements as slices of the encoding that they came in.

use der::asn1::AnyRef;
use der::{Decode, Encode, Reader, SliceReader, Tag};

use crate::Error;

/// Most elements of one list that are read: each takes far more memory than the
/// two bytes that it may consist of.
const MAX_LIST_ELEMENTS: usize = 1_000;

/// One element: tag, value and the bytes of both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'a> {
    pub(crate) tag: Tag,
    pub(crate) value: &'a [u8],
    pub(crate) der: &'a [u8],
}

impl<'a> Element<'a> {
    /// The only element of `der`.
    pub(crate) fn parse(what: &'static str, der: &'a [u8]) -> Result<Self, Error> {
        let mut elements = Elements::new(what, der)?;
        let element = elements.any()?;
        elements.finish()?;
        Ok(element)
    }

    pub(crate) fn children(&self, what: &'static str) -> Result<Elements<'a>, Error> {
        Elements::new(what, self.value)
    }

    pub(crate) fn decode<T: Decode<'a>>(&self, what: &'static str) -> Result<T, Error> {
        T::from_der(self.der).map_err(Error::malformed(what))
    }
}

/// The elements of a constructed value, one after the other.
pub(crate) struct Elements<'a> {
    what: &'static str,
    reader: SliceReader<'a>,
}

impl<'a> Elements<'a> {
    pub(crate) fn new(what: &'static str, bytes: &'a [u8]) -> Result<Self, Error> {
        let reader = SliceReader::new(bytes).map_err(Error::malformed(what))?;
        Ok(Self { what, reader })
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.reader.is_finished()
    }

    pub(crate) fn finish(self) -> Result<(), Error> {
        self.reader.finish(()).map_err(Error::malformed(self.what))
    }

    pub(crate) fn any(&mut self) -> Result<Element<'a>, Error> {
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

    pub(crate) fn expect(&mut self, tag: Tag) -> Result<Element<'a>, Error> {
        let element = self.any()?;
        element
            .tag
            .assert_eq(tag)
            .map_err(Error::malformed(self.what))?;
        Ok(element)
    }

    pub(crate) fn optional(&mut self, tag: Tag) -> Result<Option<Element<'a>>, Error> {
        if self.reader.peek_byte() == Some(tag.octet()) {
            self.any().map(Some)
        } else {
            Ok(None)
        }
    }

    pub(crate) fn remaining(mut self) -> Result<Vec<Element<'a>>, Error> {
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
pub(crate) const fn context(number: u8) -> Tag {
    Tag::ContextSpecific {
        constructed: true,
        number: der::TagNumber::new(number),
    }
}

/// The tag `[number]` of a primitive element.
pub(crate) const fn primitive_context(number: u8) -> Tag {
    Tag::ContextSpecific {
        constructed: false,
        number: der::TagNumber::new(number),
    }
}

/// The encoding of an element with `value`.
pub(crate) fn encode(tag: Tag, value: &[u8]) -> Vec<u8> {
    AnyRef::new(tag, value).and_then(|any| any.to_der()).expect(
        "values are assembled from inputs far below the 256 MiB that DER lengths are limited to",
    )
}

pub(crate) fn sequence<const N: usize>(parts: [&[u8]; N]) -> Vec<u8> {
    encode(Tag::Sequence, &parts.concat())
}

/// The value of a DER SET OF: its elements in ascending order (X.690, 11.6).
pub(crate) fn set_of(mut elements: Vec<Vec<u8>>) -> Vec<u8> {
    elements.sort_unstable();
    elements.concat()
}

pub(crate) fn object_identifier(oid: const_oid::ObjectIdentifier) -> Vec<u8> {
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
