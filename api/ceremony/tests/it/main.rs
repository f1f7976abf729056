//! The pages and calls over HTTP, with a stand-in behind them.

mod desk;
mod languages;
mod pages;
