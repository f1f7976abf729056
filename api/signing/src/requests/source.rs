use std::collections::HashSet;

use bytes::Bytes;
use parafa_api_http::decode::{Node, append, file_name_pattern};
use serde_json::json;

use super::limits::{FILES, LARGEST_DOCUMENT, LONGEST_FILE_NAME};
use crate::ids::FileToken;
use crate::vocabulary::{ContainerFormat, DocumentFamily, file_extension};

/// The content to be signed.
#[derive(Clone, Debug)]
pub enum Source {
    /// One document.
    Document(NewDocument),
    /// Files to be composed into a container.
    Container(NewContainer),
}

/// The extensions of files that containers are composed of, and their media
/// types.
const MEMBERS: [(&str, &str); 2] = [
    ("pdf", "application/pdf"),
    (
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
];

/// A document to be signed.
#[derive(Clone, Debug)]
pub struct NewDocument {
    /// The document's own place in the request, as a JSON Pointer.
    pub pointer: String,
    /// A file name with one of the known extensions.
    pub name: String,
    /// Family of the file extension.
    pub family: DocumentFamily,
    /// The document itself.
    pub bytes: DocumentBytes,
    /// True if the form is first drawn into the pages; only with [`DocumentFamily::Pdf`].
    pub flatten: bool,
}

/// Source of a document's bytes.
#[derive(Clone, Debug)]
pub enum DocumentBytes {
    /// Bytes in the request.
    Content(Bytes),
    /// Bytes in a stored file.
    FileToken(FileToken),
}

/// A container to be composed.
#[derive(Clone, Debug)]
pub struct NewContainer {
    /// Format of the container.
    pub format: ContainerFormat,
    /// 1 to 20 files with distinct names; the first is the main document.
    pub files: Vec<ContainerFile>,
}

/// One file of a container to be composed.
#[derive(Clone, Debug)]
pub struct ContainerFile {
    /// The file's own place in the request, as a JSON Pointer.
    pub pointer: String,
    /// A file name with an extension of the container's format.
    pub name: String,
    /// Media type of the file extension.
    pub media_type: &'static str,
    /// The file itself.
    pub content: Bytes,
}

impl ContainerFile {
    /// Pointer of the bytes, for refusals after decoding.
    #[must_use]
    pub fn content_pointer(&self) -> String {
        append(&self.pointer, "content")
    }

    /// The pointer of the name.
    #[must_use]
    pub fn name_pointer(&self) -> String {
        append(&self.pointer, "name")
    }
}

impl NewDocument {
    /// Pointer of the bytes, for refusals after decoding.
    #[must_use]
    pub fn content_pointer(&self) -> String {
        let member = match self.bytes {
            DocumentBytes::Content(_) => "content",
            DocumentBytes::FileToken(_) => "fileToken",
        };
        append(&self.pointer, member)
    }

    /// The pointer of the name.
    #[must_use]
    pub fn name_pointer(&self) -> String {
        append(&self.pointer, "name")
    }

    /// The pointer of the wish to flatten.
    #[must_use]
    pub fn flatten_pointer(&self) -> String {
        append(&self.pointer, "flatten")
    }

    /// `further` are extensions accepted beside those of the specification.
    pub(super) fn decode(node: &Node<'_>, further: &[String]) -> Option<Self> {
        node.object("DocumentRequest", |object| {
            let named = object.required("name", |node| {
                let node =
                    node.described("The extension selects the family. .mdoc is answered with 422.");
                name_and_family(&node, further)
            });
            let bytes = object.either(
                ("content", |node| content(node).map(DocumentBytes::Content)),
                ("fileToken", |node: Node<'_>| {
                    node.uuid().map(|id| DocumentBytes::FileToken(id.into()))
                }),
            );
            let flatten = object.or("flatten", false, |node| {
                let node = node.described("Draws every form field into its page first. PDF only.");
                let flatten = node.boolean()?;
                if flatten && named.is_some_and(|(_, family)| family != DocumentFamily::Pdf) {
                    node.fault("must be false, because only a PDF can be flattened");
                }
                Some(flatten)
            });
            let (name, family) = named?;
            Some(Self {
                pointer: node.pointer().to_owned(),
                name: name.to_owned(),
                family,
                bytes: bytes?,
                flatten: flatten?,
            })
        })
    }
}

impl NewContainer {
    pub(super) fn decode(node: &Node<'_>) -> Option<Self> {
        node.object("ContainerRequest", |object| {
            let format = object.required("format", |node| {
                node.described("asice takes .pdf files only; adoc takes .pdf and .xlsx.")
                    .one_of()
            });
            let files = object.required("files", |node| files(node, format));
            let is_asice = json!({"type": "string", "const": ContainerFormat::Asice});
            let is_asice = json!({"properties": {"format": is_asice}});
            let of_pdf = json!({"properties": {"name": {"pattern": file_name_pattern(&["pdf"])}}});
            object.keyword("if", is_asice);
            object.keyword("then", json!({"properties": {"files": {"items": of_pdf}}}));
            Some(Self {
                format: format?,
                files: files?,
            })
        })
    }
}

fn files(node: Node<'_>, format: Option<ContainerFormat>) -> Option<Vec<ContainerFile>> {
    let mut names = HashSet::new();
    let mut total = 0;
    let node = node.described(
        "The first one is the main document. Names are distinct; together at most 15 728 640 bytes.",
    );
    node.items(FILES, |file| {
        file.object("ContainerFileRequest", |object| {
            let named = object.required("name", |node| member_name(&node, format, &mut names));
            let content = object.required("content", |node| {
                let content = content(node.clone())?;
                total += content.len();
                if total > LARGEST_DOCUMENT {
                    node.fault(format!(
                        "must not bring the files to more than {LARGEST_DOCUMENT} bytes together"
                    ));
                    return None;
                }
                Some(content)
            });
            let (name, media_type) = named?;
            Some(ContainerFile {
                pointer: file.pointer().to_owned(),
                name: name.to_owned(),
                media_type,
                content: content?,
            })
        })
    })
}

pub(super) fn name_and_family<'j>(
    node: &Node<'j>,
    further: &[String],
) -> Option<(&'j str, DocumentFamily)> {
    let further = further.iter().map(String::as_str);
    let known = DocumentFamily::EXTENSIONS.map(|(extension, _)| extension);
    let known: Vec<_> = known.into_iter().chain(further.clone()).collect();
    let name = node.file_name(LONGEST_FILE_NAME, &known)?;
    let is_further = |name| {
        let extension = file_extension(name)?;
        let mut further = further.clone();
        let is_known = further.any(|further| further == extension);
        is_known.then_some(DocumentFamily::Further)
    };
    let family = DocumentFamily::of(name).or_else(|| is_further(name));
    if family.is_none() {
        let known = DocumentFamily::offered().map(|extension| format!(".{extension}"));
        let further = further.map(|extension| format!(".{extension}"));
        let known: Vec<_> = known.chain(further).collect();
        node.fault(format!("must end in one of {}", known.join(", ")));
    }
    Some((name, family?))
}

fn member_name<'j>(
    node: &Node<'j>,
    format: Option<ContainerFormat>,
    names: &mut HashSet<&'j str>,
) -> Option<(&'j str, &'static str)> {
    let name = node.file_name(LONGEST_FILE_NAME, &MEMBERS.map(|(extension, _)| extension))?;
    // On Windows `C:a.pdf` is a path on drive C; formats refuse it too.
    if matches!(name.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic()) {
        node.fault("must not begin with a drive letter and a colon");
        return None;
    }
    if !names.insert(name) {
        node.fault("must not be that of another file");
        return None;
    }
    let (taken, wanted): (&[&str], _) = match format {
        Some(ContainerFormat::Asice) => (
            &["pdf"],
            "must end in .pdf, the only files that an asice container takes",
        ),
        Some(ContainerFormat::Adoc) => (
            &["pdf", "xlsx"],
            "must end in .pdf or .xlsx, the only files that an adoc takes",
        ),
        None => (
            &["pdf", "xlsx"],
            "must end in .pdf or .xlsx, the only files that containers take",
        ),
    };
    let extension = file_extension(name);
    let known = MEMBERS
        .iter()
        .find(|(known, _)| extension.as_deref() == Some(*known));
    let Some((_, media_type)) = known.filter(|(known, _)| taken.contains(known)) else {
        node.fault(wanted);
        return None;
    };
    Some((name, media_type))
}

pub(super) fn content(node: Node<'_>) -> Option<Bytes> {
    node.described("Standard base64 with padding, also in lines as RFC 2045 has it; at most 15 728 640 bytes decoded.")
        .base64(LARGEST_DOCUMENT)
        .map(Bytes::from)
}
