//! Loads, limits and calls WebAssembly format plugins.
//!
//! A plugin is a component of the WIT package `parafa:format` in `wit/`. It is admitted once
//! ([`PluginHost::admit`]) and found through a [`Registry`]. Every call runs in a fresh instance
//! with its own memory, deadline and output limit. A plugin can spoil only its own answer: a
//! failure is a [`Fault`], which names the plugin and its digest.
//!
//! Signing is a loop of asking and answering ([`Plugin::drive_sign`]): the plugin returns its
//! [`Need`]s, an [`Answerer`] gets the answers, and the plugin is called again. The plugin keeps
//! nothing between two calls. So the loop may be suspended for as long as a human takes, and
//! resumed in another process. The output is checked against the input, the request and the answers
//! before it is returned. Archiving ([`Plugin::drive_archive`]) is the same loop.
//!
//! The files are in three folders. `contract` has the contract and the host's values of it.
//! `runtime` runs plugins within their limits and uses `contract`. `workflow` has operations on
//! documents by calls of plugins, and uses both.
//!
//! This is the only crate that names `wasmtime`, and it parses no document format.

mod contract;
mod runtime;
mod workflow;

pub use contract::admission::AdmissionError;
pub use contract::capability::Capability;
pub use contract::crypto::CryptoError;
pub use contract::digest::{InvalidDigest, PluginDigest};
pub use contract::document::Document;
pub use contract::evidence::{Evidence, SignatureEvidence};
pub use contract::fault::{CallError, ContractBreach, EvidenceError, Fault, FaultKind};
pub use contract::packages::{PackageListError, package_list};
pub use contract::payload::HostPayload;
pub use contract::requests::{
    ArchiveRequest, ComposeRequest, DeriveRequest, Parameter, SignRequest, SourceFile,
};
pub use contract::surface::Surface;
pub use contract::text::line as on_one_line;
pub use contract::values::{Answer, ArchiveStep, Archived, MadeDocument, Need, SignStep};
pub use parafa_catalogue::{
    BaselineLevel, ChangeKind, Coverage, CoverageKind, Digest, DigestAlgorithm, Field, FieldReason,
    Integrity, LaterChanges, Member, MemberCheck, MemberRole, NeedKind, Note, Obstacle, Operation,
    Outcome, Payload, Preservation, Refusal, Report, SignatureAlgorithm, SignatureKind,
    SignatureSummary, TargetLevel, TimestampEvidence, TimestampKind, TimestampStatus, Verdict,
    check, compose_params, need_params, note, reason, refusal,
};
pub use runtime::cache::CacheError;
pub use runtime::host::{HostError, PluginHost, PluginHostConfig};
pub use runtime::known_keys::{forget_keys, verify_with_certificate};
pub use runtime::leftovers::remove_abandoned;
pub use runtime::limits::CallLimits;
pub use runtime::meter::MemoryMeter;
pub use runtime::observer::{CallEnd, CallObserver, EndedCall, LogLevel, Unobserved};
pub use runtime::plugin::Plugin;
pub use runtime::priority::{CallPriority, Urgency};
pub use runtime::registry::{InstallError, LookupError, Registry};
pub use runtime::source::{PluginAway, PluginSource};
pub use workflow::archiving::ArchivedDocument;
pub use workflow::asking::{Answerer, Progress, Reply, Suspension};
pub use workflow::known_documents::KnownDocuments;
pub use workflow::signing::SignedDocument;
