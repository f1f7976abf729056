//! See [`XADES_UNSIGNED`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::XADES_UNSIGNED;

fuzz_target!(init: XADES_UNSIGNED.write_seeds(), |input: &[u8]| XADES_UNSIGNED.run(input));
