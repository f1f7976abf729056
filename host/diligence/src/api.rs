//! The due-diligence API, implemented by calls of the product.

mod operations;
mod problems;

pub use self::operations::DiligenceOperations;
