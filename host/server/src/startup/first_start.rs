//! Message about slow work at a first start.

use crate::config::Config;

/// Logs at the beginning that compiling takes time, if no plugin was compiled
/// before.
pub(crate) fn tell_first_start(config: &Config) {
    if !config.plugin_store().compiled_folder().exists() {
        tracing::info!(
            "the first start compiles the plugins, which may take some minutes on a small machine; later ones find them compiled"
        );
    }
}
