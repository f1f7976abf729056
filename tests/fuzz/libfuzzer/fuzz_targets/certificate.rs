//! See [`CERTIFICATE`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::CERTIFICATE;

fuzz_target!(init: CERTIFICATE.write_seeds(), |input: &[u8]| CERTIFICATE.run(input));
