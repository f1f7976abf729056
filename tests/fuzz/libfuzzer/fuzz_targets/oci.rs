//! See [`OCI`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::OCI;

fuzz_target!(init: OCI.write_seeds(), |input: &[u8]| OCI.run(input));
