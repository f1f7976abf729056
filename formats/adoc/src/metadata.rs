//! Metadata about the document, its authors and its signers.

use std::collections::HashMap;

use parafa_container::{SignedElement, unsound};
use parafa_format_core::Refusal;
use parafa_xml::{Canonicalization, Document, Element, Error, Limits, XmlWriter};

use crate::VERSION;

/// Namespace of metadata that is signed element by element.
const SIGNABLE: &str = "http://www.archyvai.lt/adoc/2008/metadata/signable";
/// Namespace of unsigned metadata.
const UNSIGNABLE: &str = "http://www.archyvai.lt/adoc/2008/metadata/unsignable";

/// Categories: documents of institutions, of legal persons, of natural persons,
/// and those that institutions receive from outside the state.
const CATEGORIES: [&str; 4] = ["GeDOC", "BeDOC", "CeDOC", "GGeDOC"];

/// Default category of new documents: those of a legal person.
pub(crate) const USUAL_CATEGORY: &str = "BeDOC";

/// Signing purpose of an author who puts the document into force.
const PURPOSE: &str = "signature";
/// Signing purpose of a notary, after whom no one signs.
const NOTARISATION: &str = "notarisation";

/// Maximum number of individually signed metadata elements per document: each
/// needs a digest, and a reference in every signature.
pub(crate) const MOST_SIGNED_ELEMENTS: usize = 1000;

/// Content of signable metadata.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signable {
    /// Elements covered by every signature: about the document and its authors.
    pub(crate) elements: Vec<SignedElement>,
    /// A notary has signed.
    pub(crate) is_notarised: bool,
}

/// Reads signable metadata with at most `most` elements.
pub(crate) fn read_signable(
    name: &str,
    bytes: &[u8],
    limits: &Limits,
    most: usize,
) -> Result<Signable, Refusal> {
    let document = Document::parse(bytes, limits).map_err(|error| error.in_member(name))?;
    let root = metadata(&document, SIGNABLE, name)?;
    let documents = root.children_named(SIGNABLE, "document");
    let authors = root
        .children_named(SIGNABLE, "authors")
        .flat_map(|authors| authors.children_named(SIGNABLE, "author"));
    let named = documents
        .chain(authors)
        .filter_map(|element| Some((element, element.attribute("ID")?)));
    let named: Vec<_> = named.take(most.saturating_add(1)).collect();
    if named.len() > most {
        let detail = format!(
            "The metadata of the document have more than {MOST_SIGNED_ELEMENTS} elements that are signed."
        );
        return Err(unsound(detail, [name]));
    }
    let ids = Ids::of(root);
    let elements = named
        .into_iter()
        .map(|(element, id)| signed_element(name, &ids, element, id))
        .collect::<Result<_, _>>()?;
    let mut purposes = root
        .children_named(SIGNABLE, "signatures")
        .flat_map(|signatures| signatures.children_named(SIGNABLE, "signature"))
        .flat_map(|signature| signature.children_named(SIGNABLE, "signingPurpose"));
    Ok(Signable {
        elements,
        is_notarised: purposes.any(|purpose| purpose.text().trim() == NOTARISATION),
    })
}

/// Number of elements per `ID`.
struct Ids<'d>(HashMap<&'d str, usize>);

impl<'d> Ids<'d> {
    fn of(root: Element<'d>) -> Self {
        let mut counts = HashMap::new();
        for id in root
            .descendants()
            .filter_map(|element| element.attribute("ID"))
        {
            *counts.entry(id).or_default() += 1;
        }
        Self(counts)
    }

    fn is_of_one(&self, id: &str) -> bool {
        self.0.get(id) == Some(&1)
    }
}

/// Returns an element that signatures find by its `ID`, which must be unique.
fn signed_element(
    name: &str,
    ids: &Ids<'_>,
    element: Element<'_>,
    id: &str,
) -> Result<SignedElement, Refusal> {
    if id.is_empty() || id.contains(['\'', '"']) || !ids.is_of_one(id) {
        let detail = format!("The ID {id:?} of metadata does not tell one element.");
        return Err(unsound(detail, [name]));
    }
    Ok(SignedElement {
        member: name.to_owned(),
        id: id.to_owned(),
        octets: canonical(element).map_err(|error| error.in_member(name))?,
    })
}

fn canonical(element: Element<'_>) -> Result<Vec<u8>, Error> {
    element.canonicalize(Canonicalization::INCLUSIVE, &[])
}

/// Reads unsigned metadata and returns the category of the document, if stated.
///
/// # Errors
/// The standard or the category is unknown.
pub(crate) fn read_unsignable(
    name: &str,
    bytes: &[u8],
    limits: &Limits,
) -> Result<Option<String>, Refusal> {
    let document = Document::parse(bytes, limits).map_err(|error| error.in_member(name))?;
    let root = metadata(&document, UNSIGNABLE, name)?;
    let text = |local_name| {
        let mut elements = root.descendants();
        let element = elements.find(|element| element.is(UNSIGNABLE, local_name))?;
        Some(element.text().trim().to_owned())
    };
    if let Some(version) = text("standardVersion").filter(|version| version != VERSION) {
        let detail = format!("The document is of the standard {version:?}, not of {VERSION}.");
        return Err(unsound(detail, [name]));
    }
    let category = text("documentCategory");
    if let Some(category) = &category
        && !is_category(category)
    {
        let detail = format!("The document is of the category {category:?}, which there is not.");
        return Err(unsound(detail, [name]));
    }
    Ok(category)
}

/// Returns whether the category exists.
pub(crate) fn is_category(name: &str) -> bool {
    CATEGORIES.contains(&name)
}

fn metadata<'d>(
    document: &'d Document<'d>,
    namespace: &str,
    name: &str,
) -> Result<Element<'d>, Refusal> {
    let root = document.root();
    if root.is(namespace, "metadata") {
        Ok(root)
    } else {
        let detail = "The metadata are none of ADOC-V1.0.";
        Err(unsound(detail, [name]))
    }
}

/// Writes the metadata of a new document.
pub(crate) fn write_document(title: &str, author: Option<&str>) -> String {
    let attributes = [("ID", "metadata_0"), ("xmlns:sig", SIGNABLE)];
    XmlWriter::document(|writer| {
        writer.element("sig:metadata", &attributes, |writer| {
            writer.element("sig:document", &[("ID", "document_0")], |writer| {
                writer.text("sig:title", &[], title);
            });
            let Some(author) = author else { return };
            writer.element("sig:authors", &[("ID", "authors_0")], |writer| {
                writer.element("sig:author", &[("ID", "author_0")], |writer| {
                    writer.text("sig:name", &[], author);
                    writer.text("sig:individual", &[], "false");
                });
            });
        });
    })
}

/// Writes the unsigned metadata of a new document with this category.
pub(crate) fn write_environment(category: &str) -> String {
    let attributes = [("ID", "metadata_0"), ("xmlns:uns", UNSIGNABLE)];
    XmlWriter::document(|writer| {
        writer.element("uns:metadata", &attributes, |writer| {
            writer.element("uns:Use", &[("ID", "use_0")], |writer| {
                let attributes = [("ID", "technical_environment_0")];
                writer.element("uns:technical_environment", &attributes, |writer| {
                    writer.text("uns:standardVersion", &[], VERSION);
                    writer.text("uns:documentCategory", &[], category);
                    writer.text("uns:generator", &[], "Parafa");
                });
            });
        });
    })
}

/// Metadata about a signature: signer and time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignatureMetadata<'a> {
    /// `ID` of the element.
    pub(crate) id: &'a str,
    /// Signature file and `Id` of the signature.
    pub(crate) signature: &'a str,
    /// `xs:dateTime`, equal to SigningTime.
    pub(crate) time: &'a str,
    /// Name of the signer.
    pub(crate) signer: &'a str,
}

impl SignatureMetadata<'_> {
    pub(crate) fn write(&self) -> String {
        let attributes = [("ID", "metadata_0"), ("xmlns:sig", SIGNABLE)];
        XmlWriter::document(|writer| {
            writer.element("sig:metadata", &attributes, |writer| {
                writer.element("sig:signatures", &[], |writer| {
                    writer.element("sig:signature", &[("ID", self.id)], |writer| {
                        writer.text("sig:signatureID", &[], self.signature);
                        writer.text("sig:signingTime", &[], self.time);
                        writer.text("sig:signingPurpose", &[], PURPOSE);
                        writer.element("sig:signer", &[], |writer| {
                            writer.text("sig:individualName", &[], self.signer);
                        });
                    });
                });
            });
        })
    }
}

/// Returns the element about a signature in metadata from
/// [`SignatureMetadata::write`].
pub(crate) fn signature_element(
    name: &str,
    text: &str,
    id: &str,
    limits: &Limits,
) -> Result<SignedElement, Refusal> {
    let document =
        Document::parse(text.as_bytes(), limits).map_err(|error| error.in_member(name))?;
    let root = document.root();
    let mut elements = root.descendants();
    let element = elements.find(|element| element.attribute("ID") == Some(id));
    signed_element(name, &Ids::of(root), element.unwrap_or(root), id)
}

/// Returns text on one line with only the characters allowed in XML (XML 1.0,
/// 2.2).
pub(crate) fn line(text: &str) -> String {
    let plain = |c: char| {
        if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') {
            ' '
        } else {
            c
        }
    };
    text.chars()
        .map(plain)
        .collect::<String>()
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_have_no_more_signed_elements_than_are_taken() {
        let document = |count| {
            let authors: String = (0..count)
                .map(|number| format!("<author ID='{number}'/>"))
                .collect();
            format!("<metadata xmlns='{SIGNABLE}'><authors>{authors}</authors></metadata>")
        };
        let read = |count| {
            let text = document(count);
            read_signable(
                "m",
                text.as_bytes(),
                &Limits::default(),
                MOST_SIGNED_ELEMENTS,
            )
        };

        let most = read(MOST_SIGNED_ELEMENTS).unwrap();
        assert_eq!(most.elements.len(), MOST_SIGNED_ELEMENTS);
        assert!(read(MOST_SIGNED_ELEMENTS + 1).is_err());
    }
}
