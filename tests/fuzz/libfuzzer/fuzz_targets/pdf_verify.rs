//! See [`PDF_VERIFY`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::PDF_VERIFY;

fuzz_target!(init: PDF_VERIFY.write_seeds(), |input: &[u8]| PDF_VERIFY.run(input));
