//! The command line, by the built `parafa`.

mod plugin;
mod support;
mod verify;
