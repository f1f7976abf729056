//! The toolchain that compiles for WebAssembly.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

/// The target of plugins.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// A Rust that compiles for it.
pub(crate) enum Toolchain {
    /// Rust with a standard library for the target.
    Installed,
    /// Debian's Rust, which lacks it: the library is built from its source.
    Debian {
        /// `wasm-ld`.
        linker: PathBuf,
    },
}

impl Toolchain {
    const DEBIAN_CARGO: &str = "/usr/bin/cargo";
    const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
    const DEBIAN_LIBRARY: &str = "/usr/lib/rustlib/src/rust/library";
    const DEBIAN_LINKERS: [&str; 2] = ["/usr/bin/wasm-ld-22", "/usr/bin/wasm-ld"];

    /// Finds a toolchain, and has rustup add the target if it is missing.
    pub(crate) fn find(root: &Path) -> Result<Self> {
        if has_target(root) {
            return Ok(Self::Installed);
        }
        let added = Command::new("rustup")
            .args(["target", "add", TARGET])
            .current_dir(root)
            .status();
        if added.is_ok_and(|status| status.success()) && has_target(root) {
            return Ok(Self::Installed);
        }
        let linker = Self::DEBIAN_LINKERS
            .iter()
            .map(PathBuf::from)
            .find(|linker| linker.exists());
        let complete = [Self::DEBIAN_CARGO, Self::DEBIAN_RUSTC, Self::DEBIAN_LIBRARY]
            .iter()
            .all(|part| Path::new(part).exists());
        match linker {
            Some(linker) if complete => Ok(Self::Debian { linker }),
            _ => bail!(
                "no Rust for {TARGET}: run `rustup target add {TARGET}`, or on Debian \
                 `apt install rustc-web cargo-web rust-web-src lld-22`"
            ),
        }
    }

    /// Returns its Cargo.
    pub(crate) fn cargo(&self) -> Command {
        match self {
            Self::Installed => Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into())),
            Self::Debian { linker } => {
                let mut cargo = Command::new(Self::DEBIAN_CARGO);
                cargo
                    .env("RUSTC", Self::DEBIAN_RUSTC)
                    // Enables `-Z build-std`.
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
                cargo
            }
        }
    }

    /// Returns its Cargo, configured for the target.
    pub(crate) fn build(&self) -> Command {
        let mut cargo = self.cargo();
        cargo.args(["build", "--release", "--target", TARGET]);
        if matches!(self, Self::Debian { .. }) {
            cargo.args(["-Z", "build-std=std,panic_abort"]);
        }
        cargo
    }
}

fn has_target(root: &Path) -> bool {
    Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(root)
        .output()
        .is_ok_and(|output| {
            output.status.success()
                && Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir()
        })
}
