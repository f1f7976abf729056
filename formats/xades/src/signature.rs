use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parafa_xml::{Canonicalization, Element};

use crate::fault::Fault;
use crate::names::{DSIG, XADES};

/// An unverified `ds:Signature`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature<'d>(pub(crate) Element<'d>);

/// A canonicalization with its `InclusiveNamespaces`.
#[derive(Clone, Debug)]
pub(crate) struct Canonical<'d> {
    pub(crate) algorithm: Canonicalization,
    pub(crate) prefixes: Vec<&'d str>,
}

impl<'d> Signature<'d> {
    pub(crate) fn id(self) -> Option<&'d str> {
        self.0.attribute("Id").filter(|id| !id.is_empty())
    }

    pub(crate) fn signed_info(self) -> Result<Element<'d>, Fault> {
        only(self.0, DSIG, "SignedInfo")
    }

    pub(crate) fn value(self) -> Result<Element<'d>, Fault> {
        only(self.0, DSIG, "SignatureValue")
    }

    /// Returns the only QualifyingProperties (EN 319 132-1, 4.4), with at most
    /// one UnsignedProperties (4.3.1).
    pub(crate) fn qualifying_properties(self) -> Result<Element<'d>, Fault> {
        let objects = self.0.children_named(DSIG, "Object");
        let mut properties =
            objects.flat_map(|object| object.children_named(XADES, "QualifyingProperties"));
        let first = properties.next();
        match (first, properties.next()) {
            (Some(properties), None) => {
                let unsigned = properties.children_named(XADES, "UnsignedProperties");
                if unsigned.count() > 1 {
                    return Err(Fault::NotOnce("UnsignedProperties"));
                }
                Ok(properties)
            }
            _ => Err(Fault::NotOnce("QualifyingProperties")),
        }
    }

    /// Returns whether an Object has its own list of references (XML Signature
    /// 1.1, 5.1), which covers files without a reference in SignedInfo.
    pub(crate) fn has_manifest(self) -> bool {
        let mut objects = self.0.children_named(DSIG, "Object");
        objects.any(|object| object.children_named(DSIG, "Manifest").next().is_some())
    }

    pub(crate) fn signed_properties(self) -> Result<Element<'d>, Fault> {
        only(self.qualifying_properties()?, XADES, "SignedProperties")
    }

    pub(crate) fn signed_signature_properties(self) -> Result<Element<'d>, Fault> {
        only(
            self.signed_properties()?,
            XADES,
            "SignedSignatureProperties",
        )
    }

    /// Returns the unsigned qualifying properties.
    pub(crate) fn unsigned_properties(self) -> Vec<Element<'d>> {
        let Ok(properties) = self.qualifying_properties() else {
            return Vec::new();
        };
        properties
            .children_named(XADES, "UnsignedProperties")
            .flat_map(|unsigned| unsigned.children_named(XADES, "UnsignedSignatureProperties"))
            .flat_map(Element::children)
            .collect()
    }

    /// Returns the certificates of KeyInfo with valid base64.
    pub(crate) fn key_info_certificates(self) -> Vec<Vec<u8>> {
        self.0
            .children_named(DSIG, "KeyInfo")
            .flat_map(|info| info.children_named(DSIG, "X509Data"))
            .flat_map(|data| data.children_named(DSIG, "X509Certificate"))
            .filter_map(binary)
            .collect()
    }
}

impl<'d> Canonical<'d> {
    /// Default: Canonical XML 1.0 (XML Signature 1.1, 4.4.3.2).
    pub(crate) const DEFAULT: Self = Self {
        algorithm: Canonicalization::INCLUSIVE,
        prefixes: Vec::new(),
    };

    /// Reads a CanonicalizationMethod or Transform.
    pub(crate) fn read(element: Element<'d>) -> Result<Self, Fault> {
        let uri = element.attribute("Algorithm").unwrap_or_default();
        let unknown = || Fault::Algorithm(uri.to_owned());
        let algorithm = Canonicalization::from_uri(uri).ok_or_else(unknown)?;
        let mut prefixes = Vec::new();
        for parameter in element.children() {
            let is_list = parameter.is(Canonicalization::EXCLUSIVE.uri(), "InclusiveNamespaces");
            let list = parameter.attribute("PrefixList").filter(|_| is_list);
            prefixes.extend(list.ok_or_else(unknown)?.split_ascii_whitespace());
        }
        Ok(Self {
            algorithm,
            prefixes,
        })
    }

    pub(crate) fn apply(&self, element: Element<'_>) -> Result<Vec<u8>, Fault> {
        element
            .canonicalize(self.algorithm, &self.prefixes)
            .map_err(|_| Fault::Unreadable("what is canonicalized"))
    }
}

/// Returns the only child with a name.
pub(crate) fn only<'d>(
    parent: Element<'d>,
    namespace: &'static str,
    name: &'static str,
) -> Result<Element<'d>, Fault> {
    parent
        .only_child(namespace, name)
        .ok_or(Fault::NotOnce(name))
}

/// Decodes the base64 text of an element, with or without line breaks.
pub(crate) fn binary(element: Element<'_>) -> Option<Vec<u8>> {
    let mut text = element.text();
    text.retain(|c| !c.is_ascii_whitespace());
    BASE64_STANDARD.decode(text).ok()
}
