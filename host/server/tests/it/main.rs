//! The command line, by the built `parafa`.

mod configuration;
mod plugin;
mod support;
mod verify;
