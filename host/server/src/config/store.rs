//! Where records and documents are kept.

use std::fmt;
use std::num::NonZeroU16;
use std::path::PathBuf;

use parafa_store::postgres::{DatabaseOptions, PostgresEngine};
use parafa_store::sled::SledOptions;
use serde::{Deserialize, Serialize};

/// Records and bytes.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSection {
    /// `sled` or `postgres`.
    pub engine: Engine,
    /// Folder of the embedded store, its byte files and wrapped data keys; of a
    /// host that shares a database, of what is its own.
    pub data: PathBuf,
    /// Memory that the embedded store may use as a cache, in bytes.
    pub cache_bytes: u64,
    /// Most commits that one sync of the embedded store makes durable.
    pub commits_per_sync: NonZeroU16,
    /// The database.
    pub url: Option<DatabaseUrl>,
    /// Connections to it that reads share.
    pub connections: NonZeroU16,
    /// Commits that are under way in it at the same time.
    pub committers: NonZeroU16,
    /// PEM file with the roots that its certificate has to lead to; without it,
    /// those of the platform.
    pub root_certificates: Option<PathBuf>,
}

/// Which engine keeps the records.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// Embedded, in the data folder.
    #[default]
    Sled,
    /// A database that several hosts share.
    Postgres,
}

/// The URL of a database, with its password. Nothing shows it.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct DatabaseUrl(String);

/// Where documents are kept that hosts share.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Objects {
    /// `s3://bucket/prefix` or `file:///folder`; without it, documents are in
    /// the database.
    pub url: Option<String>,
}

impl StoreSection {
    /// Whether the records are in a database that several hosts share.
    pub(crate) fn is_shared(&self) -> bool {
        self.engine == Engine::Postgres
    }
}

impl DatabaseUrl {
    /// The URL, for whoever connects.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<&str> for DatabaseUrl {
    fn from(url: &str) -> Self {
        Self(url.to_owned())
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl(…)")
    }
}

impl Default for StoreSection {
    fn default() -> Self {
        Self {
            engine: Engine::Sled,
            data: PathBuf::from("parafa-data"),
            cache_bytes: 128 * 1024 * 1024,
            commits_per_sync: SledOptions::DEFAULT_COMMITS_PER_SYNC,
            url: None,
            connections: DatabaseOptions::DEFAULT_CONNECTIONS,
            committers: PostgresEngine::DEFAULT_COMMITTERS,
            root_certificates: None,
        }
    }
}
