use parafa_api_http::FromBody;
use parafa_api_http::decode::Node;

use super::{NewContainer, NewDocument, Source, Terms};
use crate::api::SigningApi;

/// The body of `POST /v1/signings`.
#[derive(Clone, Debug)]
pub struct CreateSigning {
    /// What is to be signed.
    pub source: Source,
    /// By whom, by when and how.
    pub terms: Terms,
}

impl<A: SigningApi> FromBody<A> for CreateSigning {
    fn decode(api: &A, node: &Node<'_>) -> Option<Self> {
        node.object("CreateSigningRequest", |object| {
            let source = object.either(
                ("document", |node| {
                    NewDocument::decode(&node, api.further_extensions()).map(Source::Document)
                }),
                ("container", |node| {
                    NewContainer::decode(&node).map(Source::Container)
                }),
            );
            let terms = Terms::decode(object, api);
            Some(Self {
                source: source?,
                terms: terms?,
            })
        })
    }
}
