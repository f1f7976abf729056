//! See [`PDF_SIGN`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::PDF_SIGN;

fuzz_target!(init: PDF_SIGN.write_seeds(), |input: &[u8]| PDF_SIGN.run(input));
