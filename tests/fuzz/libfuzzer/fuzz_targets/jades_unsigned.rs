//! See [`JADES_UNSIGNED`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::JADES_UNSIGNED;

fuzz_target!(init: JADES_UNSIGNED.write_seeds(), |input: &[u8]| JADES_UNSIGNED.run(input));
