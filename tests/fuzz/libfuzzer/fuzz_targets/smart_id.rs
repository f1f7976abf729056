//! See [`SMART_ID`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::SMART_ID;

fuzz_target!(init: SMART_ID.write_seeds(), |input: &[u8]| SMART_ID.run(input));
