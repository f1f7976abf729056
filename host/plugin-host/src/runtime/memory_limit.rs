use wasmtime::ResourceLimiter;

use super::engine::{CORE_INSTANCES, MEMORIES, TABLE_ELEMENTS, TABLES};
use super::platform::Abort;
use crate::{CallLimits, FaultKind, MemoryMeter};

/// Ends a plugin that needs more memory than a call may use, and reports usage to the meter.
///
/// A component may have several memories and tables. Where instances are made on demand, this is
/// their only limit, so it applies to their sum.
#[derive(Debug)]
pub(crate) struct MemoryLimit {
    bytes: usize,
    taken_bytes: usize,
    taken_elements: usize,
    meter: MemoryMeter,
}

impl MemoryLimit {
    pub(crate) fn new(limits: &CallLimits, meter: MemoryMeter) -> Self {
        Self {
            bytes: limits.memory_bytes,
            taken_bytes: 0,
            taken_elements: 0,
            meter,
        }
    }
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let wanted = grown(self.taken_bytes, current, desired);
        if wanted > self.bytes {
            return Err(Abort(FaultKind::MemoryLimit {
                wanted,
                limit: self.bytes,
            })
            .into());
        }
        if is_past(maximum, desired) {
            return Ok(false);
        }
        self.taken_bytes = wanted;
        self.meter.saw(wanted);
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let wanted = grown(self.taken_elements, current, desired);
        if wanted > TABLE_ELEMENTS || is_past(maximum, desired) {
            return Ok(false);
        }
        self.taken_elements = wanted;
        Ok(true)
    }

    fn instances(&self) -> usize {
        CORE_INSTANCES as usize
    }

    fn tables(&self) -> usize {
        TABLES as usize
    }

    fn memories(&self) -> usize {
        MEMORIES as usize
    }
}

/// Returns the total size after one memory or table has grown.
fn grown(taken: usize, current: usize, desired: usize) -> usize {
    taken.saturating_add(desired.saturating_sub(current))
}

/// Returns true if the growth exceeds the plugin's own maximum. It fails then, and must not be
/// counted.
fn is_past(maximum: Option<usize>, desired: usize) -> bool {
    maximum.is_some_and(|maximum| desired > maximum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    #[test]
    fn memories_have_one_limit_in_all() {
        let meter = MemoryMeter::default();
        let mut limit = limit(&meter);
        // The first one begins with 10 MiB, the second with none.
        assert!(limit.memory_growing(0, 10 * MIB, None).unwrap());
        assert!(limit.memory_growing(0, 0, None).unwrap());

        assert!(limit.memory_growing(0, 20 * MIB, None).unwrap());
        assert!(limit.memory_growing(10 * MIB, 12 * MIB, None).unwrap());
        let past = limit.memory_growing(20 * MIB, 21 * MIB, None).unwrap_err();

        let Some(Abort(fault)) = past.downcast_ref() else {
            panic!("ended otherwise: {past}")
        };
        assert_eq!(
            *fault,
            FaultKind::MemoryLimit {
                wanted: 33 * MIB,
                limit: 32 * MIB
            }
        );
        assert_eq!(meter.peak_bytes(), 32 * MIB);
    }

    #[test]
    fn tables_have_one_limit_in_all() {
        let mut limit = limit(&MemoryMeter::default());
        let most = TABLE_ELEMENTS;
        assert!(limit.table_growing(0, most - 10, None).unwrap());

        assert!(!limit.table_growing(0, 11, None).unwrap());
        assert!(limit.table_growing(0, 4, None).unwrap());
        assert!(!limit.table_growing(4, 11, None).unwrap());
        assert!(limit.table_growing(4, 10, None).unwrap());
    }

    #[test]
    fn what_the_plugin_itself_does_not_allow_is_not_counted() {
        let meter = MemoryMeter::default();
        let mut limit = limit(&meter);
        for _again in 0..100 {
            assert!(!limit.memory_growing(0, 20 * MIB, Some(MIB)).unwrap());
            assert!(!limit.table_growing(0, 1000, Some(10)).unwrap());
        }

        assert_eq!(meter.peak_bytes(), 0);
        assert!(limit.memory_growing(0, 32 * MIB, None).unwrap());
        assert!(limit.table_growing(0, TABLE_ELEMENTS, None).unwrap());
    }

    fn limit(meter: &MemoryMeter) -> MemoryLimit {
        let limits = CallLimits {
            memory_bytes: 32 * MIB,
            ..CallLimits::default()
        };
        MemoryLimit::new(&limits, meter.clone())
    }
}
