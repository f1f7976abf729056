//! The ways to the registers.
