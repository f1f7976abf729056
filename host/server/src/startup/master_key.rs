//! Location of the master key.

use std::path::PathBuf;

use parafa_store::StoreMode;

use crate::config::Config;

/// The location of the master key is not configured.
#[derive(Debug, thiserror::Error)]
#[error(
    "secrets.master_key_file is not set: name a file outside the data folder, and keep a copy of it elsewhere"
)]
pub(crate) struct NoMasterKeyFile;

/// Returns the path of the master key; a demo has it in its data folder.
pub(crate) fn master_key_file(config: &Config, mode: StoreMode) -> Option<PathBuf> {
    let named = config.secrets.master_key_file.clone();
    let named = named.filter(|file| !file.as_os_str().is_empty());
    match mode {
        StoreMode::Demo => named.or_else(|| Some(config.store.data.join("master.key"))),
        StoreMode::Production => named,
    }
}
