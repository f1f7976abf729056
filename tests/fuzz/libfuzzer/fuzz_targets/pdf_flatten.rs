//! See [`PDF_FLATTEN`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::PDF_FLATTEN;

fuzz_target!(init: PDF_FLATTEN.write_seeds(), |input: &[u8]| PDF_FLATTEN.run(input));
