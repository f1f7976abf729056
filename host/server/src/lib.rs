//! The host server and the parafa binary.
