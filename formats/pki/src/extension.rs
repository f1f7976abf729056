//! Extensions of X.509 (RFC 5280, 4.1.2.9), as lists and responses have them.

use const_oid::ObjectIdentifier;
use der::Tag;

use crate::Error;
use crate::asn1::Element;

/// One extension.
pub(crate) struct Extension<'a> {
    /// What it is.
    pub(crate) oid: ObjectIdentifier,
    /// Whether who does not know it must not go on.
    pub(crate) is_critical: bool,
    /// DER of its value.
    pub(crate) value: &'a [u8],
}

/// The extensions of an explicitly tagged list.
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
