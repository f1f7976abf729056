use parafa_ceremony::CeremonyError;
use parafa_ceremony::quota::NoRoom;
use parafa_domain::KycStatus;
use parafa_platform::PlatformError;
use parafa_platform::agreement::NotBillable;
use parafa_register_data::{EntityCode, Register, Role};
use parafa_store::StoreError;
use parafa_store::bytes::ByteFileError;
use parafa_store::keys::KeyError;

/// Failure of an operation on an order.
#[derive(Debug, thiserror::Error)]
pub enum IdentificationError {
    /// The caller has no such order, or the evidence no longer exists.
    #[error("not found")]
    NotFound,
    /// The role has no holder in the entity.
    #[error("nobody holds the role")]
    RoleNotHeld {
        /// The role.
        role: Role,
        /// The entity.
        entity: EntityCode,
    },
    /// No configured source has such answers of the register.
    #[error("no source is set up for {}", .0.code())]
    NotOffered(Register),
    /// A register does not answer.
    #[error("a register does not answer")]
    RegisterUnavailable(Register),
    /// A register's answer exceeds the limit.
    #[error("the answer of a register is too long")]
    RegisterAnswerTooLong(Register),
    /// The workspace cannot be billed.
    #[error("the workspace cannot be billed")]
    PaymentRequired(Box<NotBillable>),
    /// The link cannot be mailed: no mail server is configured.
    #[error("emails cannot be sent here")]
    NoMail,
    /// No attorney's key is configured for keys of this mode.
    #[error("no key is set up that evidence is signed with")]
    NoSigner,
    /// A plugin for signing evidence is disabled.
    #[error("a plugin that evidence is signed with is disabled")]
    SignerOutOfService,
    /// An order with this status has no evidence yet.
    #[error("there is no evidence yet")]
    ArtifactNotReady(KycStatus),
    /// The order ended with this status, without evidence.
    #[error("the order ended without evidence")]
    NeverDelivered(KycStatus),
    /// A real order ends by its subject's actions only.
    #[error("only orders of the sandbox are simulated")]
    SandboxOnly,
    /// The order has ended, with this status.
    #[error("the order has ended")]
    OrderEnded(KycStatus),
    /// An order with this status cannot be erased.
    #[error("the order has not ended")]
    NotEnded(KycStatus),
    /// The subject has signed, and the order is being verified.
    #[error("the order is being verified")]
    BeingVerified,
    /// A service needed to verify an order is unavailable.
    #[error("the services that verify an order cannot be reached now")]
    Away(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Another order exceeds the quota.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
    /// The ceremony is inconsistent, or a plugin failed.
    #[error(transparent)]
    Ceremony(#[from] CeremonyError),
    /// The records could not be read or written.
    #[error(transparent)]
    Platform(#[from] PlatformError),
}

impl IdentificationError {
    /// Returns whether a transaction with this error is known to have stored
    /// nothing.
    pub(crate) fn proves_nothing_stored(&self) -> bool {
        match self {
            Self::Platform(error) => error.proves_nothing_stored(),
            Self::Ceremony(error) => error.proves_nothing_stored(),
            _ => true,
        }
    }
}

impl From<StoreError> for IdentificationError {
    fn from(error: StoreError) -> Self {
        Self::Platform(error.into())
    }
}

impl From<ByteFileError> for IdentificationError {
    fn from(error: ByteFileError) -> Self {
        Self::Platform(error.into())
    }
}

impl From<KeyError> for IdentificationError {
    fn from(error: KeyError) -> Self {
        Self::Platform(error.into())
    }
}
