//! The command line for maintainers of format plugins: a project template, checks, calls, the
//! conformance kit, publishers' keys, registries; and the advisory check of a document's
//! signatures. None of it needs a server.

mod answer;
mod bench;
mod check;
mod log;
mod new;
pub mod output;
mod packages;
mod publish;
mod reach;
mod registry;
mod run;
mod scorecard;
mod signature_view;
mod test;
mod verify;

pub use self::bench::{Bench, may_be_id, read};
pub use self::check::{CheckArguments, check};
pub use self::new::{NewArguments, new};
pub use self::publish::{KeygenArguments, SignArguments, keygen, sign};
pub use self::registry::{
    CopyArguments, PluginSource, PullArguments, PushArguments, RegistryOptions, copy, outdated,
    pull, pull_into, push,
};
pub use self::run::{RunArguments, run};
pub use self::test::{TestArguments, test};
pub use self::verify::{VerifyArguments, verify};

/// The exit code of a refusal.
pub const REFUSED: u8 = 1;
/// The exit code of an internal fault.
pub const FAULT: u8 = 2;
/// The exit code of wrong usage (`EX_USAGE`).
pub const USAGE: u8 = 64;

/// A tool's failure.
#[derive(Debug)]
pub enum ToolError {
    /// A refusal; the message says why and what to do.
    Refused(String),
    /// A fault.
    Fault(anyhow::Error),
    /// The answer is on standard output; this is the exit code.
    Told(u8),
}

impl From<anyhow::Error> for ToolError {
    fn from(error: anyhow::Error) -> Self {
        Self::Fault(error)
    }
}
