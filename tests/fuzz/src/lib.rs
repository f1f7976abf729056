//! Fuzz targets for everything that reads bytes from outside.
//!
//! A target is a function over bytes. It must not panic, take long or use much memory, and it
//! asserts properties of the result. `fuzz_targets/` runs each under libFuzzer; `docs/testing.md`
//! explains how to run them.

#![forbid(unsafe_code)]

mod adoc;
mod answers;
mod asice;
mod authority;
mod certificate;
mod cms;
mod eid;
mod jades;
mod jades_unsigned;
mod json;
mod mcp;
mod ocsp;
mod pdf;
mod port;
mod requests;
mod timestamp;
mod unsigned;
mod xades_unsigned;
mod xml;
mod zip;

use std::alloc::System;
use std::path::PathBuf;
use std::{env, fs};

use cap::Cap;

pub use adoc::ADOC;
pub use asice::ASICE;
pub use certificate::CERTIFICATE;
pub use cms::CMS;
pub use eid::{MOBILE_ID, SMART_ID};
pub use jades::JADES;
pub use jades_unsigned::JADES_UNSIGNED;
pub use mcp::MCP;
pub use ocsp::OCSP;
pub use pdf::{
    PDF_ARCHIVE, PDF_FLATTEN, PDF_INSPECT, PDF_OBJECTS, PDF_REHEARSE, PDF_SIGN, PDF_UPDATE,
    PDF_VERIFY,
};
pub use requests::REQUESTS;
pub use timestamp::TIMESTAMP;
pub use xades_unsigned::XADES_UNSIGNED;
pub use xml::XADES;
pub use zip::ZIP;

/// Memory limit of a plugin, in bytes. Exceeding it is a finding.
const MEMORY: usize = 256 * 1024 * 1024;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, MEMORY);

/// Longest seed, in bytes: libFuzzer never makes inputs longer than the longest seed, and long
/// inputs are slow.
const LONGEST_SEED: usize = 64 * 1024;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    name: &'static str,
    run: fn(&[u8]),
    seeds: fn() -> Vec<Vec<u8>>,
}

impl Target {
    /// Writes the seeds into the folder `PARAFA_FUZZ_SEEDS`, if that is set.
    ///
    /// # Panics
    /// When they cannot be written.
    pub fn write_seeds(&self) {
        let Some(folder) = env::var_os("PARAFA_FUZZ_SEEDS").map(PathBuf::from) else {
            return;
        };
        fs::create_dir_all(&folder).expect("the folder for the seeds can be made");
        for (number, seed) in (self.seeds)().iter().enumerate() {
            if seed.len() <= LONGEST_SEED {
                let file = folder.join(format!("{}-{number:03}", self.name));
                fs::write(file, seed).expect("a seed can be written");
            }
        }
    }

    /// Runs one input.
    ///
    /// # Panics
    /// When an assertion fails.
    pub fn run(&self, input: &[u8]) {
        (self.run)(input);
    }
}
