use url::Url;

use super::limits::DOCUMENTS;
use super::{NewDocument, Terms};
use crate::decode::Node;

/// The body of `POST /v1/batches`.
#[derive(Clone, Debug)]
pub struct CreateBatch {
    /// One for each signing, 1 to 20.
    pub documents: Vec<NewDocument>,
    /// By whom, by when and how all of them are signed.
    pub terms: Terms,
}

impl CreateBatch {
    /// `webhook_target` is asked about the webhook's address.
    pub(crate) fn decode(
        node: &Node<'_>,
        webhook_target: impl Fn(&Url) -> Result<(), String>,
    ) -> Option<Self> {
        node.object(|object| {
            let documents = object
                .required("documents")
                .and_then(|node| documents(&node));
            let terms = Terms::decode(object, webhook_target);
            Some(Self {
                documents: documents?,
                terms: terms?,
            })
        })
    }
}

fn documents(node: &Node<'_>) -> Option<Vec<NewDocument>> {
    let decoded: Vec<_> = node
        .items(DOCUMENTS)?
        .iter()
        .map(NewDocument::decode)
        .collect();
    decoded.into_iter().collect()
}
