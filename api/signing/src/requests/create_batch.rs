use parafa_api_http::decode::Node;

use super::limits::DOCUMENTS;
use super::rules::Rules;
use super::{NewDocument, Terms};

/// The body of `POST /v1/batches`.
#[derive(Clone, Debug)]
pub struct CreateBatch {
    /// One document for each signing, 1 to 20.
    pub documents: Vec<NewDocument>,
    /// Signers, deadlines and manner of signing, for all of them.
    pub terms: Terms,
}

impl CreateBatch {
    pub(crate) fn read(node: &Node<'_>, rules: &Rules<'_>) -> Option<Self> {
        node.object("CreateBatchRequest", |object| {
            let documents = object.required("documents", |node| {
                node.items(DOCUMENTS, |item| {
                    NewDocument::decode(&item, rules.further_extensions)
                })
            });
            let terms = Terms::read(object, rules);
            Some(Self {
                documents: documents?,
                terms: terms?,
            })
        })
    }
}
