//! See [`REQUESTS`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::REQUESTS;

fuzz_target!(init: REQUESTS.write_seeds(), |input: &[u8]| REQUESTS.run(input));
