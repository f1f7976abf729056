//! The state machines as their users see them.
mod signing;
