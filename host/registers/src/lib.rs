//! The ways to the registers of the state.
//!
//! A [`RegisterSource`] answers a query with data, with nothing, or not at all:
//! [`Synthetic`] for keys that never reach a register, [`OpenData`] for what the
//! state publishes, [`Gateway`] for what is had under a contract. [`Routes`] puts
//! one before each register. Each speaks HTTP through a port that it is given.

mod answer;
mod breaker;
mod exchange;
mod gateway;
mod open_data;
mod routes;
mod synthetic;

pub use crate::{
    answer::{Absence, Clock, RawAnswer, RegisterAnswer, RegisterSource, SourceError, Unavailable},
    breaker::BreakerSettings,
    gateway::{Credential, Gateway, GatewayConfig},
    open_data::{OpenData, OpenDataConfig},
    routes::Routes,
    synthetic::Synthetic,
};
