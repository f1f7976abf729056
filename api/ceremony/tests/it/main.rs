//! The pages and calls over HTTP, with a stand-in behind them.

mod calls;
mod desk;
mod languages;
mod pages;
