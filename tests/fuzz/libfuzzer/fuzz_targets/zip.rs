//! See [`ZIP`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::ZIP;

fuzz_target!(init: ZIP.write_seeds(), |input: &[u8]| ZIP.run(input));
