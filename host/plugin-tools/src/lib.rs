//! What maintainers of format plugins have on the command line: a folder to
//! begin with, checks, calls, the conformance kit, publishers' keys, registries; and the
//! advisory check of a document's signatures. None of it needs a server.

mod answer;
mod bench;
mod check;
mod log;
mod new;
pub mod output;
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

/// The exit code of what was refused.
pub const REFUSED: u8 = 1;
/// The exit code of a fault inside.
pub const FAULT: u8 = 2;
/// The exit code of wrong usage (`EX_USAGE`).
pub const USAGE: u8 = 64;

/// Why a tool did not do what it was asked.
#[derive(Debug)]
pub enum ToolError {
    /// It may not be done; the sentence says why and what to do.
    Refused(String),
    /// It could not be done.
    Fault(anyhow::Error),
    /// Standard output says all there is to say; this is the exit code.
    Told(u8),
}

impl From<anyhow::Error> for ToolError {
    fn from(error: anyhow::Error) -> Self {
        Self::Fault(error)
    }
}
