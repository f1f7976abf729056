use std::error::Error;

use semver::Version;

use crate::{CallError, Capability, ContractBreach};

/// Why a file is not admitted as a plugin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdmissionError {
    /// It cannot verify, so that nothing it makes of signed documents could be
    /// checked.
    #[error("it can {0} but not verify")]
    CannotVerify(Capability),
    /// It imports what the contract does not offer.
    #[error("it imports what no plugin may: {}", .0.join(", "))]
    ForeignImports(Vec<String>),
    /// It is no valid WebAssembly.
    #[error("it is not valid")]
    Invalid(#[source] Box<dyn Error + Send + Sync>),
    /// It has interfaces of several versions of the contract.
    #[error("it mixes versions of the contract: {}", list(.0))]
    MixedVersions(Vec<Version>),
    /// It exports nothing of the contract.
    #[error("it exports nothing of parafa:format")]
    NoContract,
    /// It does not describe itself.
    #[error("it does not export the description of parafa:format")]
    NoDescription,
    /// It is a core module, or no WebAssembly.
    #[error("it is not a WebAssembly component")]
    NotAComponent,
    /// It exports an interface of the contract with other types.
    #[error("its types differ from the world {world:?} of parafa:format@{contract}")]
    OtherTypes {
        /// Of which world.
        world: &'static str,
        /// Of which version of the contract.
        contract: Version,
        /// How they differ.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// It is written against a version of the contract that is not released.
    #[error("it is written against the pre-release parafa:format@{0}, which is not supported")]
    PreRelease(Version),
    /// It is compiled code, which is accepted only from the host's own cache.
    #[error("it is precompiled code")]
    Precompiled,
    /// It could not describe itself.
    #[error("it does not describe itself")]
    SelfTest(#[source] CallError),
    /// It is longer than a plugin may be.
    #[error("{bytes} bytes are more than the {limit} that a plugin may have")]
    TooLarge {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// It is written against a version of the contract that is not known.
    #[error(
        "it is written against parafa:format@{version}; this program takes {} and what is \
         compatible with them",
        list(known)
    )]
    UnknownContract {
        /// Which version.
        version: Version,
        /// Those that the host knows.
        known: Vec<Version>,
    },
    /// What it says about itself cannot be used.
    #[error("its description cannot be used")]
    Undescribed(#[from] ContractBreach),
    /// It cannot be compiled or linked.
    #[error("it cannot be compiled")]
    Uncompilable(#[source] Box<dyn Error + Send + Sync>),
}

fn list(versions: &[Version]) -> String {
    let versions: Vec<String> = versions.iter().map(Version::to_string).collect();
    versions.join(", ")
}
