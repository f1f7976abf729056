//! Databases that are opened, and databases that are refused.

use std::time::{Duration, Instant};

use parafa_fixtures::tool;
use parafa_store::postgres::{Database, DatabaseError, MIGRATIONS, Weakness};
use parafa_test_services::{Pooler, Postgres, PostgresDatabase, Proxy, Traffic};

use super::{Distant, Host};
use crate::support::{Note, open, options_of, put_all, until};

async fn refusal_of(url: &str) -> DatabaseError {
    let looked = Database::look_at(&options_of(url)).await;
    let opened = Database::open(&options_of(url)).await;
    let refusal = opened.expect_err("it is refused");
    assert!(refusal.is_refusal(), "{refusal}");
    let looked = looked.expect_err("it is refused, without being opened");
    assert_eq!(looked.to_string(), refusal.to_string());
    refusal
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_that_start_at_once_on_an_empty_database_share_it() {
    for _ in 0..5 {
        let url = Postgres::shared().database().url;
        let starting = (0..4).map(|_| {
            let url = url.clone();
            tokio::spawn(async move { Host::at(&url).await })
        });
        let hosts = futures::future::try_join_all(starting).await;
        let hosts = hosts.expect("all start");

        put_all(&hosts[0].store, &[Note::new(1, 1)]).await;
        for host in &hosts {
            let found = host.store.get::<Note>(&uuid::Uuid::from_u128(1)).await;
            assert!(found.expect("a read").is_some(), "they share one store");
        }
        let look = Database::look_at(&options_of(&url)).await.expect("a look");
        assert_eq!(look.schema, i32::try_from(MIGRATIONS.len()).ok());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_waits_for_another_that_renews_the_tables_for_long() {
    let server = Postgres::shared();
    let database = server.database();
    for statement in [
        "CREATE TABLE parafa_schema (id integer PRIMARY KEY, version integer NOT NULL)",
        "INSERT INTO parafa_schema VALUES (1, 0)",
    ] {
        server.psql(&database.name, statement);
    }
    let name = database.name.clone();
    let renewing = tokio::task::spawn_blocking(move || {
        let long = "SELECT version FROM parafa_schema FOR UPDATE; SELECT pg_sleep(7)";
        Postgres::shared().psql(&name, long)
    });
    let asleep = "SELECT count(*) FROM pg_stat_activity \
                  WHERE wait_event = 'PgSleep' AND datname = current_database()";
    until(Duration::from_secs(10), "the other renews", async || {
        server.psql(&database.name, asleep).trim() == "1"
    })
    .await;

    let opened = Database::open(&options_of(&database.url)).await;

    assert!(opened.is_ok(), "{opened:?}");
    let still = server.psql(&database.name, asleep);
    assert_eq!(still.trim(), "0", "it waited for the other");
    renewing.await.expect("the other is done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_of_a_later_version_is_refused_and_left_as_it_is() {
    let server = Postgres::shared();
    let database = server.database();
    drop(Host::at(&database.url).await);
    server.psql(&database.name, "UPDATE parafa_schema SET version = 999");

    let refusal = refusal_of(&database.url).await;

    assert!(matches!(refusal, DatabaseError::TooNew { found: 999, .. }));
    assert!(
        refusal.to_string().contains("run that version"),
        "{refusal}"
    );
    let schema = server.psql(&database.name, "SELECT version FROM parafa_schema");
    assert_eq!(schema.trim(), "999");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_forgets_acknowledged_commits_is_refused() {
    let server = Postgres::shared();
    for forgetful in ["off", "local"] {
        let database = server.database();
        set_synchronous_commit(&database, forgetful);

        let refusal = refusal_of(&database.url).await;

        let named = format!("synchronous_commit {forgetful}");
        assert!(refusal.to_string().contains(&named), "{refusal}");
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
        assert_eq!(server.psql(&database.name, tables).trim(), "0");
    }
}

/// A connection as to another node, or after a change of the role.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_on_which_commits_are_forgotten_is_refused_whenever_it_is_made() {
    let database = Postgres::shared_database();
    let Distant { host, proxy } = Distant::at(&database.name).await;
    put_all(&host.store, &[Note::new(1, 1)]).await;
    set_synchronous_commit(&database, "local");

    proxy.cut();
    let got = host.store.get::<Note>(&uuid::Uuid::from_u128(1)).await;

    let refusal = got.expect_err("no connection is relied upon").to_string();
    assert!(refusal.contains("synchronous_commit local"), "{refusal}");
}

fn set_synchronous_commit(database: &PostgresDatabase, value: &str) {
    let set = format!(
        "ALTER DATABASE {} SET synchronous_commit = {value}",
        database.name
    );
    Postgres::shared().psql("postgres", &set);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_whose_standbys_acknowledge_what_they_have_not_written_is_warned_of() {
    let servers = tokio::task::spawn_blocking(Postgres::replicated);
    let servers = servers.await.expect("two servers");
    let primary = &servers.primary;
    let database = primary.database();
    let weaknesses = async || {
        let look = Database::look_at(&options_of(&database.url)).await;
        look.expect("a look").weaknesses
    };
    assert_eq!(weaknesses().await, [Weakness::NoFsync]);

    let set = format!(
        "ALTER DATABASE {} SET synchronous_commit = remote_write",
        database.name
    );
    primary.psql("postgres", &set);

    assert_eq!(
        weaknesses().await,
        [Weakness::NoFsync, Weakness::RemoteWrite]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_without_an_encoding_is_refused() {
    let options = "ENCODING 'SQL_ASCII' TEMPLATE template0";
    let database = Postgres::shared().database_with(options);

    let refusal = refusal_of(&database.url).await;

    assert!(matches!(refusal, DatabaseError::Encoding { .. }));
    assert!(refusal.to_string().contains("ENCODING 'UTF8'"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_alone_is_not_used() {
    let servers = tokio::task::spawn_blocking(Postgres::replicated);
    let servers = servers.await.expect("two servers");
    let database = servers.primary.database().name;
    let there = format!("SELECT count(*) FROM pg_database WHERE datname = '{database}'");
    until(Duration::from_secs(10), "the standby follows", async || {
        servers.standby.psql("postgres", &there).trim() == "1"
    })
    .await;

    let alone = Database::open(&options_of(&servers.standby.url(&database))).await;
    let with_primary = Database::open(&options_of(&servers.url(&database))).await;

    let refusal = alone.expect_err("it takes no writes");
    assert!(
        refusal.to_string().contains("does not allow writes"),
        "{refusal}"
    );
    assert!(with_primary.is_ok(), "{with_primary:?}");
}

/// A server that hangs still accepts connections, by its kernel.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_hang_do_not_keep_anybody_from_the_one_that_works() {
    let server = Postgres::shared();
    let database = server.database();
    let hanging = [Proxy::before(server.port()), Proxy::before(server.port())];
    for proxy in &hanging {
        proxy.set(Traffic::Swallowed);
    }
    let url = format!(
        "postgresql://parafa@127.0.0.1:{},127.0.0.1:{},127.0.0.1:{}/{}?sslmode=disable",
        hanging[0].port(),
        hanging[1].port(),
        server.port(),
        database.name,
    );

    let begun = Instant::now();
    let host = Host::at(&url).await;

    put_all(&host.store, &[Note::new(1, 1)]).await;
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
    assert!(open(host.engine).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pooler_by_session_is_worked_behind() {
    let Some(program) = tool::or_skip("pgbouncer", Pooler::program()) else {
        return;
    };
    let server = Postgres::shared();
    let pooler = Pooler::before(server, &program, "session");
    let url = pooler.url(&server.database().name);
    let hosts = [Host::at(&url).await, Host::at(&url).await];

    let writing = (0..64).map(|id: u128| {
        let store = hosts[usize::from(id.is_multiple_of(2))].store.clone();
        async move { put_all(&store, &[Note::new(id, 1)]).await }
    });
    futures::future::join_all(writing).await;

    for id in 0..64 {
        for host in &hosts {
            let found = host.store.get::<Note>(&uuid::Uuid::from_u128(id)).await;
            assert!(found.expect("a read").is_some(), "{id}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pooler_by_transaction_or_statement_is_refused() {
    let Some(program) = tool::or_skip("pgbouncer", Pooler::program()) else {
        return;
    };
    let server = Postgres::shared();
    for mode in ["transaction", "statement"] {
        let pooler = Pooler::before(server, &program, mode);

        let refusal = refusal_of(&pooler.url(&server.database().name)).await;

        assert!(matches!(refusal, DatabaseError::Pooled), "{refusal}");
    }
}
