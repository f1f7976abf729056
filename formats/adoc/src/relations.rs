//! Relations between members (`META-INF/relations.xml`).

use std::collections::HashSet;

use parafa_container::manifest::require_readable;
use parafa_container::unsound;
use parafa_format_core::Refusal;
use parafa_xml::{Document, Element, Insertion, Limits, XmlWriter, inserted};

pub(crate) use parafa_container::ADOC_RELATIONS as RELATIONS;

const NAMESPACE: &str = "http://www.archyvai.lt/adoc/2008/relationships";

/// Path of the document as a whole, in place of a member.
pub(crate) const ROOT: &str = "/";

/// Kind of a relation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    /// The main document.
    Main,
    /// A document that belongs to the content of another one.
    Appendix,
    /// An attachment outside the content.
    Attachment,
    /// Metadata signed element by element.
    Signable,
    /// Unsigned metadata.
    Unsignable,
    /// A signature file.
    Signatures,
    /// A thumbnail of the document.
    Thumbnail,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Main,
        Self::Appendix,
        Self::Attachment,
        Self::Signable,
        Self::Unsignable,
        Self::Signatures,
        Self::Thumbnail,
    ];

    /// Returns the end of its type, after the namespace.
    fn path(self) -> &'static str {
        match self {
            Self::Main => "/content/main",
            Self::Appendix => "/content/appendix",
            Self::Attachment => "/content/attachment",
            Self::Signable => "/metadata/signable",
            Self::Unsignable => "/metadata/unsignable",
            Self::Signatures => "/signatures",
            Self::Thumbnail => "/thumbnail",
        }
    }

    fn of(uri: &str) -> Option<Self> {
        let path = uri.strip_prefix(NAMESPACE)?;
        Self::ALL.into_iter().find(|kind| kind.path() == path)
    }
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Relation {
    /// Source member, or [`ROOT`].
    pub(crate) source: String,
    /// Target member.
    pub(crate) target: String,
    /// `None` for an unknown kind.
    pub(crate) kind: Option<Kind>,
}

/// A relation to add, with the elements of its source that a signature file
/// signs, by `ID`.
#[derive(Clone, Debug)]
pub(crate) struct Addition<'a> {
    pub(crate) source: &'a str,
    pub(crate) target: &'a str,
    pub(crate) kind: Kind,
    pub(crate) elements: Vec<&'a str>,
}

/// Returns all relations, in order.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Vec<Relation>, Refusal> {
    let document = parse(bytes, limits)?;
    let mut relations = Vec::new();
    for part in parts(&document) {
        let source = path(part)?;
        for relationship in part.children_named(NAMESPACE, "Relationship") {
            relations.push(Relation {
                source: source.to_owned(),
                target: path(relationship)?.to_owned(),
                kind: Kind::of(relationship.attribute("type").unwrap_or_default().trim()),
            });
        }
    }
    Ok(relations)
}

/// Adds relations; everything else stays unchanged.
pub(crate) fn with_additions(
    bytes: &[u8],
    limits: &Limits,
    additions: &[Addition<'_>],
) -> Result<String, Refusal> {
    let document = parse(bytes, limits)?;
    let mut insertions = Vec::new();
    let mut written = HashSet::new();
    // If several parts have the same name, the first one gets all additions.
    for part in parts(&document) {
        let source = path(part)?;
        let of_part: Vec<_> = additions
            .iter()
            .filter(|addition| addition.source == source)
            .collect();
        if !of_part.is_empty() && written.insert(source) {
            let new = XmlWriter::fragment(|writer| {
                for addition in of_part {
                    addition.write(writer, &prefix(part));
                }
            });
            insertions.push(Insertion::at_the_end_of(part, &new));
        }
    }
    let new_parts = XmlWriter::fragment(|writer| {
        write_parts(writer, &prefix(document.root()), additions, &mut written);
    });
    if !new_parts.is_empty() {
        insertions.push(Insertion::at_the_end_of(document.root(), &new_parts));
    }
    let edited = inserted(document.source(), insertions);
    require_readable(edited, limits, RELATIONS)
}

/// Writes the relations of a new document.
pub(crate) fn write(relations: &[Addition<'_>]) -> String {
    XmlWriter::document(|writer| {
        writer.element("Relationships", &[("xmlns", NAMESPACE)], |writer| {
            write_parts(writer, "", relations, &mut HashSet::new());
        });
    })
}

/// Writes the parts not yet written, with the additions to each.
fn write_parts<'a>(
    writer: &mut XmlWriter,
    prefix: &str,
    additions: &'a [Addition<'a>],
    written: &mut HashSet<&'a str>,
) {
    for addition in additions {
        let source = addition.source;
        if !written.insert(source) {
            continue;
        }
        writer.element(
            &format!("{prefix}SourcePart"),
            &[("full-path", source)],
            |writer| {
                for addition in additions.iter().filter(|other| other.source == source) {
                    addition.write(writer, prefix);
                }
            },
        );
    }
}

/// Returns the prefix of an element. Child elements share it and need no
/// declaration; a document may have only a limited number of these.
fn prefix(element: Element<'_>) -> String {
    let name = element.qualified_name();
    name.strip_suffix(element.local_name())
        .unwrap_or_default()
        .to_owned()
}

impl Addition<'_> {
    fn write(&self, writer: &mut XmlWriter, prefix: &str) {
        let kind = format!("{NAMESPACE}{}", self.kind.path());
        let attributes = [("full-path", self.target), ("type", kind.as_str())];
        writer.element(&format!("{prefix}Relationship"), &attributes, |writer| {
            for element in &self.elements {
                let attributes = [("in-source-part", "true"), ("ref-id", element)];
                writer.empty(&format!("{prefix}Element"), &attributes);
            }
        });
    }
}

fn parse<'b>(bytes: &'b [u8], limits: &Limits) -> Result<Document<'b>, Refusal> {
    let document = Document::parse(bytes, limits).map_err(|error| error.in_member(RELATIONS))?;
    if document.root().is(NAMESPACE, "Relationships") {
        Ok(document)
    } else {
        let detail = "The relations of the document are none of ADOC-V1.0.";
        Err(unsound(detail, [RELATIONS]))
    }
}

fn parts<'d>(document: &'d Document<'d>) -> impl Iterator<Item = Element<'d>> {
    document.root().children_named(NAMESPACE, "SourcePart")
}

fn path(element: Element<'_>) -> Result<&str, Refusal> {
    element.attribute("full-path").ok_or_else(|| {
        let detail = "A relation of the document does not say of what it is one.";
        unsound(detail, [RELATIONS])
    })
}

#[cfg(test)]
mod tests {
    use parafa_format_core::refusal;
    use proptest::prelude::*;

    use super::*;

    fn signed<'a>(source: &'a str, elements: Vec<&'a str>) -> Addition<'a> {
        Addition {
            source,
            target: "META-INF/signatures/signatures1.xml",
            kind: Kind::Signatures,
            elements,
        }
    }

    #[test]
    fn everything_that_was_there_stays_as_it_was() {
        let relations = format!(
            "<?xml version='1.0'?><!-- kept --><r:Relationships xmlns:r='{NAMESPACE}'  >\
             <r:SourcePart full-path='/'/> <r:Other/>\n<r:SourcePart full-path=\"a.pdf\">\t\
             <r:Relationship full-path='b' type='elsewhere'/></r:SourcePart ></r:Relationships>"
        );
        let limits = Limits::default();
        let additions = [
            signed(ROOT, Vec::new()),
            signed("a.pdf", Vec::new()),
            signed("m.xml", vec!["x", "y"]),
        ];

        let edited = with_additions(relations.as_bytes(), &limits, &additions).unwrap();

        let new = read(edited.as_bytes(), &limits).unwrap();
        let sources: Vec<_> = new
            .iter()
            .map(|relation| relation.source.as_str())
            .collect();
        assert_eq!(sources, [ROOT, "a.pdf", "a.pdf", "m.xml"]);
        assert_eq!(new[1].kind, None);
        assert!(edited.contains("<r:Element in-source-part=\"true\" ref-id=\"y\">"));
        let kept = relations.replace("'/'/>", "'/'>|</r:SourcePart>");
        let kept = kept.replace("</r:SourcePart >", "|</r:SourcePart >");
        let kept = kept.replace("</r:Relationships>", "|</r:Relationships>");
        let mut rest = edited.as_str();
        for kept in kept.split('|') {
            let at = rest.find(kept);
            let at = at.unwrap_or_else(|| panic!("{kept} in {edited}"));
            rest = &rest[at + kept.len()..];
        }
        assert_eq!(rest, "");
    }

    #[test]
    fn relations_of_many_signatures_are_read_back() {
        let limits = Limits::default();
        let sources: Vec<_> = (0..1100).map(|number| format!("{number}.pdf")).collect();
        let additions: Vec<_> = sources
            .iter()
            .map(|source| signed(source, Vec::new()))
            .collect();
        for prefix in ["", "r:"] {
            let declared = format!("xmlns{}", if prefix.is_empty() { "" } else { ":r" });
            let empty = format!("<{prefix}Relationships {declared}='{NAMESPACE}'/>");

            let once = with_additions(empty.as_bytes(), &limits, &additions).unwrap();
            let twice = with_additions(once.as_bytes(), &limits, &additions).unwrap();

            assert_eq!(read(twice.as_bytes(), &limits).unwrap().len(), 2200);
        }
    }

    #[test]
    fn relations_that_would_grow_beyond_what_is_read_are_not_written() {
        let written = write(&[signed(ROOT, Vec::new())]);
        let limits = Limits {
            bytes: written.len() + 10,
            ..Limits::default()
        };

        let refused = with_additions(written.as_bytes(), &limits, &[signed(ROOT, Vec::new())]);

        assert_eq!(refused.unwrap_err().code, refusal::DOCUMENT_TOO_LONG);
    }

    #[test]
    fn what_is_no_relation_is_refused() {
        let limits = Limits::default();
        for text in [
            "<Relationships/>".to_owned(),
            format!("<Relationships xmlns='{NAMESPACE}'><SourcePart/></Relationships>"),
        ] {
            let refused = read(text.as_bytes(), &limits).unwrap_err();
            assert_eq!(refused.subjects, [RELATIONS]);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(sources in prop::collection::vec("[a-ž &<>\"'/]{1,9}", 0..9)) {
            let additions: Vec<_> = sources.iter().map(|source| signed(source, Vec::new())).collect();
            let written = write(&additions);
            let read = read(written.as_bytes(), &Limits::default()).unwrap();
            prop_assert_eq!(read.len(), sources.len());
            prop_assert!(read.iter().all(|relation| sources.contains(&relation.source)));
        }
    }
}
