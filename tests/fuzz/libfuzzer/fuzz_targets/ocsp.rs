//! See [`OCSP`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::OCSP;

fuzz_target!(init: OCSP.write_seeds(), |input: &[u8]| OCSP.run(input));
