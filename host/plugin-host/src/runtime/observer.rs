use std::fmt;
use std::time::Duration;

use crate::{Fault, FaultKind, PluginDigest, Urgency};

/// Is told what becomes of the calls of a host's plugins. It is called on the
/// thread that made the call, so it must be quick.
pub trait CallObserver: fmt::Debug + Send + Sync {
    /// A call has ended.
    fn ended(&self, _call: &EndedCall<'_>) {}

    /// A plugin failed, in a call or in what was found of its answers afterwards.
    fn failed(&self, _operation: &'static str, _fault: &Fault) {}

    /// A plugin wrote a line for the operator: one line, without control
    /// characters, within the limits of its call.
    fn logged(&self, _level: LogLevel, _line: &str) {}
}

/// A call of a plugin that has ended.
#[derive(Clone, Copy, Debug)]
pub struct EndedCall<'a> {
    /// The plugin's id, or `?` while it is not admitted.
    pub plugin: &'a str,
    /// Which code it is.
    pub digest: PluginDigest,
    /// The operation, such as `inspect`.
    pub operation: &'static str,
    /// What it came to.
    pub end: CallEnd<'a>,
    /// How long it took, without the wait for a free slot.
    pub elapsed: Duration,
    /// How urgent it was.
    pub urgency: Urgency,
    /// How long it waited for a free slot.
    pub waited: Duration,
}

/// What a call came to.
#[derive(Clone, Copy, Debug)]
pub enum CallEnd<'a> {
    /// An answer.
    Answered,
    /// No answer, because the plugin failed.
    Failed(&'a FaultKind),
    /// A refusal of the document or request.
    Refused,
}

/// How much a log line is worth.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum LogLevel {
    /// For the plugin's maintainer.
    Debug,
    /// Something failed.
    Error,
    /// Worth knowing.
    Info,
    /// Something may be wrong.
    Warn,
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl CallObserver for Unobserved {}

impl CallEnd<'_> {
    /// A short name: `ok`, `refusal`, or that of the fault.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Answered => "ok",
            Self::Failed(kind) => kind.name(),
            Self::Refused => "refusal",
        }
    }
}

impl LogLevel {
    /// Its name in the contract, such as `warn`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Error => "error",
            Self::Info => "info",
            Self::Warn => "warn",
        }
    }
}
