//! See [`MOBILE_ID`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::MOBILE_ID;

fuzz_target!(init: MOBILE_ID.write_seeds(), |input: &[u8]| MOBILE_ID.run(input));
