//! Extensions (RFC 5280, 4.1.2.9) of CRLs and OCSP responses.

use const_oid::ObjectIdentifier;
use der::Tag;

use crate::Error;
use crate::asn1::Element;

/// An extension.
pub(crate) struct Extension<'a> {
    /// Type of the extension.
    pub(crate) oid: ObjectIdentifier,
    /// Must be understood by the reader.
    pub(crate) is_critical: bool,
    /// DER-encoded value.
    pub(crate) value: &'a [u8],
}

/// Reads the extensions of an explicitly tagged list.
pub(crate) fn read<'a>(
    what: &'static str,
    tagged: Element<'a>,
) -> Result<Vec<Extension<'a>>, Error> {
    let list = Element::parse(what, tagged.value)?.children(what)?;
    let extensions = list.remaining()?.into_iter().map(|extension| {
        let mut parts = extension.children(what)?;
        let oid = parts.expect(Tag::ObjectIdentifier)?.decode(what)?;
        let is_critical = parts
            .optional(Tag::Boolean)?
            .is_some_and(|critical| critical.value != [0]);
        let value = parts.expect(Tag::OctetString)?.value;
        Ok(Extension {
            oid,
            is_critical,
            value,
        })
    });
    extensions.collect()
}
