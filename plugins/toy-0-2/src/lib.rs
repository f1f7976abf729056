//! A plugin as it was written against the contract 0.2, by the bindings alone: the
//! SDK is of 1.0. It stays as it is for as long as hosts run plugins of 0.2.
//!
//! A document is a text that begins with `OLD`. A signature is one more line,
//! `signature <certificate> <value> <time-stamp>` in hexadecimal digits, and signs
//! the SHA-256 of everything before it, as hexadecimal text.

#[cfg(target_arch = "wasm32")]
mod bindings;
#[cfg(target_arch = "wasm32")]
mod document;
#[cfg(target_arch = "wasm32")]
mod plugin;
