//! See [`REGISTERS`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::REGISTERS;

fuzz_target!(init: REGISTERS.write_seeds(), |input: &[u8]| REGISTERS.run(input));
