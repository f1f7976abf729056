//! The host server: implements the APIs' traits by thin calls into the
//! workflows, and opens the five doors that the workflows need.

mod api;
mod app;
mod ceremony;
mod changes;
pub mod cli;
pub mod config;
mod demo;
mod error;
mod jobs;
mod links;
mod listener;
mod mail;
mod metrics;
mod operate;
mod operator;
mod records;
mod startup;
#[cfg(test)]
mod tests;
mod waiting;
mod workflow;
