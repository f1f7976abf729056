use wasmtime::ResourceLimiter;

use crate::platform::Abort;
use crate::{CallLimits, FaultKind, MemoryMeter};

/// Ends a plugin that wants more memory than a call may have, and tells the
/// meter what it has.
#[derive(Debug)]
pub(crate) struct MemoryLimit {
    bytes: usize,
    meter: MemoryMeter,
}

impl MemoryLimit {
    pub(crate) fn new(limits: &CallLimits, meter: MemoryMeter) -> Self {
        Self {
            bytes: limits.memory_bytes,
            meter,
        }
    }
}

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
