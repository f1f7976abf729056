//! Fuzz targets for everything that reads bytes from outside.
//!
//! A target is a function over bytes that must neither panic nor take long nor
//! want much memory, with what else must hold of the answer. `libfuzzer/`
//! puts each under libFuzzer; `docs/testing.md` says how to run them.

#![forbid(unsafe_code)]

mod adoc;
mod answers;
mod api;
mod asice;
mod authority;
mod certificate;
mod cms;
mod eid;
mod jades;
mod jades_unsigned;
mod json;
mod mcp;
mod mobile_id;
mod ocsp;
mod pdf;
mod port;
mod requests;
mod smart_id;
mod timestamp;
mod unsigned;
mod xades_unsigned;
mod xml;
mod zip;

use std::path::PathBuf;
use std::{env, fs};

pub use adoc::ADOC;
pub use asice::ASICE;
pub use certificate::CERTIFICATE;
pub use cms::CMS;
pub use jades::JADES;
pub use jades_unsigned::JADES_UNSIGNED;
pub use mcp::MCP;
pub use mobile_id::MOBILE_ID;
pub use ocsp::OCSP;
pub use pdf::{
    PDF_ARCHIVE, PDF_FLATTEN, PDF_INSPECT, PDF_OBJECTS, PDF_REHEARSE, PDF_SIGN, PDF_UPDATE,
    PDF_VERIFY,
};
pub use requests::REQUESTS;
pub use smart_id::SMART_ID;
pub use timestamp::TIMESTAMP;
pub use xades_unsigned::XADES_UNSIGNED;
pub use xml::XADES;
pub use zip::ZIP;

/// Every target.
pub const TARGETS: [Target; 23] = [
    ADOC,
    ASICE,
    CERTIFICATE,
    CMS,
    JADES,
    JADES_UNSIGNED,
    MCP,
    MOBILE_ID,
    OCSP,
    PDF_ARCHIVE,
    PDF_FLATTEN,
    PDF_INSPECT,
    PDF_OBJECTS,
    PDF_REHEARSE,
    PDF_SIGN,
    PDF_UPDATE,
    PDF_VERIFY,
    REQUESTS,
    SMART_ID,
    TIMESTAMP,
    XADES,
    XADES_UNSIGNED,
    ZIP,
];

/// Longest seed that is kept, in bytes: libFuzzer never makes inputs longer
/// than the longest seed, and long inputs are slow.
const LONGEST_SEED: usize = 64 * 1024;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    name: &'static str,
    run: fn(&[u8]),
    seeds: fn() -> Vec<Vec<u8>>,
}

impl Target {
    /// Returns its name, which the program and the folders of inputs have too.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the generated inputs to begin with.
    #[must_use]
    pub fn seeds(&self) -> Vec<Vec<u8>> {
        let mut seeds = (self.seeds)();
        seeds.retain(|seed| seed.len() <= LONGEST_SEED);
        seeds
    }

    /// Writes its seeds into the folder `PARAFA_FUZZ_SEEDS`, if that is set.
    ///
    /// # Panics
    /// When they cannot be written.
    pub fn write_seeds(&self) {
        let Some(folder) = env::var_os("PARAFA_FUZZ_SEEDS").map(PathBuf::from) else {
            return;
        };
        fs::create_dir_all(&folder).expect("the folder for the seeds can be made");
        for (number, seed) in self.seeds().iter().enumerate() {
            let file = folder.join(format!("{}-{number:03}", self.name));
            fs::write(file, seed).expect("a seed can be written");
        }
    }

    /// Judges one input.
    ///
    /// # Panics
    /// When something does not hold that must.
    pub fn run(&self, input: &[u8]) {
        (self.run)(input);
    }
}
