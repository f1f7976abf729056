//! Common parts of all document formats: documents and outputs that stay with
//! the host, refusals, the ask-and-answer step and the evidence of `verify`.
//!
//! The types mirror the WIT package `parafa:format` without depending on it. A
//! format crate is plain Rust, used natively by tests and benches, and inside a
//! plugin through `parafa-plugin-sdk`.

mod document;
mod evidence;
#[cfg(feature = "native")]
mod native;
mod operation;
mod output;
mod request;

pub use document::{Blob, Companion, Environment, Hasher, Part, Sink};
pub use evidence::{Evidence, EvidencePool, SignatureEvidence};
#[cfg(feature = "native")]
pub use native::{
    MemoryBlob, MemorySink, NativeEnvironment, NativeHasher, bytes_read, carry_out, verifications,
};
pub use operation::{Ability, About, Answer, Need, SignRequest, Step};
pub use output::{
    ArchiveRequest, ArchiveStep, Archived, ComposeRequest, DeriveRequest, Made, SourceFile,
};
pub use parafa_catalogue::{
    BaselineLevel, ChangeKind, Coverage, CoverageKind, Digest, DigestAlgorithm, Field, FieldReason,
    HashFunction, Integrity, LaterChanges, Member, MemberCheck, MemberRole, NeedKind, Note,
    Obstacle, Operation, Outcome, Payload, Preservation, Refusal, Report, SignatureAlgorithm,
    SignatureKind, SignatureSummary, TargetLevel, TimestampEvidence, TimestampKind,
    TimestampStatus, UnknownName, Verdict, check, compose_params, levels, note, reason, refusal,
};
pub use request::{SEED_BYTES, expect_no_params, expect_params_among, parse_seed};
