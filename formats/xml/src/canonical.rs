use bergshamra_c14n::C14nMode;
use bergshamra_xml::NodeSet;
use uppsala::NodeId;

use crate::{Document, Element, Error};

/// A canonicalization algorithm.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Canonicalization(C14nMode);

impl Canonicalization {
    /// Canonical XML 1.0 without comments, the default (XML Signature 1.1,
    /// 4.4.3.2).
    pub const INCLUSIVE: Self = Self(C14nMode::Inclusive);
    /// Canonical XML 1.1 without comments.
    pub const INCLUSIVE_11: Self = Self(C14nMode::Inclusive11);
    /// Exclusive XML Canonicalization 1.0 without comments.
    pub const EXCLUSIVE: Self = Self(C14nMode::Exclusive);
    /// The algorithms above, and the same with comments.
    pub const ALL: [Self; 6] = [
        Self::INCLUSIVE,
        Self(C14nMode::InclusiveWithComments),
        Self::INCLUSIVE_11,
        Self(C14nMode::Inclusive11WithComments),
        Self::EXCLUSIVE,
        Self(C14nMode::ExclusiveWithComments),
    ];

    /// Returns the algorithm of an identifier; `None` for an unknown one.
    #[must_use]
    pub fn from_uri(uri: &str) -> Option<Self> {
        C14nMode::from_uri(uri).map(Self)
    }

    /// Returns the identifier.
    #[must_use]
    pub fn uri(self) -> &'static str {
        self.0.uri()
    }

    /// Canonicalizes an element.
    pub(crate) fn apply_below(
        self,
        element: Element<'_>,
        prefixes: &[&str],
    ) -> Result<Vec<u8>, Error> {
        // The library inherits attributes that version 1.1 does not (2.4).
        let is_1_1 = matches!(
            self.0,
            C14nMode::Inclusive11 | C14nMode::Inclusive11WithComments
        );
        if is_1_1 && inherits_an_identifier(element) {
            return Err(Error::Canonicalization("xml:id stands above it".into()));
        }
        self.apply(element.document, element.id, prefixes)
    }

    /// Canonicalizes an element or a whole document.
    pub(crate) fn apply(
        self,
        document: &Document<'_>,
        root: NodeId,
        prefixes: &[&str],
    ) -> Result<Vec<u8>, Error> {
        let nodes = if self.0.with_comments() {
            NodeSet::tree_with_comments(root, &document.tree)
        } else {
            NodeSet::tree_without_comments(root, &document.tree)
        };
        bergshamra_c14n::canonicalize_doc(&document.tree, self.0, Some(&nodes), prefixes)
            .map_err(|error| Error::Canonicalization(error.to_string()))
    }
}

fn inherits_an_identifier(element: Element<'_>) -> bool {
    const XML: &str = "http://www.w3.org/XML/1998/namespace";

    let mut lineage = std::iter::successors(Some(element), |element| element.parent());
    let has_identifier = |element: Element<'_>| element.attribute_in(Some(XML), "id").is_some();
    lineage
        .next()
        .is_some_and(|element| !has_identifier(element))
        && lineage.any(has_identifier)
}
