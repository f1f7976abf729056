//! Measures the memory use of work.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[global_allocator]
static MEASURED: Measured = Measured;

/// Returns the peak memory of this thread during the work, in bytes, beyond the
/// memory held before.
pub(crate) fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let done = work();
    (done, usize::try_from(PEAK.get() - before).unwrap())
}

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

fn hold(bytes: usize) {
    let held = HELD.get() + i64::try_from(bytes).unwrap_or(i64::MAX / 2);
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
}

fn let_go(bytes: usize) {
    HELD.set(HELD.get() - i64::try_from(bytes).unwrap_or(i64::MAX / 2));
}

/// The system allocator, counting the memory of each thread.
struct Measured;

#[expect(unsafe_code, reason = "the trait of allocators is unsafe by nature")]
// SAFETY: every call is forwarded unchanged.
unsafe impl GlobalAlloc for Measured {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        hold(layout.size());
        // SAFETY: the caller upholds the contract of the trait.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        hold(layout.size());
        // SAFETY: the caller upholds the contract of the trait.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        let_go(layout.size());
        // SAFETY: the caller upholds the contract of the trait.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Without room to grow in place, both allocations exist for a while.
        hold(size);
        let_go(layout.size());
        // SAFETY: the caller upholds the contract of the trait.
        unsafe { System.realloc(place, layout, size) }
    }
}
