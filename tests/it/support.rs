pub(crate) mod auth;
pub(crate) mod browser;
pub(crate) mod client;
pub(crate) mod control;
pub(crate) mod demo;
pub(crate) mod engine;
pub(crate) mod metrics;
pub(crate) mod operator;
pub(crate) mod outside;
#[allow(dead_code, reason = "the tests of the store draw more of it")]
#[path = "../../host/store/tests/it/support/random.rs"]
pub(crate) mod random;
pub(crate) mod referee;
pub(crate) mod strace;
#[path = "../../formats/pdf/tests/it/verdicts.rs"]
pub(crate) mod verdicts;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Returns the root of the checkout: from the folder where cargo runs this package, otherwise from
/// that of its compilation.
pub(crate) fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        manifest.parent().unwrap_or(&manifest).to_path_buf()
    });
    &ROOT
}
