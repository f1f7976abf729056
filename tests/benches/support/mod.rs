//! The plugins that benches call.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use parafa_plugin_host::{Plugin, PluginHost, PluginHostConfig};

/// A host with its defaults.
pub(crate) fn plugin_host() -> Arc<PluginHost> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-plugin-cache");
    Arc::new(PluginHost::new(PluginHostConfig::new(cache)).expect("a plugin host"))
}

/// The PDF plugin.
pub(crate) async fn admit_pdf(host: &Arc<PluginHost>) -> Arc<Plugin> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate stands in the checkout");
    let file = root.join("target/plugins/pdf.wasm");
    let pdf = fs::read(&file)
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask bench`", file.display()));
    let pdf = host.admit(pdf.into()).await;
    pdf.expect("the PDF plugin is admitted")
}
