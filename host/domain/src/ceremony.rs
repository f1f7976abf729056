mod deadlines;
mod event;
mod outcome;
mod queue;
mod signer;
mod simulate;
mod state;
mod status;
mod turn;

pub use deadlines::{CannotRemind, reminder_time};
pub use event::CeremonyEvent;
pub use outcome::CannotAct;
pub use queue::{CannotChange, MAX_PARTIES};
pub use signer::{NewSigner, Signer, SignerRole, SignerStatus};
pub use simulate::{CannotSimulate, Simulation};
pub use state::{Ceremony, NewCeremony};
pub use status::{CeremonyStatus, CompletionMode, SigningOrder};
pub use turn::{ATTEMPTS_PER_HOUR, CannotBegin, MAX_ABSENCE, Turn};
