//! See [`JADES`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::JADES;

fuzz_target!(init: JADES.write_seeds(), |input: &[u8]| JADES.run(input));
