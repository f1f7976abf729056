//! What every document format shares: documents and outputs that stay with
//! the host, refusals, the ask-and-answer step and the evidence of `verify`.
//!
//! The types mirror the WIT package `parafa:format`, but know nothing of it: a
//! format crate is plain Rust, used natively by tests and benches and inside a
//! plugin by the glue of `parafa-plugin-sdk`.

mod algorithm;
mod document;
mod evidence;
#[cfg(feature = "native")]
mod native;
mod operation;
mod output;
mod request;

pub use algorithm::{DigestAlgorithm, SignatureAlgorithm, UnknownAlgorithm};
pub use document::{Blob, Environment, Part, Sink};
pub use evidence::{
    ChangeKind, Coverage, Integrity, LaterChanges, SignatureEvidence, SignatureKind,
    TimestampEvidence, TimestampStatus,
};
#[cfg(feature = "native")]
pub use native::{MemoryBlob, MemorySink, NativeEnvironment};
pub use operation::{
    About, Answer, Field, Need, NeedKind, Note, Outcome, Preservation, Refusal, Report,
    SignRequest, SignatureSummary, Step,
};
pub use output::{
    ArchiveRequest, ArchiveStep, Archived, ComposeRequest, DeriveRequest, Made, SourceFile,
};
pub use request::{SEED_BYTES, expect_no_params, parse_seed};
