use std::fmt;
use std::time::Duration;

use crate::{Fault, FaultKind, PluginDigest, Urgency};

/// Receives the results of plugin calls. It runs on the calling thread, so it must be quick.
pub trait CallObserver: fmt::Debug + Send + Sync {
    /// A call has ended.
    fn ended(&self, _call: &EndedCall<'_>) {}

    /// A plugin failed, in a call or in a later check of its answers.
    fn failed(&self, _operation: &'static str, _fault: &Fault) {}

    /// A plugin wrote a line for the operator: one line, without control
    /// characters, within the limits of its call.
    fn logged(&self, _level: LogLevel, _line: &str) {}
}

/// An ended call of a plugin.
#[derive(Clone, Copy, Debug)]
pub struct EndedCall<'a> {
    /// The plugin's id, or `?` before it is admitted.
    pub plugin: &'a str,
    /// The component's digest.
    pub digest: PluginDigest,
    /// The operation, such as `inspect`.
    pub operation: &'static str,
    /// The result.
    pub end: CallEnd<'a>,
    /// The duration, without the wait for a free slot.
    pub elapsed: Duration,
    /// The call's urgency.
    pub urgency: Urgency,
    /// The wait for a free slot.
    pub waited: Duration,
}

/// The result of a call.
#[derive(Clone, Copy, Debug)]
pub enum CallEnd<'a> {
    /// An answer.
    Answered,
    /// No answer, because the plugin failed.
    Failed(&'a FaultKind),
    /// A refusal of the document or request.
    Refused,
}

/// The level of a log line.
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
    /// Returns a short name: `ok`, `refusal`, or that of the fault.
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
    /// Returns its name in the contract, such as `warn`.
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
