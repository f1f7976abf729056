//! The command line, by the built `parafa`.

mod check;
mod configuration;
mod place;
mod plugin;
mod run;
mod support;
mod verify;
