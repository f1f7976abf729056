pub(crate) mod browser;
pub(crate) mod client;
pub(crate) mod demo;
pub(crate) mod referee;

use std::path::{Path, PathBuf};

/// The checkout.
pub(crate) fn root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest)
}

/// A folder named by a variable, or beside the checkout.
fn folder(variable: &str, sibling: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map_or_else(|| root().join(sibling), PathBuf::from);
    path.canonicalize().ok().filter(|path| path.is_dir())
}
