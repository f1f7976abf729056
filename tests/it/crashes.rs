//! `kill -9` at every point of a ceremony. The demo world runs in another
//! process, which survives.

mod completing;
mod joining;
mod killed;
mod scene;
