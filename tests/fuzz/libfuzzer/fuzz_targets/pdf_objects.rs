//! See [`PDF_OBJECTS`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::PDF_OBJECTS;

fuzz_target!(init: PDF_OBJECTS.write_seeds(), |input: &[u8]| PDF_OBJECTS.run(input));
