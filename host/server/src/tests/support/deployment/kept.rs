//! Storage of a deployment's records: memory, or the database selected by the
//! environment.

use std::num::NonZeroU16;
use std::sync::Arc;

use parafa_store::engine::Engine;
use parafa_store::memory::MemoryDisk;
use parafa_store::postgres::{Database, DatabaseOptions, PostgresEngine};
use parafa_store::{ManualClock, MemoryEngine};
use parafa_test_services::{Postgres, TemporaryDatabase, is_database};
use rustls::{ClientConfig, RootCertStore};

/// Connections of one host, for reads and for commits each.
const CONNECTIONS: NonZeroU16 = NonZeroU16::new(2).unwrap();

/// Data that outlives a deployment's hosts.
pub(crate) enum Kept {
    Memory(MemoryDisk),
    Postgres(TemporaryDatabase),
}

impl Kept {
    /// Creates empty storage.
    pub(super) fn new() -> Self {
        match is_database() {
            true => Self::Postgres(Postgres::temporary_database()),
            false => Self::Memory(MemoryDisk::default()),
        }
    }

    /// Opens one host's engine. Hosts on a database always know of each other.
    pub(super) async fn engine(
        &self,
        clock: &Arc<ManualClock>,
        is_shared: bool,
    ) -> Arc<dyn Engine> {
        match self {
            Self::Memory(disk) => {
                let engine = MemoryEngine::open(disk.clone(), clock.clone());
                match is_shared {
                    true => Arc::new(engine.shared()),
                    false => Arc::new(engine),
                }
            }
            Self::Postgres(database) => {
                let roots = ClientConfig::builder().with_root_certificates(RootCertStore::empty());
                let options = DatabaseOptions {
                    url: database.url().to_owned(),
                    connections: CONNECTIONS,
                    tls: roots.with_no_client_auth(),
                };
                let database = Database::open(&options).await.unwrap();
                Arc::new(PostgresEngine::new(database, CONNECTIONS, clock.clone()))
            }
        }
    }
}
