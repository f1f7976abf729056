//! What a first start is silent over.

use crate::config::Config;

/// Says at once what takes its time where no plugin was compiled before.
pub(crate) fn tell_first_start(config: &Config) {
    if !config.plugin_store().compiled_folder().exists() {
        tracing::info!(
            "the first start compiles the plugins, which may take some minutes on a small machine; later ones find them compiled"
        );
    }
}
