//! See [`LOGO`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::LOGO;

fuzz_target!(init: LOGO.write_seeds(), |input: &[u8]| LOGO.run(input));
