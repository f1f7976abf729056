//! Operators' commands: workspaces, their terms and payments, users, keys,
//! deliveries, comments, audit trails, plugins, backups.
//!
//! A command is the same value on the command line, on the socket of a running
//! server, and here. The embedded store belongs to one process. A command
//! therefore goes to the server that runs on the data folder; only if no server
//! runs does the command line open the folder itself.

mod agreements;
mod audits;
mod backups;
mod calls;
mod command;
mod commands;
mod comments;
mod deliveries;
mod error;
mod face_change;
mod faces;
mod funding;
mod keys;
mod linked_entity;
mod month;
mod part;
mod plugins;
mod providers;
mod retention;
mod socket;
mod sweeps;
mod tenants;
mod usage;
mod users;

pub use command::{
    AuditCommand, BackupCommand, CallsCommand, CommentCommand, DeliveryCommand, FundingStatus,
    KeyCommand, KeyTerms, OperatorCommand, PluginCommand, ProviderCommand, ProviderMethod,
    SweepCommand, TenantCommand, UsageCommand, UsageFormat, UserCommand,
};
pub use commands::OperatorCommands;
pub use error::OperateError;
pub use face_change::{Chosen, FaceChange};
pub use linked_entity::LinkedEntity;
pub use month::Month;
pub use parafa_logo::LogoFault;
pub use part::Part;
pub use socket::{BindError, Reply, Socket, ask};
