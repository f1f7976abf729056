//! See [`PDF_INSPECT`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::PDF_INSPECT;

fuzz_target!(init: PDF_INSPECT.write_seeds(), |input: &[u8]| PDF_INSPECT.run(input));
