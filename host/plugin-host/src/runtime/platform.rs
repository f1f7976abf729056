//! What the host offers to a running plugin.

use bytes::Bytes;
use openssl::error::ErrorStack;
use parafa_catalogue::{HashFunction, SignatureAlgorithm, UnknownName};
use wasmtime::Engine;
use wasmtime::component::{HasSelf, Linker, Resource, ResourceTable};

use super::guest_log::GuestLog;
use super::inflation::Inflation;
use super::known_keys::verify_with_key;
use super::memory_limit::MemoryLimit;
use super::output::{Output, range_within, slice};
use crate::contract::bindings::{Platform, crypto, documents, log, types};
use crate::contract::convert::known;
use crate::contract::resources::{Blob, Hasher, Sink};
use crate::{CallLimits, ContractBreach, Document, FaultKind, LogLevel, MemoryMeter};

/// What belongs to one call of a plugin.
pub(crate) struct CallState {
    pub(crate) documents: Vec<Document>,
    inflation: Inflation,
    pub(crate) log: GuestLog,
    pub(crate) memory: MemoryLimit,
    pub(crate) output: Output,
    pub(crate) resources: ResourceTable,
}

/// What cannot happen: the host makes every handle of a document itself.
const NO_DOCUMENT: &str = "a handle leads to no document";

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
        documents: Vec<Document>,
        log: GuestLog,
        limits: &CallLimits,
        meter: MemoryMeter,
    ) -> Self {
        let mut resources = ResourceTable::new();
        resources.set_max_capacity(limits.handles.saturating_add(documents.len()));
        Self {
            documents,
            inflation: Inflation::new(limits),
            log,
            memory: MemoryLimit::new(limits, meter),
            output: Output::new(limits),
            resources,
        }
    }
}

impl CallState {
    /// The document that a handle stands for, and its place among those of the
    /// call, if it is one of them.
    fn document(&self, blob: &Resource<Blob>) -> wasmtime::Result<(Option<usize>, Document)> {
        match self.resources.get(blob)? {
            Blob::Inflated(document) => Ok((None, document.clone())),
            Blob::Given(place) => {
                let document = self.documents.get(*place);
                let document =
                    document.ok_or_else(|| Abort(FaultKind::Host(NO_DOCUMENT.to_owned())))?;
                Ok((Some(*place), document.clone()))
            }
        }
    }
}

impl documents::Host for CallState {
    fn inflate(
        &mut self,
        source: Resource<Blob>,
        offset: u64,
        len: u64,
        most: u64,
    ) -> wasmtime::Result<Result<Resource<Blob>, String>> {
        let (_, document) = self.document(&source)?;
        let part = slice(document.bytes(), offset, len).map_err(Abort)?;
        match self.inflation.hold(part, most).map_err(Abort)? {
            Ok(inflated) => {
                let blob = Blob::Inflated(Bytes::from(inflated).into());
                Ok(Ok(self.resources.push(blob)?))
            }
            Err(why) => Ok(Err(why)),
        }
    }
}

impl documents::HostBlob for CallState {
    fn len(&mut self, blob: Resource<Blob>) -> wasmtime::Result<u64> {
        let (_, document) = self.document(&blob)?;
        Ok(document.bytes().len() as u64)
    }

    fn read(&mut self, blob: Resource<Blob>, offset: u64, len: u32) -> wasmtime::Result<Vec<u8>> {
        let (_, document) = self.document(&blob)?;
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| document.bytes().get(offset..))
            .unwrap_or_default();
        Ok(rest.get(..len as usize).unwrap_or(rest).to_vec())
    }

    fn drop(&mut self, blob: Resource<Blob>) -> wasmtime::Result<()> {
        if let Blob::Inflated(document) = self.resources.delete(blob)? {
            self.inflation.release(document.bytes().len());
        }
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
        source: Resource<Blob>,
        offset: u64,
        len: u64,
    ) -> wasmtime::Result<()> {
        let (place, document) = self.document(&source)?;
        let bytes = document.bytes();
        let copied = match place {
            Some(place) => self.output.copy(place, bytes, offset, len),
            None => slice(bytes, offset, len).and_then(|part| self.output.write(part)),
        };
        Ok(copied.map_err(Abort)?)
    }

    fn copy_inflated(
        &mut self,
        _: Resource<Sink>,
        source: Resource<Blob>,
        offset: u64,
        len: u64,
        most: u64,
    ) -> wasmtime::Result<Result<u64, String>> {
        let (_, document) = self.document(&source)?;
        let part = slice(document.bytes(), offset, len).map_err(Abort)?;
        let Self {
            inflation, output, ..
        } = self;
        let mark = output.mark();
        let inflated = inflation.inflate(part, most, |piece| output.write(piece));
        let inflated = inflated.map_err(Abort)?;
        if inflated.is_err() {
            output.rewind(&mark);
        }
        Ok(inflated)
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
            Err(unknown) => return Ok(Err(UnknownName::to_string(&unknown))),
        };
        let verified = verify_with_key(&spki, algorithm, &digest, &signature);
        Ok(verified.map_err(|error| error.to_string()))
    }
}

impl crypto::HostHasher for CallState {
    fn new(&mut self, algorithm: String) -> wasmtime::Result<Resource<Hasher>> {
        let function: HashFunction = known(&algorithm).map_err(|breach| Abort(breach.into()))?;
        Ok(self.resources.push(Hasher::new(function))?)
    }

    fn update(&mut self, hasher: Resource<Hasher>, bytes: Vec<u8>) -> wasmtime::Result<()> {
        let hasher = self.resources.get_mut(&hasher)?;
        Ok(hasher.update(&bytes).map_err(Abort::from)?)
    }

    fn update_blob(
        &mut self,
        hasher: Resource<Hasher>,
        source: Resource<Blob>,
        offset: u64,
        len: u64,
    ) -> wasmtime::Result<()> {
        let (_, document) = self.document(&source)?;
        let range = range_within(document.bytes(), offset, len).map_err(Abort)?;
        let hasher = self.resources.get_mut(&hasher)?;
        let updated = hasher.update_part(&document, range);
        Ok(updated.map_err(Abort::from)?)
    }

    fn update_inflated(
        &mut self,
        hasher: Resource<Hasher>,
        source: Resource<Blob>,
        offset: u64,
        len: u64,
        most: u64,
    ) -> wasmtime::Result<Result<u64, String>> {
        let (_, document) = self.document(&source)?;
        let part = slice(document.bytes(), offset, len).map_err(Abort)?;
        let Self {
            inflation,
            resources,
            ..
        } = self;
        let hasher = resources.get_mut(&hasher)?;
        let inflated = inflation.inflate(part, most, |piece| {
            let updated = hasher.update(piece);
            updated.map_err(|error| FaultKind::Host(error.to_string()))
        });
        let inflated = inflated.map_err(Abort)?;
        if inflated.is_err() {
            hasher.spoil();
        }
        Ok(inflated)
    }

    fn finish(&mut self, hasher: Resource<Hasher>) -> wasmtime::Result<Vec<u8>> {
        let hasher = self.resources.get_mut(&hasher)?;
        let digest = hasher.finish().map_err(Abort::from)?;
        Ok(digest.ok_or_else(|| Abort(ContractBreach::DigestOfNothing.into()))?)
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

impl From<ErrorStack> for Abort {
    fn from(error: ErrorStack) -> Self {
        Self(FaultKind::Host(error.to_string()))
    }
}
