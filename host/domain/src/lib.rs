//! Pure state machines of signings, signers, attempts, authentications and orders of
//! identification packages.
//!
//! Nothing here does I/O or reads a clock: `now` is an argument, and every
//! transition returns the [`SigningEvent`]s that it caused, so that the caller
//! stores state, jobs and notifications in one transaction. The types hold no
//! personal data; that lives beside them, encrypted under the signing's key.

mod attempt;
mod authentication;
mod id;
mod kyc_order;
mod method;
mod person;
mod signing;

pub use attempt::{AttemptFailure, Phase};
pub use authentication::{
    Authentication, AuthenticationFailure, AuthenticationMethod, AuthenticationStatus,
    CannotAuthenticate, Claim, Completion, Operation,
};
pub use id::{AttemptId, Id, IdKind, SignerId, SigningId};
pub use kyc_order::{CannotIdentify, KycOrder, KycRefusal, KycStatus, KycVerdict};
pub use method::{MethodSet, SigningMethod, UnknownMethod};
pub use person::{Language, PersonalCode, PersonalCodeError};
pub use signing::{
    ATTEMPTS_PER_HOUR, CannotAct, CannotBegin, CannotChange, CannotRemind, CannotSimulate,
    CompletionMode, MAX_ABSENCE, MAX_PARTIES, NewSigner, NewSigning, Signer, SignerRole,
    SignerStatus, Signing, SigningEvent, SigningOrder, SigningStatus, Simulation, Turn,
    reminder_time,
};
