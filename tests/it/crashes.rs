//! `kill -9` at every point of a ceremony. The demo world lives in another
//! process, which goes on.

mod completing;
mod joining;
mod killed;
mod scene;
