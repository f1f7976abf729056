//! The `parafa` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    parafa_server::cli::run(std::env::args_os(), option_env!("PARAFA_SHIPPED_PLUGINS"))
}
