//! The ceremonies as a product sees them that holds them.

mod owner;
