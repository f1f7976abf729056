//! The compiler that cargo runs for plugins: `rustc`, with an identity of our crates that does not
//! depend on the repository's path.
//!
//! Cargo derives the identity (`-C metadata`) of a crate outside the workspace that it builds, as
//! `formats/` is for `plugins/`, from its absolute path. The identity orders the compiler's output,
//! so the same source would give another plugin in another folder.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitCode};
use std::{env, fs, io};

/// The variable with the repository's path, for a compiler that runs this program.
const ROOT: &str = "PARAFA_XTASK_COMPILES_PLUGINS_OF";

/// Copies this program to a file beside it, and returns the path. Cargo may replace the program
/// itself when it compiles the workspace at the same time.
pub(super) fn place() -> io::Result<PathBuf> {
    let own = env::current_exe()?;
    let compiler = own.with_file_name("plugin-compiler");
    // Another run may be using the earlier copy.
    let half_written = own.with_file_name(format!("plugin-compiler-{}", process::id()));
    fs::copy(own, &half_written)?;
    fs::rename(half_written, &compiler)?;
    Ok(compiler)
}

/// Makes `cargo` compile with this program.
pub(super) fn install(cargo: &mut Command, compiler: &Path, root: &Path) {
    cargo.env("RUSTC_WRAPPER", compiler).env(ROOT, root);
}

/// Compiles, if cargo started this process as its compiler: the arguments are the real compiler and
/// its arguments.
pub(crate) fn run() -> Option<ExitCode> {
    let root = env::var_os(ROOT)?;
    let mut arguments = env::args_os().skip(1);
    let compiler = arguments.next()?;
    let arguments = arguments.map(|argument| with_own_identity(argument, Path::new(&root)));
    let status = Command::new(compiler).args(arguments).status();
    let succeeded = status.is_ok_and(|status| status.success());
    Some(if succeeded {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn with_own_identity(argument: OsString, root: &Path) -> OsString {
    let is_identity = argument.as_encoded_bytes().starts_with(b"metadata=");
    let ours = env::var_os("CARGO_MANIFEST_DIR")
        .is_some_and(|folder| Path::new(&folder).starts_with(root));
    match (
        is_identity && ours,
        env::var_os("CARGO_PKG_NAME"),
        env::var_os("CARGO_PKG_VERSION"),
    ) {
        (true, Some(name), Some(version)) => {
            [OsStr::new("metadata="), &name, OsStr::new("-"), &version]
                .into_iter()
                .collect()
        }
        _ => argument,
    }
}
