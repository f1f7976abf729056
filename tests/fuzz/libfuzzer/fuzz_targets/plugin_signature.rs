//! See [`PLUGIN_SIGNATURE`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::PLUGIN_SIGNATURE;

fuzz_target!(init: PLUGIN_SIGNATURE.write_seeds(), |input: &[u8]| PLUGIN_SIGNATURE.run(input));
