//! The plugin host with real components.

mod admission;
mod containment;
mod pdf;
mod registry;
mod signing;
mod start_up;
mod support;
