//! What operators do: workspaces, users, keys, deliveries.
//!
//! A command is the same value on the command line, on the socket of a running
//! server, and here. The embedded store belongs to one process, so a command
//! goes to the server that runs on the data folder, and opens the folder by
//! itself only when there is none.

mod command;
mod deliveries;
mod desk;
mod error;
mod keys;
mod socket;
mod tenants;
mod users;

pub(crate) use command::{
    DeliveryCommand, KeyCommand, OperatorCommand, TenantCommand, UserCommand,
};
pub(crate) use desk::Desk;
pub(crate) use error::OperateError;
pub(crate) use socket::{Reply, ask, serve};
