//! The least that a plugin can be: a component that says what it is, and finds
//! no signature in anything.

use std::path::{Path, PathBuf};

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::support::Documents;

/// Memory layout: the description's strings, the description, its lists of media
/// types and extensions, and the empty list that `verify` answers.
const MODULE: &str = r#"(module
    (import "cm32p2|parafa:format/documents@0.1" "blob_drop" (func $drop (param i32)))
    (memory (export "cm32p2_memory") 1)
    (data (i32.const 0) "least0.1.0application/x-least")
    (data (i32.const 64)
        "\00\00\00\00\05\00\00\00" "\05\00\00\00\05\00\00\00"
        "\80\00\00\00\01\00\00\00" "\88\00\00\00\01\00\00\00")
    (data (i32.const 128) "\0a\00\00\00\13\00\00\00")
    (data (i32.const 136) "\00\00\00\00\05\00\00\00")
    (func (export "cm32p2|parafa:format/description@0.1|describe") (result i32) i32.const 64)
    (func (export "cm32p2|parafa:format/description@0.1|describe_post") (param i32))
    (func (export "cm32p2|parafa:format/verification@0.1|verify") (param i32) (result i32)
        local.get 0 call $drop i32.const 256)
    (func (export "cm32p2|parafa:format/verification@0.1|verify_post") (param i32))
    (func (export "cm32p2_realloc") (param i32 i32 i32 i32) (result i32) unreachable)
    (func (export "cm32p2_initialize")))"#;

/// Its capabilities.
const WORLD: &str = "package parafa:least; world plugin {
    include parafa:format/describe@0.1.0;
    include parafa:format/verify@0.1.0;
}";

/// The component in a file.
pub(crate) fn component(documents: &Documents) -> PathBuf {
    let contract = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit/parafa-format-0.1");
    let mut resolve = Resolve::new();
    resolve.push_dir(contract).unwrap();
    let package = resolve.push_str("least.wit", WORLD).unwrap();
    let world = resolve.packages[package].worlds["plugin"];
    let mut module = wat::parse_str(MODULE).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8, false).unwrap();
    let mut encoder = ComponentEncoder::default();
    let component = encoder.module(&module).unwrap().encode().unwrap();
    documents.add("least.wasm", component)
}
