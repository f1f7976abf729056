//! See [`PDF_ARCHIVE`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::PDF_ARCHIVE;

fuzz_target!(init: PDF_ARCHIVE.write_seeds(), |input: &[u8]| PDF_ARCHIVE.run(input));
