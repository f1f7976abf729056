//! See [`PDF_REHEARSE`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::PDF_REHEARSE;

fuzz_target!(init: PDF_REHEARSE.write_seeds(), |input: &[u8]| PDF_REHEARSE.run(input));
