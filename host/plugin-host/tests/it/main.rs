//! The plugin host with real components.

mod admission;
mod archiving;
mod before;
mod bounds;
mod compatible;
mod containers;
mod containment;
mod detached;
mod making;
mod pdf;
mod registry;
mod released;
mod signing;
mod start_up;
mod support;
