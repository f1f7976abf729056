use std::collections::HashMap;
use std::ops::Range;

use uppsala::{NodeId, NodeKind, Parser, XmlError};

use crate::canonical::Canonicalization;
use crate::{Error, Limits, scan};

/// Namespace of the prefix `xml`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// A document without a document type declaration.
#[derive(Debug)]
pub struct Document<'a> {
    pub(crate) tree: uppsala::Document<'a>,
    root: NodeId,
}

/// An element of a document.
#[derive(Clone, Copy, Debug)]
pub struct Element<'d> {
    pub(crate) document: &'d Document<'d>,
    pub(crate) id: NodeId,
}

impl<'a> Document<'a> {
    /// Parses a document in UTF-8, with or without a byte order mark.
    ///
    /// # Errors
    /// It is not well-formed, has a document type declaration, or exceeds a
    /// limit.
    pub fn parse(bytes: &'a [u8], limits: &Limits) -> Result<Self, Error> {
        if bytes.len() > limits.bytes {
            return Err(Error::TooMuch {
                what: "bytes",
                most: limits.bytes,
            });
        }
        let text = std::str::from_utf8(bytes).map_err(|_| Error::Encoding)?;
        scan::check(text, limits)?;
        let parser = Parser::new()
            .with_max_depth(limits.depth)
            .with_max_entity_expansion(0)
            .with_forbid_dtd(true);
        let tree = parser.parse(text).map_err(|error| malformed(&error))?;
        if let Some(declaration) = &tree.xml_declaration {
            let encoding = declaration.encoding.as_deref().unwrap_or("UTF-8");
            if !encoding.eq_ignore_ascii_case("UTF-8") {
                return Err(Error::Encoding);
            }
            if declaration.version != "1.0" {
                return Err(Error::Malformed(format!("version {}", declaration.version)));
            }
        }
        let root = tree
            .document_element()
            .ok_or_else(|| Error::Malformed("there is no element".into()))?;
        let document = Self { tree, root };
        let declarations = document
            .root()
            .descendants()
            .map(|element| element.node().namespace_declarations.len());
        if declarations.sum::<usize>() > limits.namespace_declarations {
            return Err(Error::TooMuch {
                what: "namespace declarations",
                most: limits.namespace_declarations,
            });
        }
        Ok(document)
    }

    /// Returns the document element.
    #[must_use]
    pub fn root(&self) -> Element<'_> {
        Element {
            document: self,
            id: self.root,
        }
    }

    /// Canonicalizes the whole document.
    ///
    /// # Errors
    /// The tree is inconsistent.
    pub fn canonicalize(
        &self,
        algorithm: Canonicalization,
        prefixes: &[&str],
    ) -> Result<Vec<u8>, Error> {
        algorithm.apply(self, self.tree.root(), prefixes)
    }

    /// Returns the parsed text.
    #[must_use]
    pub fn source(&self) -> &str {
        self.tree.input_text()
    }

    /// Returns elements by the identifiers used in references: attributes `Id`,
    /// `ID`, `id` and `xml:id` (xml:id Version 1.0).
    ///
    /// # Errors
    /// Two elements have the same identifier; readers may use either.
    pub fn identified(&self) -> Result<HashMap<&str, Element<'_>>, Error> {
        let mut identified = HashMap::new();
        for element in self.root().descendants() {
            for id in element.identifiers() {
                if identified.insert(id, element).is_some() {
                    return Err(Error::DuplicateId(id.to_owned()));
                }
            }
        }
        Ok(identified)
    }
}

impl<'d> Element<'d> {
    /// Returns whether it has this namespace and local name.
    #[must_use]
    pub fn is(self, namespace: &str, local_name: &str) -> bool {
        self.node().name.matches(Some(namespace), local_name)
    }

    /// Returns the local name.
    #[must_use]
    pub fn local_name(self) -> &'d str {
        &self.node().name.local_name
    }

    /// Returns the namespace; empty if it has none.
    #[must_use]
    pub fn namespace(self) -> &'d str {
        self.node()
            .name
            .namespace_uri
            .as_deref()
            .unwrap_or_default()
    }

    /// Returns the name as written, including the prefix.
    #[must_use]
    pub fn qualified_name(self) -> String {
        self.node().name.prefixed_name().into_owned()
    }

    /// Returns the value of an attribute without a namespace.
    #[must_use]
    pub fn attribute(self, name: &str) -> Option<&'d str> {
        self.attribute_in(None, name)
    }

    /// Returns the value of an attribute in a namespace, or in none.
    #[must_use]
    pub fn attribute_in(self, namespace: Option<&str>, name: &str) -> Option<&'d str> {
        let mut attributes = self.node().attributes.iter();
        let attribute = attributes.find(|attribute| attribute.name.matches(namespace, name))?;
        Some(&attribute.value)
    }

    /// Returns the attributes, each with its namespace, which may be empty,
    /// local name and value.
    pub fn attributes(self) -> impl Iterator<Item = (&'d str, &'d str, &'d str)> {
        let attributes = self.node().attributes.iter();
        attributes.map(|attribute| {
            let name = &attribute.name;
            let namespace = name.namespace_uri.as_deref().unwrap_or_default();
            (namespace, &*name.local_name, &*attribute.value)
        })
    }

    /// Returns the parent element.
    #[must_use]
    pub fn parent(self) -> Option<Self> {
        let id = self.document.tree.parent(self.id)?;
        self.document.tree.element(id)?;
        Some(Self { id, ..self })
    }

    /// Returns the child elements.
    pub fn children(self) -> impl Iterator<Item = Self> {
        let nodes = self.document.tree.children_iter(self.id);
        nodes
            .filter(move |id| self.document.tree.element(*id).is_some())
            .map(move |id| Self { id, ..self })
    }

    /// Returns the child elements with a name.
    pub fn children_named(
        self,
        namespace: &'static str,
        local_name: &'static str,
    ) -> impl Iterator<Item = Self> {
        self.children()
            .filter(move |child| child.is(namespace, local_name))
    }

    /// Returns the child with a name, if there is exactly one.
    #[must_use]
    pub fn only_child(self, namespace: &'static str, local_name: &'static str) -> Option<Self> {
        let mut children = self.children_named(namespace, local_name);
        let child = children.next()?;
        children.next().is_none().then_some(child)
    }

    /// Returns the element and its descendants, in document order.
    pub fn descendants(self) -> impl Iterator<Item = Self> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            let next = stack.pop()?;
            let first = stack.len();
            stack.extend(next.children());
            stack[first..].reverse();
            Some(next)
        })
    }

    /// Returns the text without that of child elements; comments and processing
    /// instructions do not split it.
    #[must_use]
    pub fn text(self) -> String {
        let nodes = self.document.tree.children_iter(self.id);
        nodes
            .filter_map(|id| match self.document.tree.node_kind(id)? {
                NodeKind::Text(text) | NodeKind::CData(text) => Some(text.as_ref()),
                _ => None,
            })
            .collect()
    }

    /// Returns the text, if the element contains exactly one text node.
    #[must_use]
    pub fn only_text(self) -> Option<&'d str> {
        let mut nodes = self.document.tree.children_iter(self.id);
        match self.document.tree.node_kind(nodes.next()?)? {
            NodeKind::Text(text) if nodes.next().is_none() => Some(text),
            _ => None,
        }
    }

    /// Returns the range of the element in the document's text.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        let range = self.document.tree.node_range(self.id);
        range.expect("the tree was parsed and is never changed")
    }

    /// Returns the document.
    #[must_use]
    pub fn document(self) -> &'d Document<'d> {
        self.document
    }

    /// Canonicalizes the element. Comments are removed unless the algorithm
    /// keeps them. `prefixes` are those of `InclusiveNamespaces`, for exclusive
    /// algorithms (Exclusive XML Canonicalization 1.0, 3).
    ///
    /// # Errors
    /// The tree is inconsistent.
    pub fn canonicalize(
        self,
        algorithm: Canonicalization,
        prefixes: &[&str],
    ) -> Result<Vec<u8>, Error> {
        algorithm.apply_below(self, prefixes)
    }

    fn identifiers(self) -> impl Iterator<Item = &'d str> {
        ["Id", "ID", "id"]
            .into_iter()
            .filter_map(move |name| self.attribute(name))
            .chain(self.attribute_in(Some(XML), "id"))
    }

    fn node(self) -> &'d uppsala::Element<'d> {
        let element = self.document.tree.element(self.id);
        element.expect("only nodes that are elements are handed out")
    }
}

impl PartialEq for Element<'_> {
    /// Returns whether both are the same element of the same document.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.id == other.id
    }
}

fn malformed(error: &XmlError) -> Error {
    Error::Malformed(error.to_string())
}
