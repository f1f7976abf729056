//! Loads, limits and calls WebAssembly format plugins.
//!
//! A plugin is a component of the WIT package `parafa:format` in `wit/`. It is
//! admitted once ([`PluginHost::admit`]), found through a [`Registry`], and
//! every call of it runs in a fresh instance with its own memory, deadline and
//! output limit. A plugin can spoil only its own answer: what it cannot do
//! right is a [`Fault`], which names the plugin and its digest.
//!
//! Signing is a loop of asking and answering ([`Plugin::drive_sign`]): the
//! plugin returns what it [`Need`]s, an [`Answerer`] gets it, and the plugin is
//! called again. Nothing is kept in the plugin between two calls, so the loop
//! may be suspended for as long as a human takes and resumed in another
//! process. What comes out is checked against the input, the request and the
//! answers before anybody sees it. Archiving ([`Plugin::drive_archive`]) is the
//! same loop.
//!
//! This is the only crate that names `wasmtime`, and it parses no document
//! format.

mod admission;
mod archiving;
mod asking;
mod bindings;
mod bounds;
mod cache;
mod capability;
mod contents;
mod contract;
mod convert;
mod crypto;
mod digest;
mod document;
mod engine;
mod evidence;
mod fault;
mod guest;
mod guest_log;
mod host;
mod inflation;
mod known_documents;
mod limits;
mod making;
mod media_type;
mod memory_limit;
mod meter;
mod observer;
mod output;
mod payload;
mod platform;
mod plugin;
mod preservation;
mod priority;
mod registry;
mod requests;
mod resources;
mod signature_evidence;
mod signing;
mod slots;
mod source;
mod text;
mod values;
mod verified_signatures;

pub use admission::AdmissionError;
pub use archiving::ArchivedDocument;
pub use asking::{Answerer, Progress, Reply, Suspension};
pub use cache::CacheError;
pub use capability::Capability;
pub use contract::Surface;
pub use crypto::{CryptoError, verify_with_certificate};
pub use digest::{InvalidDigest, PluginDigest};
pub use document::Document;
pub use fault::{CallError, ContractBreach, EvidenceError, Fault, FaultKind};
pub use host::{HostError, PluginHost, PluginHostConfig};
pub use known_documents::KnownDocuments;
pub use limits::CallLimits;
pub use meter::MemoryMeter;
pub use observer::{CallEnd, CallObserver, EndedCall, LogLevel, Unobserved};
pub use parafa_catalogue::{
    BaselineLevel, ChangeKind, Coverage, CoverageKind, Digest, DigestAlgorithm, Field, FieldReason,
    Integrity, LaterChanges, Member, MemberRole, NeedKind, Note, Obstacle, Operation, Outcome,
    Payload, Preservation, Refusal, Report, SignatureAlgorithm, SignatureKind, SignatureSummary,
    TargetLevel, TimestampEvidence, TimestampKind, TimestampStatus, compose_params, need_params,
    note, reason, refusal,
};
pub use payload::HostPayload;
pub use plugin::Plugin;
pub use priority::{CallPriority, Urgency};
pub use registry::{InstallError, LookupError, Registry};
pub use requests::{
    ArchiveRequest, ComposeRequest, DeriveRequest, Parameter, SignRequest, SourceFile,
};
pub use signature_evidence::{Evidence, SignatureEvidence};
pub use signing::SignedDocument;
pub use source::{PluginAway, PluginSource};
pub use text::line as on_one_line;
pub use values::{Answer, ArchiveStep, Archived, MadeDocument, Need, SignStep};
