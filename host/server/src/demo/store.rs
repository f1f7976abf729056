//! The store that the hosts of a demo world share.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::config::{Config, DatabaseUrl, Engine};
use crate::startup;
use parafa_store::StoreMode;

/// What another host needs to work on the same records, as `demo.json` has it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SharedStore {
    /// `store.url`.
    pub(super) url: DatabaseUrl,
    /// `store.root_certificates`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root_certificates: Option<PathBuf>,
    /// `objects.url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    objects_url: Option<String>,
    /// `secrets.master_key_file`.
    master_key_file: PathBuf,
    /// What links begin with, whichever host is asked.
    pub(super) base_url: Url,
}

impl SharedStore {
    /// Where this host's records are, if others can share them.
    pub(super) fn of(config: &Config, base_url: &Url) -> Option<Self> {
        let store = &config.store;
        let url = store.url.clone().filter(|_| store.is_shared())?;
        // Paths are read by processes with other working folders.
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        Some(Self {
            url,
            root_certificates: store.root_certificates.clone().map(absolute),
            objects_url: config.objects.url.clone(),
            master_key_file: startup::master_key_file(config, StoreMode::Demo).map(absolute)?,
            base_url: base_url.clone(),
        })
    }

    /// Makes it the configuration's, as far as that says nothing else.
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
