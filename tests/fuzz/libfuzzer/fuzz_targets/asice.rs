//! See [`ASICE`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::ASICE;

fuzz_target!(init: ASICE.write_seeds(), |input: &[u8]| ASICE.run(input));
