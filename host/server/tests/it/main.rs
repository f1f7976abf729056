//! The command line, by the built `parafa`.

mod check;
mod configuration;
mod place;
mod plugin;
mod support;
mod verify;
