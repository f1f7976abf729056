//! The `parafa` binary.

use std::process::ExitCode;

/// mimalloc: a request allocates on one thread and frees on another, with many
/// sizes and short lifetimes. The C library's allocator takes locks for that.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    parafa_server::cli::run(std::env::args_os(), option_env!("PARAFA_SHIPPED_PLUGINS"))
}
