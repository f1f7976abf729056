//! See [`XADES`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::XADES;

fuzz_target!(init: XADES.write_seeds(), |input: &[u8]| XADES.run(input));
