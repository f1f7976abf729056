use parafa_ceremony::CeremonyError;
use parafa_ceremony::quota::NoRoom;
use parafa_domain::KycStatus;
use parafa_platform::PlatformError;
use parafa_platform::agreement::NotBillable;
use parafa_register_data::{EntityCode, Register, Role};
use parafa_store::StoreError;
use parafa_store::bytes::ByteFileError;
use parafa_store::keys::KeyError;

/// Why something was not done with an order.
#[derive(Debug, thiserror::Error)]
pub enum IdentificationError {
    /// There is no such order for this caller, or no such evidence any more.
    #[error("not found")]
    NotFound,
    /// Nobody holds the role in the entity.
    #[error("nobody holds the role")]
    RoleNotHeld {
        /// The role.
        role: Role,
        /// The entity.
        entity: EntityCode,
    },
    /// No source is set up here that has such answers of the register.
    #[error("no source is set up for {}", .0.code())]
    NotOffered(Register),
    /// A register does not answer.
    #[error("a register does not answer")]
    RegisterUnavailable(Register),
    /// A register's answer is longer than one may be.
    #[error("the answer of a register is too long")]
    RegisterAnswerTooLong(Register),
    /// The workspace cannot be billed.
    #[error("the workspace cannot be billed")]
    PaymentRequired(Box<NotBillable>),
    /// The link cannot be mailed: no mail server is set up.
    #[error("letters cannot be sent here")]
    NoMail,
    /// No attorney signs evidence for keys of this mode here.
    #[error("no key is set up that evidence is signed with")]
    NoSigner,
    /// A plugin that evidence is signed with is disabled.
    #[error("a plugin that evidence is signed with is disabled")]
    SignerOutOfService,
    /// There is no evidence yet of an order that stands so.
    #[error("there is no evidence yet")]
    ArtifactNotReady(KycStatus),
    /// Real orders end by what their subjects do.
    #[error("only orders of the sandbox are simulated")]
    SandboxOnly,
    /// The order has ended, as it stands.
    #[error("the order has ended")]
    OrderEnded(KycStatus),
    /// An order that stands so is not erased.
    #[error("the order has not ended")]
    NotEnded(KycStatus),
    /// The subject has signed, and what follows from that is being found out.
    #[error("the order is being verified")]
    BeingVerified,
    /// What an order is verified with cannot be reached now.
    #[error("the services that verify an order cannot be reached now")]
    Away(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// There is no room for another order.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
    /// The ceremony is not as it has to be, or a plugin failed.
    #[error(transparent)]
    Ceremony(#[from] CeremonyError),
    /// Something that is kept could not be read or written.
    #[error(transparent)]
    Platform(#[from] PlatformError),
}

impl IdentificationError {
    /// Whether a transaction that ended so is known to have stored nothing.
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
