//! Loads, limits and calls WebAssembly format plugins.
