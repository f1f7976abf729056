use bytes::Bytes;
use parafa_api_http::decode::Node;

use super::rules::Rules;
use super::source::{content, name_and_family};
use crate::vocabulary::DocumentFamily;

/// The body of `POST /v1/files`.
#[derive(Clone, Debug)]
pub struct NewFile {
    /// A file name with one of the known extensions.
    pub name: String,
    /// Family of the file extension.
    pub family: DocumentFamily,
    /// The file itself.
    pub content: Bytes,
}

impl NewFile {
    /// Pointer of the bytes, for refusals after decoding.
    pub const CONTENT_POINTER: &str = "/content";
    /// The pointer of the name.
    pub const NAME_POINTER: &str = "/name";
}

impl NewFile {
    pub(crate) fn read(node: &Node<'_>, rules: &Rules<'_>) -> Option<Self> {
        node.object("StoreFileRequest", |object| {
            let named = object.required("name", |node| {
                name_and_family(&node, rules.further_extensions)
            });
            let content = object.required("content", content);
            let (name, family) = named?;
            Some(Self {
                name: name.to_owned(),
                family,
                content: content?,
            })
        })
    }
}
