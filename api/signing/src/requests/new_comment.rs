use parafa_api_http::FromBody;
use parafa_api_http::decode::Node;

use super::limits::{LONGEST_AUTHOR_LABEL, LONGEST_COMMENT};

/// The body of `POST /v1/signings/{signingId}/comments`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NewComment {
    /// The text, with at least one visible character.
    pub body: String,
    /// The caller's own name for the writer.
    pub author_label: Option<String>,
}

impl<A> FromBody<A> for NewComment {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("CommentRequest", |object| {
            let body = object.required("body", |node| node.visible_lines(LONGEST_COMMENT));
            let author_label = object.optional("authorLabel", |node| {
                node.described("The caller's own name for the writer.")
                    .text(LONGEST_AUTHOR_LABEL)
            });
            Some(Self {
                body: body?.to_owned(),
                author_label: author_label.map(str::to_owned),
            })
        })
    }
}
