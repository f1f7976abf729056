//! Choice of a demo's store, according to the files of demos.

use std::path::Path;

use super::error::DemoError;
use super::file::DemoFile;
use crate::config::Config;

/// Selects the store that the folder's own host has shared. Has no effect if a
/// database is configured. Nor does it if the folder has an embedded store:
/// that was restored from a backup of the host.
pub(crate) fn settle_own_store(config: &mut Config) {
    let is_settled = config.store.url.is_some() || config.store.data.join("store").exists();
    let own = DemoFile::read(&DemoFile::path(&config.store.data));
    let own = own.ok().and_then(|file| file.store);
    if let Some(shared) = own.filter(|_| !is_settled) {
        shared.settle(config);
    }
}

/// Selects the store that the joined host shares, given its `demo.json`.
///
/// # Errors
/// A file that is not a `demo.json`, or a store that the two hosts do not
/// share.
pub(crate) fn settle_joined_store(config: &mut Config, joined: &Path) -> Result<(), DemoError> {
    let configured = config.store.url.clone();
    match DemoFile::read(joined)?.store {
        Some(shared) if configured.is_none_or(|url| url == shared.url) => {
            shared.settle(config);
            Ok(())
        }
        Some(_) => Err(DemoError::OtherStore(joined.to_owned())),
        None if config.store.is_shared() => Err(DemoError::NoSharedStore(joined.to_owned())),
        None => Ok(()),
    }
}
