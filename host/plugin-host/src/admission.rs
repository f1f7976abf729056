use std::error::Error;

use wasmtime::Engine;
use wasmtime::component::Component;

use crate::cache::CodeCache;
use crate::{CallError, Capability, ContractBreach, PluginDigest};

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
    /// It does not export the description of this version of the contract.
    #[error("it does not export parafa:format/description@{contract}")]
    NoDescription {
        /// The version that the host knows.
        contract: String,
    },
    /// It is a core module, or no WebAssembly.
    #[error("it is not a WebAssembly component")]
    NotAComponent,
    /// It exports an interface of the contract with other types.
    #[error("its types differ from the world {world:?}")]
    OtherTypes {
        /// Of which world.
        world: &'static str,
        /// How they differ.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
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
    /// What it says about itself cannot be used.
    #[error("its description cannot be used")]
    Undescribed(#[from] ContractBreach),
    /// It cannot be compiled or linked.
    #[error("it cannot be compiled")]
    Uncompilable(#[source] Box<dyn Error + Send + Sync>),
}

/// Compiles a valid component, or takes it from the cache.
pub(crate) fn compile(
    engine: &Engine,
    cache: &CodeCache,
    wasm: &[u8],
    digest: PluginDigest,
) -> Result<Component, AdmissionError> {
    if let Some(component) = cache.load(engine, digest) {
        return Ok(component);
    }
    let component = Component::from_binary(engine, wasm)
        .map_err(|error| AdmissionError::Uncompilable(error.into()))?;
    cache.store(engine, digest, &component);
    Ok(component)
}
