//! Command line, tested with the built `parafa`.

mod check;
mod configuration;
mod database;
mod guide;
mod place;
mod plugin;
mod run;
mod scorecard;
mod support;
mod trust;
mod verify;
