//! See [`ADOC`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::ADOC;

fuzz_target!(init: ADOC.write_seeds(), |input: &[u8]| ADOC.run(input));
