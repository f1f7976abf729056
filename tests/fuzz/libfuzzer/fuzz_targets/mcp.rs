//! See [`MCP`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use parafa_libfuzzer::MCP;

fuzz_target!(init: MCP.write_seeds(), |input: &[u8]| MCP.run(input));
