//! Names that cross the boundary between a host and its plugins, as explained in
//! `wit/CATALOGUE.md`, and the structures around them. Host, formats, SDK and conformance kit share
//! them. Closed sets are enumerations: a host treats an unknown name as a fault of the plugin. Open
//! sets, such as refusal codes, are constants.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod algorithm;
mod evidence;
mod field_reason;
mod level;
mod named;
mod operation;
mod payload;
mod report;
mod signature;
#[cfg(feature = "serde")]
mod stored;
mod verdict;
mod words;

pub use algorithm::{DigestAlgorithm, HashFunction, SignatureAlgorithm};
pub use evidence::{
    ChangeKind, CoverageKind, Integrity, MemberRole, SignatureKind, TimestampKind, TimestampStatus,
};
pub use field_reason::FieldReason;
pub use level::{BaselineLevel, TargetLevel};
pub use named::UnknownName;
pub use operation::{NeedKind, Operation, Preservation};
pub use payload::{Digest, Payload};
pub use report::{Field, Member, Note, Obstacle, Outcome, Refusal, Report, SignatureSummary};
pub use signature::{Coverage, LaterChanges, SignatureEvidence, TimestampEvidence};
pub use verdict::{MemberCheck, Verdict};
pub use words::{check, compose_params, levels, need_params, note, reason, refusal};
