//! Store shared by the hosts of a demo world.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::config::{Config, DatabaseUrl, Engine};
use crate::startup;
use parafa_store::StoreMode;

/// Data that another host needs to share the records, as in `demo.json`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SharedStore {
    /// Value of `store.url`.
    pub(super) url: DatabaseUrl,
    /// Value of `store.root_certificates`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root_certificates: Option<PathBuf>,
    /// Value of `objects.url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    objects_url: Option<String>,
    /// Value of `secrets.master_key_file`.
    master_key_file: PathBuf,
    /// Base URL of links, the same at every host.
    pub(super) base_url: Url,
}

impl SharedStore {
    /// Returns this host's store, if others can share it.
    pub(super) fn of(config: &Config, base_url: &Url) -> Option<Self> {
        let store = &config.store;
        let url = store.url.clone().filter(|_| store.is_shared())?;
        // Processes with other working directories read the paths.
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        Some(Self {
            url,
            root_certificates: store.root_certificates.clone().map(absolute),
            objects_url: config.objects.url.clone(),
            master_key_file: startup::master_key_file(config, StoreMode::Demo).map(absolute)?,
            base_url: base_url.clone(),
        })
    }

    /// Applies it to the configuration, except for settings that are set
    /// already.
    pub(super) fn settle(self, config: &mut Config) {
        let store = &mut config.store;
        store.engine = Engine::Postgres;
        store.url = Some(self.url);
        store.root_certificates = store.root_certificates.take().or(self.root_certificates);
        config.objects.url = config.objects.url.take().or(self.objects_url);
        let key = &mut config.secrets.master_key_file;
        key.get_or_insert(self.master_key_file);
    }
}
