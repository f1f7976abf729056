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
#[allow(dead_code, reason = "not every bench is one of PDFs")]
pub(crate) async fn admit_pdf(host: &Arc<PluginHost>) -> Arc<Plugin> {
    admit(host, "pdf.wasm").await
}

/// A plugin, by the file of its component.
pub(crate) async fn admit(host: &Arc<PluginHost>, component: &str) -> Arc<Plugin> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate stands in the checkout");
    let file = root.join("target/plugins").join(component);
    let bytes = fs::read(&file)
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask bench`", file.display()));
    let plugin = host.admit(bytes.into()).await;
    plugin.expect("the plugin is admitted")
}
