//! What is asked for, checked for form.

use bytes::Bytes;
use parafa_ceremony::forms::TermsForm;
use uuid::Uuid;

/// A signing to be.
#[derive(Debug)]
pub struct SigningForm {
    /// Where the document comes from.
    pub source: SourceForm,
    /// Who signs, how and until when.
    pub terms: TermsForm,
}

/// What is to be signed.
#[derive(Debug)]
pub enum SourceForm {
    /// One document.
    Document(DocumentForm),
    /// Files to be composed into a container.
    Container(ContainerForm),
}

/// A container to be composed.
#[derive(Debug)]
pub struct ContainerForm {
    /// The extension of documents of its format, without the dot.
    pub extension: &'static str,
    /// Its files, the main document first.
    pub files: Vec<ContainerFileForm>,
}

/// A file that is to be in a container.
#[derive(Debug)]
pub struct ContainerFileForm {
    /// The file, whose bytes are in the request.
    pub document: DocumentForm,
    /// What its extension stands for.
    pub media_type: &'static str,
}

/// A batch to be: a signing for each document.
#[derive(Debug)]
pub struct BatchForm {
    /// The documents, each of which becomes a signing.
    pub documents: Vec<DocumentForm>,
    /// Who signs, how and until when.
    pub terms: TermsForm,
}

/// A document to be signed.
#[derive(Clone, Debug)]
pub struct DocumentForm {
    /// The file name.
    pub name: String,
    /// Lower-case extension of the name, without the dot.
    pub extension: String,
    /// Where the bytes, or the token, stand in the request, as a JSON pointer.
    pub pointer: String,
    /// Where the wish to flatten stands, or would.
    pub flatten_pointer: String,
    /// The bytes.
    pub content: ContentForm,
    /// Whether the form is to be drawn into the pages first.
    pub flatten: bool,
}

/// Where a document's bytes come from.
#[derive(Clone, Debug)]
pub enum ContentForm {
    /// Its bytes are in the request.
    Inline(Bytes),
    /// A stored file.
    File(Uuid),
}

/// Where the name of a file stands in a request: beside its bytes, or their
/// token.
pub(super) fn name_pointer(bytes_pointer: &str) -> String {
    let (parent, _) = bytes_pointer.rsplit_once('/').unwrap_or_default();
    format!("{parent}/name")
}
