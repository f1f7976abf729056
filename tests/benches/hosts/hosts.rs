//! Hosts that share a database, each with connections of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use parafa_store::postgres::{Database, DatabaseOptions, PostgresEngine};
use parafa_store::{
    AnyIndex, Content, Guard, Index, MasterKey, Page, Store, StoreError, StoreMode, Table,
    TableName,
};
use parafa_test_services::{Postgres, PostgresDatabase};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::callers::Times;

/// Number of rows to read, and how many of them have the same owner.
const ROWS: u32 = 5000;
const OF_OWNER: u32 = 50;
/// Length of a row's text, in bytes.
const TEXT: usize = 300;

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Record {
    id: Uuid,
    owner: u32,
    reference: Uuid,
    text: String,
}

const BY_OWNER: Index<Record, u32> = Index::many("owner", |record| vec![record.owner]);
const BY_REFERENCE: Index<Record, Uuid> =
    Index::unique("reference", |record| vec![record.reference]);

impl Record {
    fn new(id: Uuid, owner: u32) -> Self {
        Self {
            id,
            owner,
            reference: id,
            text: "a".repeat(TEXT),
        }
    }
}

impl Table for Record {
    type Key = Uuid;
    const NAME: TableName = TableName::new("record");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&BY_OWNER, &BY_REFERENCE]
    }
}

/// The hosts of one database.
pub(crate) struct Hosts {
    stores: Vec<Store>,
    /// Name of their database.
    database: String,
}

impl Hosts {
    /// Starts this many hosts, on a new database with rows to read.
    pub(crate) async fn start(server: &Postgres, count: usize) -> Self {
        let PostgresDatabase { url, name } = server.database();
        let mut stores = Vec::new();
        for _ in 0..count {
            stores.push(store(&url).await);
        }
        let hosts = Self {
            stores,
            database: name,
        };
        for owner in 0..ROWS / OF_OWNER {
            let numbers = owner * OF_OWNER..(owner + 1) * OF_OWNER;
            let records = numbers.map(|number| Record::new(known(number), owner));
            insert(&hosts.stores[0], &records.collect::<Vec<_>>()).await;
        }
        hosts
    }

    /// Creates rows by this many callers, distributed equally among the hosts.
    pub(crate) async fn create(self: &Arc<Self>, callers: usize, within: Duration) -> Times {
        let hosts = self.clone();
        let create = move |caller| {
            let hosts = hosts.clone();
            async move {
                // An owner whose rows are not read.
                let owner = ROWS + u32::try_from(caller).expect("there are few");
                insert(hosts.of(caller), &[Record::new(Uuid::now_v7(), owner)]).await;
            }
        };
        Times::of(callers, within, create).await
    }

    /// Reads rows by their keys, with the callers distributed in the same way.
    pub(crate) async fn read(self: &Arc<Self>, callers: usize, within: Duration) -> Times {
        let (hosts, next) = (self.clone(), Arc::new(AtomicU32::new(0)));
        let read = move |caller| {
            let (hosts, next) = (hosts.clone(), next.clone());
            async move {
                let id = known(next.fetch_add(1, Ordering::Relaxed) % ROWS);
                let found = hosts.of(caller).get::<Record>(&id).await;
                found.expect("a read").expect("a row");
            }
        };
        Times::of(callers, within, read).await
    }

    /// Reads pages of a list, with the callers distributed in the same way.
    pub(crate) async fn page(self: &Arc<Self>, callers: usize, within: Duration) -> Times {
        let (hosts, next) = (self.clone(), Arc::new(AtomicU32::new(0)));
        let page = move |caller| {
            let (hosts, next) = (hosts.clone(), next.clone());
            async move {
                let owner = next.fetch_add(1, Ordering::Relaxed) % (ROWS / OF_OWNER);
                let page = Page::newest(usize::MAX);
                let rows = hosts.of(caller).read(|tx| {
                    Box::pin(async move {
                        let listed = tx.page_by(&BY_OWNER, &owner, &page, Guard::none());
                        Ok::<_, StoreError>(listed.await?.rows.len())
                    })
                });
                assert_eq!(rows.await.expect("a page"), OF_OWNER as usize);
            }
        };
        Times::of(callers, within, page).await
    }

    /// Returns the number of transactions that wrote the existing rows.
    pub(crate) fn transactions(&self, server: &Postgres) -> f64 {
        let versions = "SELECT count(DISTINCT version) FROM parafa_entries";
        let count = server.psql(&self.database, versions);
        count.trim().parse().expect("a number")
    }

    fn of(&self, caller: usize) -> &Store {
        &self.stores[caller % self.stores.len()]
    }
}

/// Returns the key of a row that exists from the beginning.
fn known(number: u32) -> Uuid {
    Uuid::from_u128(u128::from(number))
}

pub(crate) async fn database(url: &str) -> Database {
    let options = DatabaseOptions {
        url: url.to_owned(),
        connections: DatabaseOptions::DEFAULT_CONNECTIONS,
        tls: rustls::ClientConfig::builder()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth(),
    };
    Database::open(&options).await.expect("a database")
}

pub(crate) fn master() -> MasterKey {
    MasterKey::from_bytes([7; 32])
}

async fn store(url: &str) -> Store {
    let database = database(url).await;
    let clock = database.clock().await.expect("the database's time");
    let committers = PostgresEngine::DEFAULT_COMMITTERS;
    let engine = PostgresEngine::new(database, committers, Arc::new(clock));
    let store = Store::open(Arc::new(engine), &master(), StoreMode::Demo).await;
    store.expect("a store")
}

async fn insert(store: &Store, records: &[Record]) {
    let inserted = store.transact(|tx| {
        Box::pin(async move {
            for record in records {
                tx.insert(record).await?;
            }
            Ok::<_, StoreError>(())
        })
    });
    inserted.await.expect("rows are inserted");
}
