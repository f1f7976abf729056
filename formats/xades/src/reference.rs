//! References of SignedInfo (XML Signature 1.1, 4.4.3), limited to the needs of
//! containers.

use parafa_format_core::DigestAlgorithm;
use parafa_xml::Element;

use crate::fault::Fault;
use crate::location::Location;
use crate::names::{self, DSIG};
use crate::objects::DataObjects;
use crate::signature::{Canonical, binary, only};

/// A reference.
#[derive(Clone, Debug)]
pub(crate) struct Reference<'d> {
    pub(crate) id: Option<&'d str>,
    pub(crate) uri: &'d str,
    pub(crate) kind: Option<&'d str>,
    pub(crate) target: Target<'d>,
    /// Fault of an unknown canonicalization.
    pub(crate) unknown_transform: Option<Fault>,
    /// Algorithm of the identifier, or the fault of an unknown one.
    pub(crate) digest_algorithm: Result<DigestAlgorithm, Fault>,
    pub(crate) digest: Vec<u8>,
}

/// Digest input.
#[derive(Clone, Debug)]
pub(crate) enum Target<'d> {
    /// An element of the signature file, with its canonicalization if stated.
    Element {
        id: &'d str,
        canonical: Option<Canonical<'d>>,
    },
    /// Bytes of a member.
    Member(String),
    /// Canonical form of a member.
    Canonical(String, Canonical<'d>),
    /// Canonical form of one element of a member, by its `ID`.
    Part {
        member: String,
        id: &'d str,
        canonical: Canonical<'d>,
    },
}

impl<'d> Reference<'d> {
    pub(crate) fn read<O: DataObjects>(element: Element<'d>, objects: &O) -> Result<Self, Fault> {
        let uri = element
            .attribute("URI")
            .ok_or(Fault::Unreadable("Reference"))?;
        let transforms = transforms(element)?;
        let unsupported = || Fault::Transforms(uri.to_owned());
        let (part, last) = match transforms.as_slice() {
            [] => (None, None),
            [one] => (None, Some(*one)),
            [xpath, one] => {
                let part = identifier(*xpath).map_err(|_| unsupported())?;
                (Some(part), Some(*one))
            }
            _ => return Err(unsupported()),
        };
        let last_uri = last.and_then(|last| last.attribute("Algorithm"));
        if last_uri.is_some_and(|uri| names::OTHER_TRANSFORMS.contains(&uri)) {
            return Err(unsupported());
        }
        let (canonical, unknown_transform) = match last.map(Canonical::read) {
            None => (None, None),
            Some(Ok(canonical)) => (Some(canonical), None),
            Some(Err(unknown)) => (Some(Canonical::DEFAULT), Some(unknown)),
        };
        let target = match (Location::parse(uri), part, canonical) {
            (Location::Element(id), None, canonical) => Target::Element { id, canonical },
            (Location::Member { decoded, written }, part, canonical) => {
                let member = decoded
                    .filter(|name| objects.contains(name))
                    .or_else(|| objects.contains(written).then(|| written.to_owned()))
                    .ok_or_else(|| Fault::Location(uri.to_owned()))?;
                match (part, canonical) {
                    (None, None) => Target::Member(member),
                    (None, Some(canonical)) => Target::Canonical(member, canonical),
                    (Some(id), canonical) => Target::Part {
                        member,
                        id,
                        canonical: canonical.unwrap_or(Canonical::DEFAULT),
                    },
                }
            }
            (Location::Element(_), Some(_), _) => return Err(unsupported()),
            (Location::Elsewhere, ..) => return Err(Fault::Location(uri.to_owned())),
        };
        let method = only(element, DSIG, "DigestMethod")?;
        let algorithm = method.attribute("Algorithm").unwrap_or_default();
        let digest = only(element, DSIG, "DigestValue")?;
        Ok(Self {
            id: element.attribute("Id"),
            uri,
            kind: element.attribute("Type"),
            target,
            unknown_transform,
            digest_algorithm: names::digest_algorithm(algorithm)
                .ok_or_else(|| Fault::Algorithm(algorithm.to_owned())),
            digest: binary(digest).ok_or(Fault::Unreadable("DigestValue"))?,
        })
    }

    /// Returns whether it refers to a member whose digest cannot be computed.
    pub(crate) fn is_to_unknown_digest(&self) -> bool {
        let is_unknown = self.digest_algorithm.is_err() || self.unknown_transform.is_some();
        is_unknown && !matches!(self.target, Target::Element { .. })
    }

    /// Returns whether its type is SignedProperties.
    pub(crate) fn says_signed_properties(&self) -> bool {
        matches!(
            self.kind,
            Some(names::SIGNED_PROPERTIES_TYPE | names::OLD_SIGNED_PROPERTIES_TYPE)
        )
    }
}

/// Returns the transforms of a reference, in order.
pub(crate) fn transforms(reference: Element<'_>) -> Result<Vec<Element<'_>>, Fault> {
    let mut lists = reference.children_named(DSIG, "Transforms");
    let transforms: Vec<Element<'_>> = lists
        .next()
        .map(|list| list.children().collect())
        .unwrap_or_default();
    let are_transforms = transforms
        .iter()
        .all(|transform| transform.is(DSIG, "Transform"));
    if lists.next().is_none() && are_transforms {
        Ok(transforms)
    } else {
        Err(Fault::NotOnce("Transforms"))
    }
}

/// Returns the identifier in `ancestor-or-self::*[@ID='…']`, the only supported
/// expression: any other needs an XPath engine, with unbounded time.
fn identifier(transform: Element<'_>) -> Result<&str, Fault> {
    const UNKNOWN: Fault = Fault::Unreadable("XPath");

    if transform.attribute("Algorithm") != Some(names::XPATH) {
        return Err(UNKNOWN);
    }
    let text = only(transform, DSIG, "XPath")?.only_text().ok_or(UNKNOWN)?;
    let quoted = text
        .trim()
        .strip_prefix("ancestor-or-self::*[@ID=")
        .and_then(|rest| rest.strip_suffix(']'))
        .ok_or(UNKNOWN)?;
    let unquoted = |quote| quoted.strip_prefix(quote)?.strip_suffix(quote);
    unquoted('\'')
        .or_else(|| unquoted('"'))
        .filter(|id| !id.is_empty() && !id.contains(['\'', '"']))
        .ok_or(UNKNOWN)
}
