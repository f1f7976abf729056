use std::error::Error;

use semver::Version;

use crate::{CallError, Capability, ContractBreach};

/// Reasons to refuse a file as a plugin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdmissionError {
    /// The plugin lacks `verify`, so signed documents that it makes could not be checked.
    #[error("it can {0} but not verify")]
    CannotVerify(Capability),
    /// The component imports functions outside the contract.
    #[error("it imports what no plugin may: {}", .0.join(", "))]
    ForeignImports(Vec<String>),
    /// The file is not valid WebAssembly.
    #[error("it is not valid")]
    Invalid(#[source] Box<dyn Error + Send + Sync>),
    /// The component has interfaces of several versions of the contract.
    #[error("it mixes versions of the contract: {}", list(.0))]
    MixedVersions(Vec<Version>),
    /// The component exports no interface of the contract.
    #[error("it exports nothing of parafa:format")]
    NoContract,
    /// The component lacks the `describe` interface.
    #[error("it does not export the description of parafa:format")]
    NoDescription,
    /// The file is a core module, or not WebAssembly.
    #[error("it is not a WebAssembly component")]
    NotAComponent,
    /// The component exports an interface of the contract with other types.
    #[error("its types differ from the world {world:?} of parafa:format@{contract}")]
    OtherTypes {
        /// The world.
        world: &'static str,
        /// The version of the contract.
        contract: Version,
        /// The difference.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The component is written against a pre-release of the contract.
    #[error("it is written against the pre-release parafa:format@{0}, which is not supported")]
    PreRelease(Version),
    /// The file is compiled code, which is accepted only from the host's own cache.
    #[error("it is precompiled code")]
    Precompiled,
    /// The call of `describe` failed.
    #[error("it does not describe itself")]
    SelfTest(#[source] CallError),
    /// The file exceeds the size limit.
    #[error("{bytes} bytes are more than the {limit} that a plugin may have")]
    TooLarge {
        /// The file's size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The component is written against an unknown version of the contract.
    #[error(
        "it is written against parafa:format@{version}; this program supports {} and compatible versions",
        list(known)
    )]
    UnknownContract {
        /// The version.
        version: Version,
        /// The versions that the host knows.
        known: Vec<Version>,
    },
    /// The plugin's description of itself cannot be used.
    #[error("its description cannot be used")]
    Undescribed(#[from] ContractBreach),
    /// The component cannot be compiled or linked.
    #[error("it cannot be compiled")]
    Uncompilable(#[source] Box<dyn Error + Send + Sync>),
}

fn list(versions: &[Version]) -> String {
    let versions: Vec<String> = versions.iter().map(Version::to_string).collect();
    versions.join(", ")
}
