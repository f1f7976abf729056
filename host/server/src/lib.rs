//! Server of the host: implements the APIs' traits by thin calls to the
//! workflows, and opens the five external interfaces that the workflows need.

mod app;
mod built_along;
mod certificates;
pub mod cli;
pub mod config;
mod demo;
mod health;
mod history;
mod jobs;
mod json_log;
mod lanes;
mod log_filter;
mod metrics;
mod operator;
mod shared;
mod startup;
mod status;
mod tables;
#[cfg(test)]
mod tests;
mod traces;
mod watch;
