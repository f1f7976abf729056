//! See [`PDF_UPDATE`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::PDF_UPDATE;

fuzz_target!(init: PDF_UPDATE.write_seeds(), |input: &[u8]| PDF_UPDATE.run(input));
