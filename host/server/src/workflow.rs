//! What the server does: each operation reads, decides with `parafa-domain`,
//! and stores the outcome with its jobs and audit event in one transaction.

pub(crate) mod accounts;
pub(crate) mod attempt;
pub(crate) mod ceremony;
pub(crate) mod create_signing;
pub(crate) mod deadline;
mod history;
pub(crate) mod lanes;
pub(crate) mod lease;
pub(crate) mod read_signing;
mod sealing;
