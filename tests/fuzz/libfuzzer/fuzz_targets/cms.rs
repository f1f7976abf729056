//! See [`CMS`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::CMS;

fuzz_target!(init: CMS.write_seeds(), |input: &[u8]| CMS.run(input));
