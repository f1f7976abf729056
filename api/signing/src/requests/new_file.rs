use bytes::Bytes;

use super::source::{decode_content, name_and_family};
use crate::decode::Node;
use crate::vocabulary::DocumentFamily;

/// The body of `POST /v1/files`.
#[derive(Clone, Debug)]
pub struct NewFile {
    /// A file name with one of the known extensions.
    pub name: String,
    /// What the extension stands for.
    pub family: DocumentFamily,
    /// The file itself.
    pub content: Bytes,
}

impl NewFile {
    /// The pointer of the bytes, for refusals that come after decoding.
    pub const CONTENT_POINTER: &str = "/content";
    /// The pointer of the name.
    pub const NAME_POINTER: &str = "/name";

    pub(crate) fn decode(node: &Node<'_>) -> Option<Self> {
        node.object(|object| {
            let named = object
                .required("name")
                .and_then(|node| name_and_family(&node));
            let content = object
                .required("content")
                .and_then(|node| decode_content(&node));
            let (name, family) = named?;
            Some(Self {
                name: name.to_owned(),
                family,
                content: content?,
            })
        })
    }
}
