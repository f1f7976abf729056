use jiff::Timestamp;
use parafa_api_http::FromBody;
use parafa_api_http::decode::Node;

use super::new_signer::methods;
use super::rules::Rules;
use super::terms::expires_in_days;
use crate::vocabulary::SigningMethod;

/// The body of `PATCH /v1/signings/{signingId}`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct UpdateDeadline {
    /// Days from now until the hard deadline, 1 to 30.
    pub expires_in_days: u16,
}

impl<A> FromBody<A> for UpdateDeadline {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("UpdateDeadlineRequest", |object| {
            let expires_in_days = object.required("expiresInDays", expires_in_days);
            Some(Self {
                expires_in_days: expires_in_days?,
            })
        })
    }
}

/// The body of `PATCH /v1/signings/{signingId}/signers/{signerId}`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UpdateSigner {
    /// Methods: at least one, each once.
    pub methods: Vec<SigningMethod>,
}

impl UpdateSigner {
    pub(crate) fn read(node: &Node<'_>, rules: &Rules<'_>) -> Option<Self> {
        node.object("UpdateSignerRequest", |object| {
            let methods = object.required("methods", |node| {
                let node = node.described("At least one of the methods that are available here.");
                methods(&node, &rules.methods)
            });
            Some(Self { methods: methods? })
        })
    }
}

/// The body of `POST /v1/erasure`, which may be left out.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct BulkErasure {
    /// Only signings that ended before this; all ended ones if `None`.
    pub before: Option<Timestamp>,
}

impl<A> FromBody<A> for BulkErasure {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("ErasureRequest", |object| {
            let before = object.optional("before", |node| {
                node.described("Only signings that ended before.")
                    .date_time()
            });
            Some(Self { before })
        })
    }
}
