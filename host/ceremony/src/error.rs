use jiff::Timestamp;
use parafa_domain::{
    AttemptFailure, CannotAct, CannotBegin, Ceremony, CeremonyStatus, SignerId, SignerStatus,
    SigningMethod,
};
use parafa_platform::{PlatformError, seconds_until};
use parafa_plugin_host::{Fault, PluginAway};
use parafa_store::StoreError;
use parafa_store::bytes::ByteFileError;
use parafa_store::keys::KeyError;

/// Why something was not done with a ceremony. `crate::api` maps each variant to
/// its answer.
#[derive(Debug, thiserror::Error)]
pub enum CeremonyError {
    /// There is no such thing for this caller.
    #[error("not found")]
    NotFound,
    /// The ceremony has ended; one that is pending still, by its deadline.
    #[error("the signing has ended: it is {0}")]
    SigningEnded(CeremonyStatus),
    /// Nobody else could sign.
    #[error("the last signer cannot be removed")]
    LastSigner,
    /// There are as many parties as there may be.
    #[error("there are too many parties")]
    TooManySigners,
    /// The party is not one who is reminded, by how it stands, or else because
    /// nobody was invited by mail.
    #[error("the party cannot be reminded")]
    NotRemindable(Option<SignerStatus>),
    /// The party was reminded within the hour.
    #[error("the party was reminded already")]
    ReminderTooSoon {
        /// Seconds until the next reminder may go.
        retry_after: u32,
    },
    /// A plugin that is needed was taken out of use, and may come back.
    #[error("{format} documents cannot be {done} at the moment: their plugin is out of use")]
    OutOfUse {
        /// The plugin's id, or the extension of its documents.
        format: String,
        /// What is not done with them, as a participle.
        done: &'static str,
    },
    /// A document of our own cannot be made at the moment.
    #[error("PDF documents cannot be made at the moment")]
    NoDocuments,
    /// A service of somebody else's cannot answer at the moment.
    #[error("{0}")]
    ServiceDown(&'static str),
    /// Nobody has signed in a ceremony that stands so.
    #[error("nobody has signed yet")]
    NotYetSigned(CeremonyStatus),
    /// Another attempt has the turn.
    #[error("another signer is signing")]
    Busy {
        /// Seconds after which it is free at the latest, or, once the device has
        /// signed, after which to look again.
        retry_after: u32,
    },
    /// The signer is one who cannot do this now, by how they stand, or else
    /// because an attempt of theirs goes on without them.
    #[error("the signer cannot do this now")]
    SignerNotOpen(Option<SignerStatus>),
    /// The signer's method list does not have it.
    #[error("the method {0} is not allowed for this signer")]
    MethodNotAllowed(SigningMethod),
    /// Nobody can sign by this method here.
    #[error("the method {0} is not set up here")]
    MethodNotSetUp(SigningMethod),
    /// What a card's app sent is not taken.
    #[error("{member} {detail}")]
    CardRefused {
        /// JSON pointer to the member.
        member: &'static str,
        /// What is wrong with it.
        detail: String,
    },
    /// What a card's app sent has ended the attempt.
    #[error("the attempt ended: {}", .failure.code())]
    AttemptFailed {
        /// Why.
        failure: AttemptFailure,
        /// Whether the link is for one person alone.
        is_locked: bool,
    },
    /// Too many attempts.
    #[error("too many attempts")]
    TooManyAttempts {
        /// What they have in common.
        of: AttemptsOf,
        /// Seconds until the next may start.
        retry_after: u32,
    },
    /// Too many calls wait on one link.
    #[error("too many calls wait on the link")]
    TooManyWaiting,
    /// A ceremony of the sandbox is never signed.
    #[error("the sandbox never signs")]
    SandboxNeverSigns,
    /// The document is not the one that was shown.
    #[error("the document has changed")]
    DocumentChanged,
    /// As many documents go out to the key or over the link as may.
    #[error("too many downloads at one time")]
    TooManyDownloads,
    /// A part of the document is larger than what is shown on its own.
    #[error("a member of {bytes} bytes is too large to be shown")]
    MemberTooLarge {
        /// How large it is.
        bytes: u64,
        /// What is shown at most.
        limit: u64,
    },
    /// As many documents go out as may, of the workspace or of all.
    #[error("no place for another download")]
    NoPlaceToDownload,
    /// As many pages look at their links as may at the same time.
    #[error("no turn to look at the link")]
    NoTurnToLook,
    /// A plugin failed.
    #[error("a plugin failed")]
    Plugin(#[source] Box<Fault>),
    /// The plugin that began something cannot be fetched now.
    #[error(transparent)]
    PluginAway(#[from] PluginAway),
    /// Something that is kept could not be read or written.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// What is stored contradicts itself.
    #[error("the stored records contradict themselves: {0}")]
    Inconsistent(&'static str),
}

/// Whose attempts are counted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AttemptsOf {
    /// Those of one link.
    Link,
    /// Those that ask one person, over whatever links.
    Person,
}

impl CeremonyError {
    /// Whether a transaction that ended so is known to have stored nothing.
    pub fn proves_nothing_stored(&self) -> bool {
        self.platform()
            .is_none_or(PlatformError::proves_nothing_stored)
    }

    /// Whether the same transaction may well succeed at the next try.
    pub fn is_contention(&self) -> bool {
        self.platform().is_some_and(PlatformError::is_contention)
    }

    /// Whether a key or a byte file is not there.
    pub fn is_missing(&self) -> bool {
        self.platform().is_some_and(PlatformError::is_missing)
    }

    /// Whether sealed data cannot be read, now or ever.
    pub fn is_unreadable(&self) -> bool {
        self.platform().is_some_and(PlatformError::is_unreadable)
    }

    fn platform(&self) -> Option<&PlatformError> {
        match self {
            Self::Platform(error) => Some(error),
            _ => None,
        }
    }

    /// Another attempt has the turn, until then at the latest where that is known.
    pub fn busy(until: Option<Timestamp>, now: Timestamp) -> Self {
        let retry_after = until.map_or(BUSY_RETRY_SECONDS, |until| seconds_until(until, now));
        Self::Busy { retry_after }
    }

    /// Why an attempt cannot begin, or have the turn.
    pub(crate) fn of_begin(
        error: CannotBegin,
        signing: &Ceremony,
        signer: SignerId,
        now: Timestamp,
    ) -> Self {
        match error {
            CannotBegin::Busy { until } => Self::busy(until, now),
            CannotBegin::MethodNotAllowed(method) => Self::MethodNotAllowed(method),
            CannotBegin::NotOpen => {
                Self::SignerNotOpen(signing.signer(signer).map(|signer| signer.status))
            }
            CannotBegin::TooManyAttempts { next } => Self::TooManyAttempts {
                of: AttemptsOf::Link,
                retry_after: seconds_until(next, now),
            },
        }
    }
}

impl From<CannotAct> for CeremonyError {
    fn from(error: CannotAct) -> Self {
        match error {
            CannotAct::SignatureUnderWay => Self::Busy {
                retry_after: BUSY_RETRY_SECONDS,
            },
            CannotAct::LostTurn | CannotAct::SignerNotOpen | CannotAct::SigningEnded => {
                Self::SignerNotOpen(None)
            }
        }
    }
}

/// When to look again whether another signer, or the same request, has
/// finished.
pub const BUSY_RETRY_SECONDS: u32 = 5;

impl From<StoreError> for CeremonyError {
    fn from(error: StoreError) -> Self {
        Self::Platform(error.into())
    }
}

impl From<ByteFileError> for CeremonyError {
    fn from(error: ByteFileError) -> Self {
        Self::Platform(error.into())
    }
}

impl From<KeyError> for CeremonyError {
    fn from(error: KeyError) -> Self {
        Self::Platform(error.into())
    }
}
