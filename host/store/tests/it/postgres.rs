//! Guarantees of the engine on PostgreSQL under faults of the network, the database or other
//! hosts.

mod away;
mod bank;
mod claims;
mod clocks;
mod conflicts;
mod failover;
mod faults;
mod lost_answers;
mod moving;
mod numbers;
mod opening;
mod standbys;

use std::sync::Arc;

use parafa_store::postgres::{Database, PostgresEngine};
use parafa_store::{Store, StoreError};
use parafa_test_services::{Postgres, Proxy};

use crate::support::{open, options_of};

/// One of the hosts that share a database.
#[derive(Clone)]
struct Host {
    engine: Arc<PostgresEngine>,
    store: Store,
}

impl Host {
    /// Opens a host that reaches its database at this URL.
    async fn at(url: &str) -> Self {
        let database = Database::open(&options_of(url)).await.expect("a database");
        let clock = database.clock().await.expect("the database's time");
        let committers = PostgresEngine::DEFAULT_COMMITTERS;
        let engine = PostgresEngine::new(database, committers, Arc::new(clock));
        let engine = Arc::new(engine);
        Self {
            store: open(engine.clone()).await.expect("a store"),
            engine,
        }
    }
}

/// A host whose connections all go through a proxy.
struct Distant {
    host: Host,
    proxy: Proxy,
}

impl Distant {
    async fn new() -> Self {
        let server = Postgres::shared();
        Self::at(&server.database().name).await
    }

    async fn at(database: &str) -> Self {
        let proxy = Proxy::before(Postgres::shared().port());
        let host = Host::at(&proxy.url(database)).await;
        Self { host, proxy }
    }
}

/// Returns whether a call failed because the database is unavailable.
fn is_away<T>(outcome: &Result<T, StoreError>) -> bool {
    use parafa_store::EngineError::Unavailable;
    matches!(outcome, Err(StoreError::Engine(Unavailable { .. })))
}
