use url::Url;

use super::{NewContainer, NewDocument, Source, Terms};
use crate::decode::{Either, Node};

/// The body of `POST /v1/signings`.
#[derive(Clone, Debug)]
pub struct CreateSigning {
    /// What is to be signed.
    pub source: Source,
    /// By whom, by when and how.
    pub terms: Terms,
}

impl CreateSigning {
    /// `webhook_target` is asked about the webhook's address.
    pub(crate) fn decode(
        node: &Node<'_>,
        webhook_target: impl Fn(&Url) -> Result<(), String>,
    ) -> Option<Self> {
        node.object(|object| {
            let source = match object.either("document", "container") {
                Some(Either::First(document)) => {
                    NewDocument::decode(&document).map(Source::Document)
                }
                Some(Either::Second(container)) => {
                    NewContainer::decode(&container).map(Source::Container)
                }
                Some(Either::Both(document, container)) => {
                    NewDocument::decode(&document);
                    NewContainer::decode(&container);
                    None
                }
                None => None,
            };
            let terms = Terms::decode(object, webhook_target);
            Some(Self {
                source: source?,
                terms: terms?,
            })
        })
    }
}
