//! Certificate paths, revocation and time-stamps.
