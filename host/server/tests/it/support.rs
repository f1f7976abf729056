use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use parafa_fixtures::built::plugins;
use serde_json::Value;
use tempfile::TempDir;

/// Result of a command.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn component(name: &str) -> PathBuf {
    plugins().join(name)
}

/// Runs `parafa`, with a cache shared by all tests and the components as
/// installed plugins.
pub(crate) fn parafa<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Ended {
    parafa_in(Path::new("."), &[], arguments)
}

/// Runs `parafa` in another working directory and with additional environment
/// variables.
pub(crate) fn parafa_in<A: AsRef<OsStr>>(
    folder: &Path,
    environment: &[(&str, PathBuf)],
    arguments: impl IntoIterator<Item = A>,
) -> Ended {
    let output = Command::new(env!("CARGO_BIN_EXE_parafa"))
        .args(arguments)
        .current_dir(folder)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("PARAFA_PLUGINS__FOLDER", plugins())
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap();
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ended {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Documents in a folder of their own.
pub(crate) struct Documents(TempDir);

impl Documents {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn add(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes the least possible plugin to a file.
    pub(crate) fn least_plugin(&self) -> PathBuf {
        self.add("least.wasm", parafa_fixtures::component::least())
    }
}
