use jiff::Timestamp;

use super::limits::EXPIRES_IN_DAYS;
use super::new_signer::methods_once_each;
use crate::decode::Node;
use crate::vocabulary::SigningMethod;

/// The body of `PATCH /v1/signings/{signingId}`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct UpdateDeadline {
    /// Days from now until the hard deadline, 1 to 30.
    pub expires_in_days: u16,
}

impl UpdateDeadline {
    pub(crate) fn decode(node: &Node<'_>) -> Option<Self> {
        node.object(|object| {
            let expires_in_days = object
                .required("expiresInDays")
                .and_then(|node| node.integer(EXPIRES_IN_DAYS));
            Some(Self {
                expires_in_days: expires_in_days?,
            })
        })
    }
}

/// The body of `PATCH /v1/signings/{signingId}/signers/{signerId}`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UpdateSigner {
    /// At least one, each once.
    pub methods: Vec<SigningMethod>,
}

impl UpdateSigner {
    pub(crate) fn decode(node: &Node<'_>) -> Option<Self> {
        node.object(|object| {
            let methods = object
                .required("methods")
                .and_then(|node| methods_once_each(&node));
            Some(Self { methods: methods? })
        })
    }
}

/// The body of `POST /v1/erasure`, which may be left out.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct BulkErasure {
    /// Only signings that ended before; all that have ended when none.
    pub before: Option<Timestamp>,
}

impl BulkErasure {
    pub(crate) fn decode(node: &Node<'_>) -> Option<Self> {
        node.object(|object| {
            let before = object.optional("before").map(|node| node.date_time());
            Some(Self {
                before: before.flatten(),
            })
        })
    }
}
