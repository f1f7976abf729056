//! Lists made by the tests, and their imports.

mod imports;
mod lists;
mod signatures;
mod world;
