//! The plugin host with real components.

mod admission;
mod archiving;
mod bounds;
mod containment;
mod making;
mod pdf;
mod registry;
mod signing;
mod start_up;
mod support;
