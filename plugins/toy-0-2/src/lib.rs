//! A plugin written against the contract 0.2, by the bindings alone: the SDK is of 1.0. It stays
//! unchanged as long as hosts support plugins of 0.2.
//!
//! A document is a text that begins with `OLD`. A signature is a further line, `signature
//! <certificate> <value> <time-stamp>` in hexadecimal digits. It signs the SHA-256 of everything
//! before it, as hexadecimal text.

#[cfg(target_arch = "wasm32")]
mod bindings;
#[cfg(target_arch = "wasm32")]
mod document;
#[cfg(target_arch = "wasm32")]
mod plugin;
