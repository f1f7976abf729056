//! Storage of records and documents.

use std::fmt;
use std::num::NonZeroU16;
use std::path::PathBuf;

use parafa_store::postgres::{DatabaseOptions, PostgresEngine};
use parafa_store::sled::SledOptions;
use serde::{Deserialize, Serialize};

/// Storage of records and bytes.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSection {
    /// Storage engine, `sled` or `postgres`.
    pub engine: Engine,
    /// Folder of the embedded store, its byte files and wrapped data keys. For
    /// a host that shares a database, the folder of its own data.
    pub data: PathBuf,
    /// Cache of the embedded store, in bytes.
    pub cache_bytes: u64,
    /// Maximum number of commits that one sync of the embedded store makes
    /// durable.
    pub commits_per_sync: NonZeroU16,
    /// URL of the database.
    pub url: Option<DatabaseUrl>,
    /// Database connections that reads share.
    pub connections: NonZeroU16,
    /// Concurrent commits in the database.
    pub committers: NonZeroU16,
    /// PEM file with the roots for the database's certificate; without it,
    /// those of the platform.
    pub root_certificates: Option<PathBuf>,
}

/// Storage engine of the records.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// Embedded, in the data folder.
    #[default]
    Sled,
    /// Database shared by several hosts.
    Postgres,
}

/// URL of a database, with its password. `Debug` does not show it.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct DatabaseUrl(String);

/// Storage of documents that hosts share.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Objects {
    /// `s3://bucket/prefix` or `file:///folder`; without it, documents are in
    /// the database.
    pub url: Option<String>,
}

impl StoreSection {
    /// Returns whether the records are in a database that several hosts share.
    pub(crate) fn is_shared(&self) -> bool {
        self.engine == Engine::Postgres
    }
}

impl DatabaseUrl {
    /// Returns the URL, for connecting.
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
