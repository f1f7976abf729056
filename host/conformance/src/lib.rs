//! Runs cases against a format plugin and keeps the score.
//!
//! A [`Case`] is a folder with a document and the plugin's expected answers. [`run`] runs every
//! case of a folder, [`run_built_in`] those that are part of this crate. Each call is made twice
//! and must give the same bytes. The same calls are then made with damaged variants of the
//! document; any answer to those is right, except a fault. A format without built-in cases is given
//! documents of other formats. The [`Scorecard`] says what passed. [`run_quick`] is a shorter run
//! for admitting a plugin while callers wait.
//!
//! Signatures in between are those of a [`SoftwareSigner`]: the plugin decides if a document can be
//! signed, and does not care who signs. Its authorities issue time-stamps and what completes an
//! archive.

mod case;
mod case_files;
mod coverage;
mod damage;
mod expectation;
mod generic;
mod operation;
mod pki;
mod runner;
mod scorecard;
mod signer;

pub use case::{Case, CaseError, Check};
pub use expectation::{Acceptance, Expectation, ExpectedRefusal, Mismatch};
pub use operation::{Answered, Input, Made, Operation, UnknownOperation, perform};
pub use runner::{RunError, run, run_built_in, run_quick};
pub use scorecard::{CaseResult, Scorecard, Verdict};
pub use signer::{SignedBy, SignerAlgorithm, SoftwareSigner};

/// Version of the kit and of its built-in cases.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
