use parafa_catalogue::{DigestAlgorithm, Operation, TargetLevel};

use super::text;
use crate::{Capability, CryptoError, PluginDigest, Refusal};

/// Failures of a call.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CallError {
    /// The plugin failed. The document may be sound, and the same call may succeed with another
    /// plugin.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The plugin refuses the document or request, or the host refuses the request in its place.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// A failure of a plugin, contained in one call.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("plugin {plugin} ({digest}) failed: {kind}")]
pub struct Fault {
    /// The plugin's id, such as `pdf`.
    pub plugin: String,
    /// The component's digest.
    pub digest: PluginDigest,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// The ways in which a plugin fails.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// The plugin broke a rule of the contract.
    #[error("broken contract: {0}")]
    ContractBroken(ContractBreach),
    /// The host itself failed while it ran the plugin.
    #[error("the host failed: {0}")]
    Host(String),
    /// The plugin inflated more than a call may, or held more of it at once.
    #[error("inflating exceeds the limit of {limit} bytes {unit}")]
    InflationLimit {
        /// The limit.
        limit: u64,
        /// `in all` or `at once`.
        unit: &'static str,
    },
    /// The plugin needed more memory than a call may use.
    #[error("{wanted} bytes of memory exceed the limit of {limit}")]
    MemoryLimit {
        /// Bytes wanted in all.
        wanted: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// The plugin wrote more than an output may hold, or in too many pieces.
    #[error("the output exceeds the limit of {limit} {unit}")]
    OutputLimit {
        /// The limit.
        limit: u64,
        /// `bytes` or `writes`.
        unit: &'static str,
    },
    /// The plugin panicked.
    #[error("panic: {message}")]
    Panicked {
        /// The panic hook's message, with file and line.
        message: String,
    },
    /// The plugin exceeded its time limit.
    #[error("no result within {limit_ms} ms")]
    TimedOut {
        /// The time limit of a call, in milliseconds.
        limit_ms: u128,
    },
    /// The plugin ran out of stack, as on a document nested too deeply.
    #[error("out of stack: the document is nested too deeply")]
    TooDeeplyNested,
    /// The plugin trapped for another reason.
    #[error("trap: {0}")]
    Trap(String),
    /// The plugin lacks the capability.
    #[error("it cannot {}", .0.verb_phrase())]
    Unsupported(Capability),
}

/// The rules of the contract that a plugin can break.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContractBreach {
    /// A need is repeated after it was answered.
    #[error("the need {0:?} was answered already")]
    AnsweredNeed(String),
    /// A digest has another length than its algorithm gives.
    #[error("a digest of {bytes} bytes is none of {algorithm}")]
    DigestLength {
        /// The algorithm.
        algorithm: DigestAlgorithm,
        /// The digest's length.
        bytes: usize,
    },
    /// A document has two members with one id.
    #[error("two members have the id {0:?}")]
    DuplicateMember(String),
    /// Two needs of one step have the same id.
    #[error("the need {0:?} comes twice in one step")]
    DuplicateNeed(String),
    /// A step has neither needs nor an outcome, or has both.
    #[error("a step has {needs} needs and {outcome} outcome")]
    EmptyOrMixedStep {
        /// The number of needs.
        needs: usize,
        /// `an` or `no`.
        outcome: &'static str,
    },
    /// The plugin used the result of a digest that could not be computed.
    #[error("a digest is asked for of what could not be inflated")]
    DigestOfNothing,
    /// The signed document is not the requested one.
    #[error("refused evidence: {0}")]
    Evidence(EvidenceError),
    /// `inspect` refuses the composed document.
    #[error("inspect refuses the document as {0:?}")]
    InspectRefuses(String),
    /// An earlier member is missing or changed.
    #[error("the member {0:?} is not what it was")]
    MemberChanged(String),
    /// The extracted bytes differ from the member's description.
    #[error("what is extracted as {0:?} has another {1} than the member")]
    MemberDiffers(String, &'static str),
    /// The output has a new member that the format does not add by rule.
    #[error("the member {0:?} is new")]
    MemberNew(String),
    /// `members` refuses the output.
    #[error("members refuses the document as {0:?}")]
    MembersRefuses(String),
    /// A part of a description, need or outcome is missing.
    #[error("{0} is missing or empty")]
    Missing(&'static str),
    /// The output does not begin with the copy that the plugin declares.
    #[error(
        "the output begins with a copy of {copied} bytes of its input where {required} must be kept"
    )]
    NotPreserved {
        /// Bytes copied from the start on.
        copied: u64,
        /// Bytes that must be copied.
        required: u64,
    },
    /// Evidence refers to a list entry that does not exist.
    #[error("there is no {what} at the place {place} of {entries}")]
    NoSuchPlace {
        /// The list.
        what: &'static str,
        /// The index, from 0 on.
        place: u32,
        /// The list's length.
        entries: usize,
    },
    /// The document's preservation is weaker than the description's.
    #[error("{operation} keeps the document by {told:?}, where {declared:?} is declared")]
    PreservationWeakened {
        /// The operation.
        operation: Operation,
        /// The document's preservation.
        told: &'static str,
        /// The description's preservation.
        declared: &'static str,
    },
    /// The output is reported as changed and equals the input.
    #[error("the output is the input, where a change is claimed")]
    NothingChanged,
    /// The input lacks the structure that should be preserved.
    #[error("the input has no end-of-central-directory record")]
    NothingToPreserve,
    /// A range ends after the document.
    #[error("{len} bytes from {offset} on are not in a document of {document} bytes")]
    OutOfRange {
        /// First byte.
        offset: u64,
        /// Number of bytes.
        len: u64,
        /// The document's length.
        document: u64,
    },
    /// A signed document is not returned unchanged.
    #[error("a signed document comes out changed")]
    SignedDocumentChanged,
    /// A value exceeds its limit.
    #[error("the {what} has {bytes} bytes; {limit} are allowed")]
    TooLong {
        /// The value's name.
        what: &'static str,
        /// The value's length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A list exceeds its limit.
    #[error("there are {entries} {what}; {limit} are allowed")]
    TooMany {
        /// The entries, in the plural.
        what: &'static str,
        /// The number of entries.
        entries: usize,
        /// The limit.
        limit: usize,
    },
    /// The ask-and-answer loop does not end.
    #[error("no outcome after {0} rounds")]
    TooManyRounds(u32),
    /// The plugin asks for more time-stamps than an archive can need.
    #[error("{asked} time-stamps are asked for; {most} are allowed")]
    TooManyTimestamps {
        /// The number of time-stamps, including answered ones.
        asked: usize,
        /// The limit.
        most: usize,
    },
    /// An output was written where none is expected.
    #[error("there is an output, where no change is claimed")]
    UnclaimedOutput,
    /// A string is not in the catalogue.
    #[error("{value:?} is not a {what}")]
    UnknownValue {
        /// The expected kind of value.
        what: &'static str,
        /// The value, or its beginning.
        value: String,
    },
    /// `verify` refuses the plugin's output, or its input.
    #[error("verify refuses the document as {0:?}")]
    VerifyRefuses(String),
}

/// A failed check of a signed document.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// Two signatures have the same id.
    #[error("two signatures have the id {0:?}")]
    AmbiguousId(String),
    /// The document is below the requested level.
    #[error("the level {target} was asked for, but {actual:?} is the lowest")]
    BelowTarget {
        /// The requested level.
        target: TargetLevel,
        /// The lowest level of a signature.
        actual: String,
    },
    /// An earlier signature changed.
    #[error("the earlier signature {id:?} has another {what}")]
    EarlierChanged {
        /// The signature.
        id: String,
        /// The changed property.
        what: &'static str,
    },
    /// An earlier signature is missing.
    #[error("the earlier signature {0:?} is gone")]
    EarlierGone(String),
    /// The document is below the claimed level.
    #[error("the level is claimed to be {claimed:?}, but {actual:?} is the lowest")]
    LevelNotReached {
        /// The plugin's claim.
        claimed: String,
        /// The lowest level of a signature.
        actual: String,
    },
    /// No signature was requested, or none was answered.
    #[error("there is an outcome but no answer with a signature")]
    NobodySigned,
    /// An archive of level B-LTA was asked for, which adds one time-stamp.
    #[error("neither the document has one new archive time-stamp, nor each signature")]
    NotStampedOnce,
    /// The number of new signatures is not one.
    #[error("there are {0} new signatures")]
    NotOneNew(usize),
    /// The document has a signature that was not requested.
    #[error("the signature {0:?} is new, and nobody was asked for it")]
    Unasked(String),
    /// Revocation data are missing.
    #[error("revocation data that the document had are gone")]
    RevocationGone,
    /// The document has new revocation data that were not answered.
    #[error("there are revocation data that nobody answered")]
    RevocationUnasked,
    /// A new time-stamp of the document leaves some of it out.
    #[error("the new time-stamp {0:?} does not cover the document")]
    TimestampPartial(String),
    /// The document has a new time-stamp that was not answered for this purpose, or that is not
    /// intact.
    #[error("a time-stamp of {0:?} is new, and is none that was answered for it, or not intact")]
    TimestampUnasked(String),
    /// An answered time-stamp is missing in the document.
    #[error("a time-stamp that was answered is not there")]
    TimestampUnused,
    /// A property of the new signature differs from the request.
    #[error("the new signature has another {0} than it should have")]
    OtherThan(&'static str),
    /// The value does not verify under the certificate.
    #[error("the new signature's value does not verify")]
    Unverified,
    /// The signature value cannot be verified: its cryptography is unavailable.
    #[error("the new signature cannot be verified: {0}")]
    Unverifiable(CryptoError),
}

impl From<ContractBreach> for FaultKind {
    fn from(breach: ContractBreach) -> Self {
        Self::ContractBroken(breach)
    }
}

impl FaultKind {
    /// Returns a short name of the kind, for counting: `contract-broken`, `host`, `inflation`,
    /// `memory`, `output`, `panic`, `stack`, `time-out`, `trap` or `unsupported`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ContractBroken(_) => "contract-broken",
            Self::Host(_) => "host",
            Self::InflationLimit { .. } => "inflation",
            Self::MemoryLimit { .. } => "memory",
            Self::OutputLimit { .. } => "output",
            Self::Panicked { .. } => "panic",
            Self::TimedOut { .. } => "time-out",
            Self::TooDeeplyNested => "stack",
            Self::Trap(_) => "trap",
            Self::Unsupported(_) => "unsupported",
        }
    }
}

impl ContractBreach {
    /// Returns the breach of a value that is not a `what`. The value's beginning is kept, on one
    /// line.
    #[must_use]
    pub fn unknown(what: &'static str, value: &str) -> Self {
        Self::UnknownValue {
            what,
            value: text::line(value, text::NAME_BYTES).into_owned(),
        }
    }
}
