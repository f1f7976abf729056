//! Access to the registers of the state.
//!
//! A [`RegisterSource`] answers a query with data, with nothing, or fails. [`Synthetic`] serves
//! keys that never reach a register, [`OpenData`] reads the state's publications, [`Gateway`] gets
//! data under a contract. [`Routes`] assigns a source to each register. Each speaks HTTP through
//! the port given to it.

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
