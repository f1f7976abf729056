use parafa_store::StoreError;
use parafa_store::keys::KeyError;
use uuid::Uuid;

/// Why an operator's command was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OperateError {
    #[error("there is no workspace {0}; `parafa tenant list` shows them")]
    UnknownTenant(String),
    #[error("several workspaces are called {0}; name one by its id")]
    AmbiguousTenant(String),
    #[error("a workspace's name has 1 to {} characters, one of them visible", .longest)]
    TenantName { longest: usize },
    #[error("{0} is no email address")]
    Email(String),
    #[error("{0} is a user of this workspace already; `parafa user set-role` changes the role")]
    UserExists(String),
    #[error("{0} is no user of this workspace")]
    UnknownUser(String),
    #[error("{0} has no role any more; `parafa user set-role` gives one")]
    UserRevoked(String),
    #[error("there is no key {0}; `parafa key list` shows them")]
    UnknownKey(Uuid),
    #[error("there is no delivery {0}: it may be forgotten or its signing erased")]
    UnknownDelivery(Uuid),
    #[error("the delivery {0} is under way; `parafa delivery list` shows how it goes")]
    DeliveryUnderWay(Uuid),
    #[error("the workspace has no {0} key yet, and so no webhook secret")]
    NoSecret(&'static str),
    #[error("the store failed")]
    Store(#[from] StoreError),
    #[error("a key could not be used")]
    Key(#[from] KeyError),
}

impl OperateError {
    /// Whether the command may not be done, and not only now.
    pub(crate) fn is_refusal(&self) -> bool {
        !matches!(self, Self::Store(_) | Self::Key(_))
    }
}
