use jiff::Timestamp;
use parafa_auth::{AuthError, ProviderFault};
use parafa_logo::LogoFault;
use parafa_platform::PlatformError;
use parafa_platform::billing::{Amount, NoPriceLadder};
use parafa_plugin_store::PluginStoreError;
use parafa_signing::SigningError;
use parafa_store::StoreError;
use parafa_store::backup::BackupError;
use parafa_store::keys::KeyError;
use uuid::Uuid;

/// Reasons why an operator's command was not executed.
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
    /// A name has characters that cannot be displayed.
    #[error("a workspace's name {0}")]
    Name(String),
    /// A file cannot be used as a logo.
    #[error(transparent)]
    Logo(#[from] LogoFault),
    /// The task that draws a logo did not end.
    #[error("the logo could not be drawn")]
    LogoLost(#[source] tokio::task::JoinError),
    /// The text is not an email address.
    #[error("{0} is not an email address")]
    Email(String),
    /// The workspace already has this user.
    #[error("{0} is a user of this workspace already; `parafa user set-role` changes the role")]
    UserExists(String),
    /// The workspace has no such user.
    #[error("{0} is not a user of this workspace")]
    UnknownUser(String),
    /// The user has been revoked.
    #[error("{0} has no role any more; `parafa user set-role` gives one")]
    UserRevoked(String),
    /// No key has this id.
    #[error("there is no key {0}; `parafa key list` shows them")]
    UnknownKey(Uuid),
    /// A key's name has characters that cannot be displayed.
    #[error("a key's name {0}")]
    KeyName(String),
    /// The expiry of the key is in the past.
    #[error("a key that expires at {0} would have expired already; name a time in the future")]
    KeyEnded(Timestamp),
    /// A key has too many networks.
    #[error("a key works in {most} networks at most; name wider ones, or none")]
    ManyNetworks {
        /// Maximum number.
        most: usize,
    },
    /// No delivery has this id.
    #[error("there is no delivery {0}: it may have been removed, or its signing erased")]
    UnknownDelivery(Uuid),
    /// The delivery is being attempted.
    #[error("the delivery {0} is being sent right now; `parafa delivery list` shows the outcome")]
    DeliveryUnderWay(Uuid),
    /// The workspace has no secret of this product.
    #[error("the workspace has no {0} key yet, and so no webhook secret")]
    NoSecret(&'static str),
    /// No signing has this id.
    #[error("there is no signing {0}, or it is erased")]
    UnknownSigning(Uuid),
    /// No signing has or ever had this id.
    #[error("there is no signing {0}, and none was erased")]
    NoTrail(Uuid),
    /// The signing is not on hold.
    #[error("{0} is not on hold; `parafa tenant show` lists all holds")]
    NotHeld(Uuid),
    /// A comment is empty or too long.
    #[error("a comment has 1 to {longest} characters, one of them visible")]
    CommentText {
        /// Maximum length, in characters.
        longest: usize,
    },
    /// A label has characters that cannot be displayed.
    #[error("a label {0}")]
    Label(String),
    /// The text is not the address of a page.
    #[error("a recovery URL begins with https:// or http://")]
    RecoveryUrl,
    /// The prices do not form a ladder.
    #[error(transparent)]
    Prices(#[from] NoPriceLadder),
    /// The payment exceeds the debt.
    #[error("the workspace owes {owed} euros, which is less than {paid}")]
    Overpaid {
        /// Amount owed.
        owed: Amount,
        /// Amount paid.
        paid: Amount,
    },
    /// A relying party could not be made or changed.
    #[error(transparent)]
    Provider(#[from] ProviderFault),
    /// A new key could not be generated.
    #[error("no new key could be made")]
    AssertionKey(#[source] AuthError),
    /// No assertion key has this name.
    #[error("no key {0} is published; /v1/auth/.well-known/jwks.json lists the names")]
    UnknownAssertionKey(String),
    /// The plugins could not be changed.
    #[error(transparent)]
    PluginStore(#[from] PluginStoreError),
    /// The backup failed.
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
    /// An operation on a signing failed.
    #[error("the signing could not be read or written")]
    Signing(#[source] SigningError),
}

impl OperateError {
    /// Returns whether the command is not allowed, rather than failing this
    /// time.
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
