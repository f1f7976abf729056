use parafa_api_http::decode::Node;

use super::rules::Rules;
use super::{NewContainer, NewDocument, Source, Terms};

/// The body of `POST /v1/signings`.
#[derive(Clone, Debug)]
pub struct CreateSigning {
    /// The content to be signed.
    pub source: Source,
    /// Signers, deadlines and manner of signing.
    pub terms: Terms,
}

impl CreateSigning {
    pub(crate) fn read(node: &Node<'_>, rules: &Rules<'_>) -> Option<Self> {
        node.object("CreateSigningRequest", |object| {
            let source = object.either(
                ("document", |node| {
                    NewDocument::decode(&node, rules.further_extensions).map(Source::Document)
                }),
                ("container", |node| {
                    NewContainer::decode(&node).map(Source::Container)
                }),
            );
            let terms = Terms::read(object, rules);
            Some(Self {
                source: source?,
                terms: terms?,
            })
        })
    }
}
