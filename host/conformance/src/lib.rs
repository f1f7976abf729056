//! Runs cases against a format plugin and keeps the score.
//!
//! A [`Case`] is a folder with a document and what a plugin should say to it.
//! [`run`] plays every case of a folder, [`run_built_in`] those that
//! are part of this crate: each call is made twice and must give
//! the same answer to the byte, and the same calls are made with damaged
//! variants of the document, to which any answer is right that is not a fault.
//! A format that has no built-in cases is given documents that are not its own.
//! The [`Scorecard`] says what passed. [`run_quick`] is for those who admit a
//! plugin while others wait.
//!
//! Signatures in between are those of a [`SoftwareSigner`]: whether a document
//! can be signed is the plugin's affair, whose signature it is is not. The
//! authorities behind it stamp the time and tell what an archive is completed
//! with.

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
