//! What the host offers to a running plugin.

use openssl::error::ErrorStack;
use wasmtime::component::{HasSelf, Linker, Resource, ResourceTable};
use wasmtime::{Engine, ResourceLimiter};

use crate::bindings::{Platform, crypto, documents, log, types};
use crate::crypto::verify_with_spki;
use crate::guest_log::GuestLog;
use crate::output::{Output, slice};
use crate::resources::{Blob, Hasher, Sink};
use crate::{
    CallLimits, ContractBreach, DigestAlgorithm, Document, FaultKind, LogLevel, MemoryMeter,
    SignatureAlgorithm,
};

/// What belongs to one call of a plugin.
pub(crate) struct CallState {
    pub(crate) document: Document,
    pub(crate) log: GuestLog,
    pub(crate) memory: MemoryLimit,
    pub(crate) output: Output,
    pub(crate) resources: ResourceTable,
}

/// Ends a plugin that wants more memory than a call may have, and tells the
/// meter what it has.
#[derive(Debug)]
pub(crate) struct MemoryLimit {
    bytes: usize,
    meter: MemoryMeter,
}

/// Ends the running call from within a host function.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct Abort(pub(crate) FaultKind);

/// A linker with everything that the contract lets a plugin import.
pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<CallState>> {
    let mut linker = Linker::new(engine);
    Platform::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
    Ok(linker)
}

impl CallState {
    pub(crate) fn new(
        document: Document,
        log: GuestLog,
        limits: &CallLimits,
        meter: MemoryMeter,
    ) -> Self {
        let mut resources = ResourceTable::new();
        resources.set_max_capacity(limits.handles);
        Self {
            document,
            log,
            memory: MemoryLimit {
                bytes: limits.memory_bytes,
                meter,
            },
            output: Output::new(limits),
            resources,
        }
    }
}

impl documents::Host for CallState {}

impl documents::HostBlob for CallState {
    fn len(&mut self, _: Resource<Blob>) -> wasmtime::Result<u64> {
        Ok(self.document.bytes().len() as u64)
    }

    fn read(&mut self, _: Resource<Blob>, offset: u64, len: u32) -> wasmtime::Result<Vec<u8>> {
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| self.document.bytes().get(offset..))
            .unwrap_or_default();
        Ok(rest.get(..len as usize).unwrap_or(rest).to_vec())
    }

    fn drop(&mut self, blob: Resource<Blob>) -> wasmtime::Result<()> {
        self.resources.delete(blob)?;
        Ok(())
    }
}

impl documents::HostSink for CallState {
    fn write(&mut self, _: Resource<Sink>, bytes: Vec<u8>) -> wasmtime::Result<()> {
        Ok(self.output.write(&bytes).map_err(Abort)?)
    }

    fn copy(
        &mut self,
        _: Resource<Sink>,
        _: Resource<Blob>,
        offset: u64,
        len: u64,
    ) -> wasmtime::Result<()> {
        Ok(self
            .output
            .copy(self.document.bytes(), offset, len)
            .map_err(Abort)?)
    }

    fn drop(&mut self, sink: Resource<Sink>) -> wasmtime::Result<()> {
        self.resources.delete(sink)?;
        Ok(())
    }
}

impl crypto::Host for CallState {
    fn verify(
        &mut self,
        spki: Vec<u8>,
        algorithm: String,
        digest: Vec<u8>,
        signature: Vec<u8>,
    ) -> wasmtime::Result<Result<bool, String>> {
        let algorithm: SignatureAlgorithm = match algorithm.parse() {
            Ok(algorithm) => algorithm,
            Err(unknown) => return Ok(Err(crate::UnknownAlgorithm::to_string(&unknown))),
        };
        Ok(verify_with_spki(&spki, algorithm, &digest, &signature)
            .map_err(|error| error.to_string()))
    }
}

impl crypto::HostHasher for CallState {
    fn new(&mut self, algorithm: String) -> wasmtime::Result<Resource<Hasher>> {
        let algorithm: DigestAlgorithm = algorithm
            .parse()
            .map_err(|_| Abort(ContractBreach::unknown("digest algorithm", &algorithm).into()))?;
        Ok(self.resources.push(Hasher::new(algorithm))?)
    }

    fn update(&mut self, hasher: Resource<Hasher>, bytes: Vec<u8>) -> wasmtime::Result<()> {
        let hasher = self.resources.get_mut(&hasher)?;
        Ok(hasher.update(&bytes).map_err(Abort::from)?)
    }

    fn update_blob(
        &mut self,
        hasher: Resource<Hasher>,
        _: Resource<Blob>,
        offset: u64,
        len: u64,
    ) -> wasmtime::Result<()> {
        let range = slice(self.document.bytes(), offset, len).map_err(Abort)?;
        let hasher = self.resources.get_mut(&hasher)?;
        let updated = if offset == 0 {
            hasher.update_from_start(&self.document, range)
        } else {
            hasher.update(range)
        };
        Ok(updated.map_err(Abort::from)?)
    }

    fn finish(&mut self, hasher: Resource<Hasher>) -> wasmtime::Result<Vec<u8>> {
        let hasher = self.resources.get_mut(&hasher)?;
        Ok(hasher.finish().map_err(Abort::from)?)
    }

    fn drop(&mut self, hasher: Resource<Hasher>) -> wasmtime::Result<()> {
        self.resources.delete(hasher)?;
        Ok(())
    }
}

impl log::Host for CallState {
    fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        let level = match level {
            log::Level::Error => LogLevel::Error,
            log::Level::Warn => LogLevel::Warn,
            log::Level::Info => LogLevel::Info,
            log::Level::Debug => LogLevel::Debug,
        };
        self.log.write(level, &message);
        Ok(())
    }
}

impl types::Host for CallState {}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if desired > self.bytes {
            return Err(Abort(FaultKind::MemoryLimit {
                wanted: desired,
                limit: self.bytes,
            })
            .into());
        }
        self.meter.saw(desired);
        Ok(true)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= crate::engine::TABLE_ELEMENTS)
    }
}

impl From<ErrorStack> for Abort {
    fn from(error: ErrorStack) -> Self {
        Self(FaultKind::Host(error.to_string()))
    }
}
