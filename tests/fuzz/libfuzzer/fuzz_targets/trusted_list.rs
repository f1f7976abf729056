//! See [`TRUSTED_LIST`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::TRUSTED_LIST;

fuzz_target!(init: TRUSTED_LIST.write_seeds(), |input: &[u8]| TRUSTED_LIST.run(input));
