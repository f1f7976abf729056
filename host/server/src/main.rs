//! The `parafa` binary.

use std::process::ExitCode;

/// A request allocates on one thread and frees on another, and takes memory of
/// many sizes for a short time: the C library's allocator takes locks for that.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    parafa_server::cli::run(std::env::args_os(), option_env!("PARAFA_SHIPPED_PLUGINS"))
}
