mod event;
mod party;
mod state;

pub use event::SigningEvent;
pub use party::{NewSigner, Signer, SignerRole, SignerStatus};
pub use state::{
    CannotAct, CannotBegin, CompletionMode, NewSigning, Signing, SigningOrder, SigningStatus, Turn,
};
