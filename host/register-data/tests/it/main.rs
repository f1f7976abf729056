//! Queries to registers, and the published set of answers.

mod answers;
mod codes;
mod synthetic;
