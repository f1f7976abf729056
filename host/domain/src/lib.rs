//! Pure state machines of ceremonies, signers, attempts, authentications and orders of
//! identification packages.
//!
//! Nothing here does I/O or reads a clock. `now` is an argument, and every transition returns the
//! [`CeremonyEvent`]s that it caused. The caller can thus store state, jobs and notifications in
//! one transaction. The types hold no personal data; that is stored beside them, encrypted under
//! the ceremony's key.

mod attempt;
mod authentication;
mod ceremony;
mod id;
mod kyc_order;
mod method;
mod person;

pub use attempt::{AttemptFailure, Phase};
pub use authentication::{
    Authentication, AuthenticationFailure, AuthenticationMethod, AuthenticationStatus,
    CannotAuthenticate, Claim, Completion, Operation,
};
pub use ceremony::{
    ATTEMPTS_PER_HOUR, CannotAct, CannotBegin, CannotChange, CannotRemind, CannotSimulate,
    Ceremony, CeremonyEvent, CeremonyStatus, CompletionMode, MAX_ABSENCE, MAX_PARTIES, NewCeremony,
    NewSigner, Signer, SignerRole, SignerStatus, SigningOrder, Simulation, Turn, reminder_time,
};
pub use id::{AttemptId, CeremonyId, Id, IdKind, SignerId};
pub use kyc_order::{CannotIdentify, KycOrder, KycRefusal, KycStatus, KycVerdict};
pub use method::{MethodSet, SigningMethod, UnknownMethod};
pub use person::{Language, PersonalCode, PersonalCodeError};
