//! Plugins for benches.

use std::sync::Arc;

use parafa_fixtures::built;
use parafa_plugin_host::{Plugin, PluginHost, PluginHostConfig};

/// Creates a plugin host with default settings.
pub(crate) fn plugin_host() -> Arc<PluginHost> {
    let config = PluginHostConfig::new(built::compiled_plugins());
    Arc::new(PluginHost::new(config).expect("a plugin host"))
}

/// Loads the PDF plugin.
#[allow(dead_code, reason = "not every bench is one of PDFs")]
pub(crate) async fn admit_pdf(host: &Arc<PluginHost>) -> Arc<Plugin> {
    admit(host, "pdf.wasm").await
}

/// Loads a plugin, by the file of its component.
pub(crate) async fn admit(host: &Arc<PluginHost>, component: &str) -> Arc<Plugin> {
    let plugin = host.admit(built::plugin(component).into()).await;
    plugin.expect("the plugin is admitted")
}
