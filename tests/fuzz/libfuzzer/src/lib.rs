//! The fuzz targets under libFuzzer, in programs whose memory is limited.

#![forbid(unsafe_code)]

use std::alloc::System;

use cap::Cap;

pub use parafa_fuzz::*;

/// Memory limit in bytes, a plugin's; exceeding it is a finding.
const MEMORY: usize = 256 * 1024 * 1024;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, MEMORY);
