use parafa_catalogue::{DigestAlgorithm, Operation};

use super::text;
use crate::{Capability, CryptoError, PluginDigest, Refusal};

/// Why a call has no result.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CallError {
    /// The plugin did not do its work right. The document may be sound, and
    /// the same call may succeed with another plugin.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The plugin's answer is that it does not accept the document or request.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// A plugin that failed, contained in one call.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("plugin {plugin} ({digest}) failed: {kind}")]
pub struct Fault {
    /// The plugin's id, such as `pdf`.
    pub plugin: String,
    /// Which code it was.
    pub digest: PluginDigest,
    /// What happened.
    pub kind: FaultKind,
}

/// The ways in which a plugin fails.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// It broke a rule of the contract.
    #[error("broken contract: {0}")]
    ContractBroken(ContractBreach),
    /// The host itself failed while it ran the plugin.
    #[error("the host failed: {0}")]
    Host(String),
    /// It inflated more than a call may, or held more of it at once.
    #[error("inflating exceeds the limit of {limit} bytes {unit}")]
    InflationLimit {
        /// How many are allowed.
        limit: u64,
        /// `in all` or `at once`.
        unit: &'static str,
    },
    /// It wanted more memory than a call may have.
    #[error("{wanted} bytes of memory exceed the limit of {limit}")]
    MemoryLimit {
        /// Bytes wanted in all.
        wanted: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// It wrote more than an output may hold, or in too many pieces.
    #[error("the output exceeds the limit of {limit} {unit}")]
    OutputLimit {
        /// How many are allowed.
        limit: u64,
        /// `bytes` or `writes`.
        unit: &'static str,
    },
    /// It panicked.
    #[error("panic: {message}")]
    Panicked {
        /// What its panic hook said, with file and line.
        message: String,
    },
    /// It did not end in time.
    #[error("no result within {limit_ms} ms")]
    TimedOut {
        /// The time that a call has, in milliseconds.
        limit_ms: u128,
    },
    /// It ran out of stack, as it does on a document nested too deeply.
    #[error("out of stack: the document is nested too deeply")]
    TooDeeplyNested,
    /// It trapped for another reason.
    #[error("trap: {0}")]
    Trap(String),
    /// It cannot do what was asked of it.
    #[error("it cannot {}", .0.verb_phrase())]
    Unsupported(Capability),
}

/// The rules of the contract that a plugin can break.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContractBreach {
    /// A need came again after it was answered.
    #[error("the need {0:?} was answered already")]
    AnsweredNeed(String),
    /// A digest is not as long as its algorithm's are.
    #[error("a digest of {bytes} bytes is none of {algorithm}")]
    DigestLength {
        /// Of which algorithm it should be.
        algorithm: DigestAlgorithm,
        /// How long it is.
        bytes: usize,
    },
    /// A document has two members of one id.
    #[error("two members have the id {0:?}")]
    DuplicateMember(String),
    /// Two needs of one step have the same id.
    #[error("the need {0:?} comes twice in one step")]
    DuplicateNeed(String),
    /// A step has neither needs nor an outcome, or has both.
    #[error("a step has {needs} needs and {outcome} outcome")]
    EmptyOrMixedStep {
        /// How many needs.
        needs: usize,
        /// `an` or `no`.
        outcome: &'static str,
    },
    /// The digest that could not be computed is asked for.
    #[error("a digest is asked for of what could not be inflated")]
    DigestOfNothing,
    /// What was signed is not what was asked for.
    #[error("refused evidence: {0}")]
    Evidence(EvidenceError),
    /// `inspect` refuses what the plugin composed.
    #[error("inspect refuses the document as {0:?}")]
    InspectRefuses(String),
    /// A member that was there is not any more, or is another one.
    #[error("the member {0:?} is not what it was")]
    MemberChanged(String),
    /// What is extracted is not the member that was told of.
    #[error("what is extracted as {0:?} has another {1} than the member")]
    MemberDiffers(String, &'static str),
    /// There is a member that was not there, and is none that a format adds by
    /// rule.
    #[error("the member {0:?} is new")]
    MemberNew(String),
    /// `members` refuses what the plugin made.
    #[error("members refuses the document as {0:?}")]
    MembersRefuses(String),
    /// A description, need or outcome lacks something.
    #[error("{0} is missing or empty")]
    Missing(&'static str),
    /// The output does not begin with the copy that the plugin declares.
    #[error(
        "the output begins with a copy of {copied} bytes of its input where {required} must be kept"
    )]
    NotPreserved {
        /// Bytes copied from the start on.
        copied: u64,
        /// Bytes that must be.
        required: u64,
    },
    /// Evidence names what it does not have.
    #[error("there is no {what} at the place {place} of {entries}")]
    NoSuchPlace {
        /// What.
        what: &'static str,
        /// At which place, from 0 on.
        place: u32,
        /// How many there are.
        entries: usize,
    },
    /// A document is said to be kept less than the description says.
    #[error("{operation} keeps the document by {told:?}, where {declared:?} is declared")]
    PreservationWeakened {
        /// Which operation.
        operation: Operation,
        /// What is said of the document.
        told: &'static str,
        /// What the description says.
        declared: &'static str,
    },
    /// The output is said to be changed and is the input.
    #[error("the output is the input, where a change is claimed")]
    NothingChanged,
    /// The input has no structure that could be kept as declared.
    #[error("the input has no end-of-central-directory record")]
    NothingToPreserve,
    /// A range ends behind the document.
    #[error("{len} bytes from {offset} on are not in a document of {document} bytes")]
    OutOfRange {
        /// First byte.
        offset: u64,
        /// How many.
        len: u64,
        /// How many there are.
        document: u64,
    },
    /// A document is signed, and what should be it is not.
    #[error("a signed document comes out changed")]
    SignedDocumentChanged,
    /// Something is longer than it may be.
    #[error("the {what} has {bytes} bytes; {limit} are allowed")]
    TooLong {
        /// What it is.
        what: &'static str,
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// A list of the description is longer than it may be.
    #[error("there are {entries} {what}; {limit} are allowed")]
    TooMany {
        /// Of what, in the plural.
        what: &'static str,
        /// How many there are.
        entries: usize,
        /// How many there may be.
        limit: usize,
    },
    /// The ask-and-answer loop does not end.
    #[error("no outcome after {0} rounds")]
    TooManyRounds(u32),
    /// More time-stamps are asked for than an archive can need.
    #[error("{asked} time-stamps are asked for; {most} are allowed")]
    TooManyTimestamps {
        /// How many, with those that were answered.
        asked: usize,
        /// How many there may be.
        most: usize,
    },
    /// An output was written where there should be none.
    #[error("there is an output, where no change is claimed")]
    UnclaimedOutput,
    /// A string is not in the catalogue.
    #[error("{value:?} is not a {what}")]
    UnknownValue {
        /// What it should be.
        what: &'static str,
        /// What it is, or its beginning.
        value: String,
    },
    /// `verify` refuses what the plugin made, or was given to make it of.
    #[error("verify refuses the document as {0:?}")]
    VerifyRefuses(String),
}

/// What does not hold about a signed document.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// Two signatures have the same id.
    #[error("two signatures have the id {0:?}")]
    AmbiguousId(String),
    /// An earlier signature is not what it was.
    #[error("the earlier signature {id:?} has another {what}")]
    EarlierChanged {
        /// Which signature.
        id: String,
        /// What about it.
        what: &'static str,
    },
    /// An earlier signature is gone.
    #[error("the earlier signature {0:?} is gone")]
    EarlierGone(String),
    /// The document is not at the level that is claimed.
    #[error("the level is claimed to be {claimed:?}, but {actual:?} is the lowest")]
    LevelNotReached {
        /// What the plugin says.
        claimed: String,
        /// The lowest one that a signature has.
        actual: String,
    },
    /// Nobody was asked to sign, or nobody did.
    #[error("there is an outcome but no answer with a signature")]
    NobodySigned,
    /// There is not exactly one new signature.
    #[error("there are {0} new signatures")]
    NotOneNew(usize),
    /// There is a signature that nobody was asked for.
    #[error("the signature {0:?} is new, and nobody was asked for it")]
    Unasked(String),
    /// Revocation data are gone.
    #[error("revocation data that the document had are gone")]
    RevocationGone,
    /// Revocation data are new, and nobody answered them.
    #[error("there are revocation data that nobody answered")]
    RevocationUnasked,
    /// A time-stamp is new, and nobody answered it for that; or it is not intact.
    #[error("a time-stamp of {0:?} is new, and is none that was answered for it, or not intact")]
    TimestampUnasked(String),
    /// A time-stamp that was answered is not in the document.
    #[error("a time-stamp that was answered is not there")]
    TimestampUnused,
    /// Something about the new signature is not what it should be.
    #[error("the new signature has another {0} than it should have")]
    OtherThan(&'static str),
    /// The value does not verify under the certificate.
    #[error("the new signature's value does not verify")]
    Unverified,
    /// Whether the value verifies cannot be computed.
    #[error("the new signature cannot be verified: {0}")]
    Unverifiable(CryptoError),
}

impl From<ContractBreach> for FaultKind {
    fn from(breach: ContractBreach) -> Self {
        Self::ContractBroken(breach)
    }
}

impl FaultKind {
    /// A short name of the kind, for counting: `contract-broken`, `host`,
    /// `inflation`, `memory`, `output`, `panic`, `stack`, `time-out`, `trap` or
    /// `unsupported`.
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
    /// A value that is not a `what`; the beginning of it is kept, in one line.
    #[must_use]
    pub fn unknown(what: &'static str, value: &str) -> Self {
        Self::UnknownValue {
            what,
            value: text::line(value, text::NAME_BYTES).into_owned(),
        }
    }
}
