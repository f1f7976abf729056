//! Implementation of the due-diligence API by calls of the product.

mod operations;
mod problems;

pub use self::operations::DiligenceOperations;
