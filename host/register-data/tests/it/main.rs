//! What registers are asked, and the published set of answers.

mod answers;
mod codes;
mod synthetic;
