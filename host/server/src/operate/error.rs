use parafa_store::StoreError;
use parafa_store::backup::BackupError;
use parafa_store::keys::KeyError;
use uuid::Uuid;

use parafa_platform::PlatformError;

use parafa_platform::billing::{Amount, NoPriceLadder};
use parafa_plugin_store::PluginStoreError;
use parafa_signing::WorkflowError;

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
    #[error(
        "the delivery {0} is being sent just now; `parafa delivery list` shows what comes of it"
    )]
    DeliveryUnderWay(Uuid),
    #[error("the workspace has no {0} key yet, and so no webhook secret")]
    NoSecret(&'static str),
    #[error("there is no signing {0}, or it is erased")]
    UnknownSigning(Uuid),
    #[error("a comment has 1 to {longest} characters, one of them visible")]
    CommentText { longest: usize },
    #[error("a label has at most {longest} characters")]
    Label { longest: usize },
    #[error("a page of recovery begins with https:// or http://")]
    RecoveryUrl,
    #[error(transparent)]
    Prices(#[from] NoPriceLadder),
    #[error("the workspace owes {owed} euros, which is less than {paid}")]
    Overpaid { owed: Amount, paid: Amount },
    #[error(transparent)]
    PluginStore(#[from] PluginStoreError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error("the store failed")]
    Store(#[from] StoreError),
    #[error("a key could not be used")]
    Key(#[from] KeyError),
    #[error("what no row names could not be looked through")]
    Sweep(#[source] PlatformError),
    #[error("the signing could not be read or written")]
    Signing(#[source] WorkflowError),
}

impl OperateError {
    /// Whether the command may not be done, and not only now.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            Self::Store(_) | Self::Key(_) | Self::Sweep(_) | Self::Signing(_) => false,
            Self::PluginStore(error) => error.is_refusal(),
            Self::Backup(error) => error.is_refusal(),
            _ => true,
        }
    }
}
