use parafa_api_http::FromBody;
use parafa_api_http::decode::Node;

use super::limits::DOCUMENTS;
use super::{NewDocument, Terms};
use crate::api::SigningApi;

/// The body of `POST /v1/batches`.
#[derive(Clone, Debug)]
pub struct CreateBatch {
    /// One for each signing, 1 to 20.
    pub documents: Vec<NewDocument>,
    /// By whom, by when and how all of them are signed.
    pub terms: Terms,
}

impl<A: SigningApi> FromBody<A> for CreateBatch {
    fn decode(api: &A, node: &Node<'_>) -> Option<Self> {
        node.object("CreateBatchRequest", |object| {
            let documents = object.required("documents", |node| {
                node.items(DOCUMENTS, |item| {
                    NewDocument::decode(&item, api.further_extensions())
                })
            });
            let terms = Terms::decode(object, api);
            Some(Self {
                documents: documents?,
                terms: terms?,
            })
        })
    }
}
