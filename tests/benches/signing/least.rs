//! The least that a call can be: a component whose `verify` does nothing.

use std::path::Path;

use bytes::Bytes;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Memory layout: the description's strings, the description, its list of
/// media types, and the empty list that `verify` answers.
const MODULE: &str = r#"(module
    (import "cm32p2|parafa:format/documents@0.1" "blob_drop" (func $drop (param i32)))
    (memory (export "cm32p2_memory") 1)
    (data (i32.const 0) "least0.1.0application/x-least")
    (data (i32.const 64)
        "\00\00\00\00\05\00\00\00" "\05\00\00\00\05\00\00\00" "\80\00\00\00\01\00\00\00")
    (data (i32.const 128) "\0a\00\00\00\13\00\00\00")
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

/// The component.
pub(crate) fn component(root: &Path) -> Bytes {
    let mut resolve = Resolve::new();
    resolve
        .push_dir(root.join("wit/parafa-format-0.1"))
        .expect("the contract");
    let package = resolve.push_str("least.wit", WORLD).expect("a package");
    let world = resolve.packages[package].worlds["plugin"];
    let mut module = wat::parse_str(MODULE).expect("a module");
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8, false)
        .expect("a module of the world");
    ComponentEncoder::default()
        .module(&module)
        .and_then(ComponentEncoder::encode)
        .expect("a component")
        .into()
}
