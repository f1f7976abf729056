//! The host's functions for a running plugin, and the state of its call.

mod imports;

use bytes::Bytes;
use openssl::error::ErrorStack;
use parafa_catalogue::HashFunction;
use wasmtime::Engine;
use wasmtime::component::{HasSelf, Linker, Resource, ResourceTable};

use super::guest_log::GuestLog;
use super::inflation::{Inflation, NotInflated};
use super::memory_limit::MemoryLimit;
use super::output::{Output, range_within, slice};
use crate::contract::resources::{Blob, Hasher, Sink};
use crate::contract::{v0_2, v1_0};
use crate::{CallLimits, ContractBreach, Document, FaultKind, MemoryMeter, SourceFile};

/// The state of one call of a plugin.
pub(crate) struct CallState {
    /// The call's documents, then the companions of the first.
    pub(crate) documents: Vec<Document>,
    /// Number of companions.
    companions: usize,
    inflation: Inflation,
    pub(crate) log: GuestLog,
    pub(crate) memory: MemoryLimit,
    pub(crate) output: Output,
    pub(crate) resources: ResourceTable,
}

/// Message of an error that cannot happen: the host makes every document handle itself.
const NO_DOCUMENT: &str = "a handle leads to no document";

/// Ends the running call from within a host function.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct Abort(pub(crate) FaultKind);

/// Creates a linker with all imports of all versions of the contract.
pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<CallState>> {
    let mut linker = Linker::new(engine);
    v0_2::bindings::Platform::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
    v1_0::bindings::Platform::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
    Ok(linker)
}

impl CallState {
    pub(crate) fn new(
        mut documents: Vec<Document>,
        log: GuestLog,
        limits: &CallLimits,
        meter: MemoryMeter,
    ) -> Self {
        let companions = documents.first().map_or(&[][..], Document::companions);
        let companions: Vec<_> = companions.iter().map(|file| file.content.alone()).collect();
        let count = companions.len();
        documents.extend(companions);
        let mut resources = ResourceTable::new();
        resources.set_max_capacity(limits.handles.saturating_add(documents.len()));
        Self {
            documents,
            companions: count,
            inflation: Inflation::new(limits),
            log,
            memory: MemoryLimit::new(limits, meter),
            output: Output::new(limits),
            resources,
        }
    }

    /// Returns the document of a handle, and its index among the call's documents if it is one of
    /// them.
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

    fn len_of(&self, blob: &Resource<Blob>) -> wasmtime::Result<u64> {
        let (_, document) = self.document(blob)?;
        Ok(document.bytes().len() as u64)
    }

    fn read_of(&self, blob: &Resource<Blob>, offset: u64, len: u32) -> wasmtime::Result<Vec<u8>> {
        let (_, document) = self.document(blob)?;
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| document.bytes().get(offset..))
            .unwrap_or_default();
        Ok(rest.get(..len as usize).unwrap_or(rest).to_vec())
    }

    /// Returns the inflated content of a range as a separate document.
    fn inflate_range(
        &mut self,
        source: &Resource<Blob>,
        (offset, len): (u64, u64),
        most: u64,
    ) -> wasmtime::Result<Result<Resource<Blob>, NotInflated>> {
        let (_, document) = self.document(source)?;
        let part = slice(document.bytes(), offset, len).map_err(Abort)?;
        match self.inflation.hold(part, most).map_err(Abort)? {
            Ok(inflated) => {
                let blob = Blob::Inflated(Bytes::from(inflated).into());
                Ok(Ok(self.resources.push(blob)?))
            }
            Err(why) => Ok(Err(why)),
        }
    }

    fn drop_blob(&mut self, blob: Resource<Blob>) -> wasmtime::Result<()> {
        if let Blob::Inflated(document) = self.resources.delete(blob)? {
            self.inflation.release(document.bytes().len());
        }
        Ok(())
    }

    /// Returns the companions of the call's first document, by name and media type.
    fn companions(&mut self) -> wasmtime::Result<Vec<(String, String, Resource<Blob>)>> {
        let first = self.documents.len().saturating_sub(self.companions);
        let files: Vec<SourceFile> = self
            .documents
            .first()
            .map_or(&[][..], Document::companions)
            .to_vec();
        let mut companions = Vec::with_capacity(files.len());
        for (place, file) in (first..).zip(files) {
            let content = self.resources.push(Blob::Given(place))?;
            companions.push((file.name, file.media_type, content));
        }
        Ok(companions)
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> wasmtime::Result<()> {
        Ok(self.output.write(bytes).map_err(Abort)?)
    }

    fn copy_range(
        &mut self,
        source: &Resource<Blob>,
        offset: u64,
        len: u64,
    ) -> wasmtime::Result<()> {
        let (place, document) = self.document(source)?;
        let bytes = document.bytes();
        let copied = match place {
            Some(place) => self.output.copy(place, bytes, offset, len),
            None => slice(bytes, offset, len).and_then(|part| self.output.write(part)),
        };
        Ok(copied.map_err(Abort)?)
    }

    fn copy_inflated_range(
        &mut self,
        source: &Resource<Blob>,
        (offset, len): (u64, u64),
        most: u64,
    ) -> wasmtime::Result<Result<u64, NotInflated>> {
        let (_, document) = self.document(source)?;
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

    fn drop_sink(&mut self, sink: Resource<Sink>) -> wasmtime::Result<()> {
        self.resources.delete(sink)?;
        Ok(())
    }

    fn new_hasher(&mut self, function: HashFunction) -> wasmtime::Result<Resource<Hasher>> {
        Ok(self.resources.push(Hasher::new(function))?)
    }

    fn hash_bytes(&mut self, hasher: &Resource<Hasher>, bytes: &[u8]) -> wasmtime::Result<()> {
        let hasher = self.resources.get_mut(hasher)?;
        Ok(hasher.update(bytes).map_err(Abort::from)?)
    }

    fn hash_range(
        &mut self,
        hasher: &Resource<Hasher>,
        source: &Resource<Blob>,
        offset: u64,
        len: u64,
    ) -> wasmtime::Result<()> {
        let (_, document) = self.document(source)?;
        let range = range_within(document.bytes(), offset, len).map_err(Abort)?;
        let hasher = self.resources.get_mut(hasher)?;
        let updated = hasher.update_part(&document, range);
        Ok(updated.map_err(Abort::from)?)
    }

    fn hash_inflated_range(
        &mut self,
        hasher: &Resource<Hasher>,
        source: &Resource<Blob>,
        (offset, len): (u64, u64),
        most: u64,
    ) -> wasmtime::Result<Result<u64, NotInflated>> {
        let (_, document) = self.document(source)?;
        let part = slice(document.bytes(), offset, len).map_err(Abort)?;
        let Self {
            inflation,
            resources,
            ..
        } = self;
        let hasher = resources.get_mut(hasher)?;
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

    fn finish_hash(&mut self, hasher: &Resource<Hasher>) -> wasmtime::Result<Vec<u8>> {
        let hasher = self.resources.get_mut(hasher)?;
        let digest = hasher.finish().map_err(Abort::from)?;
        Ok(digest.ok_or_else(|| Abort(ContractBreach::DigestOfNothing.into()))?)
    }

    fn drop_hasher(&mut self, hasher: Resource<Hasher>) -> wasmtime::Result<()> {
        self.resources.delete(hasher)?;
        Ok(())
    }
}

impl From<ErrorStack> for Abort {
    fn from(error: ErrorStack) -> Self {
        Self(FaultKind::Host(error.to_string()))
    }
}
