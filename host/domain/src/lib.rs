//! Pure state machines of signings, signers and attempts.
