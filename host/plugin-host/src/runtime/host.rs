use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use tokio::task;
use wasmparser::Validator;
use wasmtime::Engine;
use wasmtime::component::{Component, Linker};

use super::cache::{CacheError, CodeCache};
use super::call_clock::CallClock;
use super::engine;
use super::guest::{Guest, Runtime};
use super::platform::{CallState, linker};
use super::plugin::Plugin;
use super::slots::Slots;
use crate::contract::surface::{CONTRACTS, Surface, Terms};
use crate::{AdmissionError, CallLimits, CallObserver, PluginDigest, Unobserved};

/// Configuration of a [`PluginHost`].
#[derive(Clone, Debug)]
pub struct PluginHostConfig {
    /// Folder of compiled plugins; created if missing, for the host alone.
    pub cache_dir: PathBuf,
    /// True if that folder is made and compiled code is written to it; otherwise it stays
    /// unchanged.
    pub keep_compiled: bool,
    /// The limits of one call.
    pub limits: CallLimits,
    /// The number of concurrent calls. Further calls wait, ordered by their
    /// [`CallPriority`](crate::CallPriority). One plugin never takes all slots.
    pub max_concurrent: NonZeroU32,
    /// Longest plugin, in bytes.
    pub max_plugin_bytes: usize,
    /// Receives the results of calls.
    pub observer: Arc<dyn CallObserver>,
}

/// Runs plugins.
pub struct PluginHost {
    cache: CodeCache,
    linker: Linker<CallState>,
    max_plugin_bytes: usize,
    runtime: Arc<Runtime>,
}

/// Errors in the start of a [`PluginHost`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The folder of compiled plugins cannot be used.
    #[error("no cache of compiled plugins")]
    Cache(#[from] CacheError),
    /// The WebAssembly engine does not start.
    #[error("the WebAssembly engine does not start")]
    Engine(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl PluginHostConfig {
    /// Creates the default configuration: 256 MiB and 10 s a call, twice as many concurrent calls
    /// as processors, plugins up to 32 MiB.
    #[must_use]
    pub fn new(cache_dir: PathBuf) -> Self {
        let twice = u32::try_from(processors().saturating_mul(2)).ok();
        let max_concurrent = twice.and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MAX);
        Self {
            cache_dir,
            keep_compiled: true,
            limits: CallLimits::default(),
            max_concurrent,
            max_plugin_bytes: 32 * 1024 * 1024,
            observer: Arc::new(Unobserved),
        }
    }
}

impl PluginHost {
    /// Starts the engine and its clock.
    ///
    /// # Errors
    ///
    /// When the cache folder cannot be used, or the engine does not start.
    pub fn new(config: PluginHostConfig) -> Result<Self, HostError> {
        let cache = if config.keep_compiled {
            CodeCache::open(&config.cache_dir)?
        } else {
            CodeCache::look_into(&config.cache_dir)?
        };
        let slots = config.max_concurrent.get();
        let engine = engine::start(slots, config.limits.memory_bytes).map_err(engine_error)?;
        let linker = linker(&engine).map_err(engine_error)?;
        let runtime = Runtime {
            clock: CallClock::of(&engine).map_err(engine_error)?,
            engine,
            limits: config.limits,
            slots: Slots::new(slots as usize, processors()),
            observer: config.observer,
        };
        Ok(Self {
            cache,
            linker,
            max_plugin_bytes: config.max_plugin_bytes,
            runtime: Arc::new(runtime),
        })
    }

    /// Admits a component as a plugin. It must be small enough, valid, and no precompiled code. It
    /// imports only the contract's interfaces, exports the contract's worlds with their types, and
    /// describes itself.
    ///
    /// # Errors
    ///
    /// The first of these conditions that fails.
    pub async fn admit(
        self: &Arc<Self>,
        wasm: bytes::Bytes,
    ) -> Result<Arc<Plugin>, AdmissionError> {
        let host = Arc::clone(self);
        let (guest, terms) = task::spawn_blocking(move || host.link(&wasm))
            .await
            .map_err(|error| AdmissionError::Uncompilable(error.into()))??;
        let guest = Arc::new(guest);
        let about = guest.describe().await.map_err(AdmissionError::SelfTest)?;
        let guest = Arc::unwrap_or_clone(guest);
        Ok(Arc::new(Plugin::new(guest, about, terms)?))
    }

    /// Removes the compiled code of a component that is no longer needed, as far as possible now.
    /// Blocks on files.
    pub fn discard_compiled(&self, digest: PluginDigest) {
        if let Err(error) = self.cache.discard(digest) {
            tracing::warn!(plugin.digest = %digest, %error, "a compiled plugin could not be removed");
        }
    }

    fn link(&self, wasm: &[u8]) -> Result<(Guest, Terms), AdmissionError> {
        if wasm.len() > self.max_plugin_bytes {
            return Err(AdmissionError::TooLarge {
                bytes: wasm.len(),
                limit: self.max_plugin_bytes,
            });
        }
        if Engine::detect_precompiled(wasm).is_some() {
            return Err(AdmissionError::Precompiled);
        }
        let surface = Surface::read(wasm)?;
        let terms = CONTRACTS.terms(wasm, &surface)?;
        let digest = PluginDigest::of(wasm);
        let component = compile(&self.runtime.engine, &self.cache, wasm, digest)?;
        let guest = Guest::link(
            Arc::clone(&self.runtime),
            &self.linker,
            &component,
            digest,
            &terms,
        )
        .map_err(|error| AdmissionError::Uncompilable(error.into()))?;
        Ok((guest, terms))
    }
}

/// Validates a component entirely and compiles it, or takes it from the cache, which has only
/// validated ones. The author of an invalid component gets the validation error, not a compilation
/// error.
fn compile(
    engine: &Engine,
    cache: &CodeCache,
    wasm: &[u8],
    digest: PluginDigest,
) -> Result<Component, AdmissionError> {
    if let Some(component) = cache.load(engine, digest) {
        return Ok(component);
    }
    Validator::new()
        .validate_all(wasm)
        .map_err(|error| AdmissionError::Invalid(error.into()))?;
    tracing::info!(plugin.digest = %digest, "compiling a plugin");
    let component = Component::from_binary(engine, wasm)
        .map_err(|error| AdmissionError::Uncompilable(error.into()))?;
    cache.store(engine, digest, &component);
    Ok(component)
}

/// Returns the number of processors, or 1 if it is unknown.
fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn engine_error(error: wasmtime::Error) -> HostError {
    HostError::Engine(error.into())
}
