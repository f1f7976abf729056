//! The pages and calls over HTTP, with a fake implementation.

mod calls;
mod desk;
mod languages;
mod pages;
