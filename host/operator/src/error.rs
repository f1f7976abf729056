use jiff::Timestamp;
use parafa_auth::{AuthError, ProviderFault};
use parafa_platform::PlatformError;
use parafa_platform::billing::{Amount, NoPriceLadder};
use parafa_plugin_store::PluginStoreError;
use parafa_signing::SigningError;
use parafa_store::StoreError;
use parafa_store::backup::BackupError;
use parafa_store::keys::KeyError;
use uuid::Uuid;

use crate::logo::LogoFault;

/// Why an operator's command was not done.
#[derive(Debug, thiserror::Error)]
pub enum OperateError {
    /// No workspace has this name or id.
    #[error("there is no workspace {0}; `parafa tenant list` shows them")]
    UnknownTenant(String),
    /// No workspace is named.
    #[error("name the workspace whose usage is wanted")]
    NoTenant,
    /// Several workspaces have this name.
    #[error("several workspaces are called {0}; name one by its id")]
    AmbiguousTenant(String),
    /// A name cannot be shown as one.
    #[error("a workspace's name {0}")]
    Name(String),
    /// A file makes no logo.
    #[error(transparent)]
    Logo(#[from] LogoFault),
    /// Drawing a logo did not end.
    #[error("the logo could not be drawn")]
    LogoLost(#[source] tokio::task::JoinError),
    /// It is no address.
    #[error("{0} is not an email address")]
    Email(String),
    /// The workspace has this user.
    #[error("{0} is a user of this workspace already; `parafa user set-role` changes the role")]
    UserExists(String),
    /// The workspace does not have this user.
    #[error("{0} is not a user of this workspace")]
    UnknownUser(String),
    /// The user may do nothing.
    #[error("{0} has no role any more; `parafa user set-role` gives one")]
    UserRevoked(String),
    /// There is no such key.
    #[error("there is no key {0}; `parafa key list` shows them")]
    UnknownKey(Uuid),
    /// A key's name cannot be shown as one.
    #[error("a key's name {0}")]
    KeyName(String),
    /// The key would have ended before it is used.
    #[error("a key that expires at {0} would have expired already; name a time in the future")]
    KeyEnded(Timestamp),
    /// A key has too many networks.
    #[error("a key works in {most} networks at most; name wider ones, or none")]
    ManyNetworks {
        /// How many it may have.
        most: usize,
    },
    /// There is no such delivery.
    #[error("there is no delivery {0}: it may be forgotten or its signing erased")]
    UnknownDelivery(Uuid),
    /// The delivery is being tried.
    #[error(
        "the delivery {0} is being sent just now; `parafa delivery list` shows what comes of it"
    )]
    DeliveryUnderWay(Uuid),
    /// The workspace has no secret of this product.
    #[error("the workspace has no {0} key yet, and so no webhook secret")]
    NoSecret(&'static str),
    /// There is no such signing.
    #[error("there is no signing {0}, or it is erased")]
    UnknownSigning(Uuid),
    /// There is no such signing, and never was.
    #[error("there is no signing {0}, and none was erased")]
    NoTrail(Uuid),
    /// Nothing holds it.
    #[error("{0} is not held; `parafa tenant show` lists what is")]
    NotHeld(Uuid),
    /// A comment is empty or too long.
    #[error("a comment has 1 to {longest} characters, one of them visible")]
    CommentText {
        /// Most characters.
        longest: usize,
    },
    /// A label cannot be shown as one.
    #[error("a label {0}")]
    Label(String),
    /// It is no address of a page.
    #[error("a recovery URL begins with https:// or http://")]
    RecoveryUrl,
    /// Prices make no ladder.
    #[error(transparent)]
    Prices(#[from] NoPriceLadder),
    /// More was paid than is owed.
    #[error("the workspace owes {owed} euros, which is less than {paid}")]
    Overpaid {
        /// What is owed.
        owed: Amount,
        /// What was paid.
        paid: Amount,
    },
    /// A relying party could not be made or changed.
    #[error(transparent)]
    Provider(#[from] ProviderFault),
    /// No new key could be made.
    #[error("no new key could be made")]
    AssertionKey(#[source] AuthError),
    /// No key of assertions has this name.
    #[error("no key {0} is published; /v1/auth/.well-known/jwks.json lists the names")]
    UnknownAssertionKey(String),
    /// The plugins could not be changed.
    #[error(transparent)]
    PluginStore(#[from] PluginStoreError),
    /// There is no backup.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A key could not be used.
    #[error("a key could not be used")]
    Key(#[from] KeyError),
    /// A sweep failed.
    #[error("unreferenced content could not be read")]
    Sweep(#[source] PlatformError),
    /// A signing could not be worked with.
    #[error("the signing could not be read or written")]
    Signing(#[source] SigningError),
}

impl OperateError {
    /// Whether the command may not be done, and not only now.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Sweep(
                PlatformError::SweepUnderWay
                | PlatformError::Store(StoreError::UnknownTable { .. }),
            ) => true,
            Self::Store(_)
            | Self::Key(_)
            | Self::Sweep(_)
            | Self::Signing(_)
            | Self::AssertionKey(_)
            | Self::LogoLost(_)
            | Self::Provider(ProviderFault::Platform(_)) => false,
            Self::PluginStore(error) => error.is_refusal(),
            Self::Backup(error) => error.is_refusal(),
            _ => true,
        }
    }
}
