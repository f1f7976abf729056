//! Lists that are made here, and what becomes of them.

mod imports;
mod lists;
mod signatures;
mod world;
