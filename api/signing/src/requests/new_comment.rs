use super::limits::{LONGEST_AUTHOR_LABEL, LONGEST_COMMENT};
use crate::decode::Node;

/// The body of `POST /v1/signings/{signingId}/comments`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NewComment {
    /// Has at least one visible character.
    pub body: String,
    /// The caller's own name for the writer.
    pub author_label: Option<String>,
}

impl NewComment {
    pub(crate) fn decode(node: &Node<'_>) -> Option<Self> {
        node.object(|object| {
            let body = object
                .required("body")
                .and_then(|node| node.visible_lines(LONGEST_COMMENT));
            let author_label = object
                .optional("authorLabel")
                .map(|node| node.text(LONGEST_AUTHOR_LABEL));
            Some(Self {
                body: body?.to_owned(),
                author_label: author_label.flatten().map(str::to_owned),
            })
        })
    }
}
