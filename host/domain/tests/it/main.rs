//! The state machines from outside.

mod authentications;
mod deadlines;
mod parties;
mod signer_transitions;
mod signing_transitions;
mod simulation;
mod support;
mod turns;
mod walks;
