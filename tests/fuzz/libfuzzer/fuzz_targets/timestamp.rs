//! See [`TIMESTAMP`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::TIMESTAMP;

fuzz_target!(init: TIMESTAMP.write_seeds(), |input: &[u8]| TIMESTAMP.run(input));
