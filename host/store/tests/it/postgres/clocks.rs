//! Hosts whose machines' clocks differ.

use jiff::{SignedDuration, Timestamp};
use parafa_store::Engine;
use parafa_test_services::Postgres;

use super::Host;

/// Lag of the database's clock behind this machine's, which must not matter.
const BEHIND: SignedDuration = SignedDuration::from_hours(3);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_show_the_time_of_their_database_and_not_of_their_machine() {
    let server = Postgres::shared();
    let database = server.database();
    // A separate clock for this database: names without a schema are resolved in this
    // order.
    for statement in [
        "CREATE SCHEMA behind".to_owned(),
        "CREATE FUNCTION behind.clock_timestamp() RETURNS timestamptz LANGUAGE sql \
         AS $$ SELECT pg_catalog.clock_timestamp() - interval '3 hours' $$"
            .to_owned(),
        format!(
            "ALTER DATABASE {} SET search_path = public, behind, pg_catalog",
            database.name
        ),
    ] {
        server.psql(&database.name, &statement);
    }
    let hosts = [Host::at(&database.url).await, Host::at(&database.url).await];

    let machine = Timestamp::now();
    let mut shown = Vec::new();
    for host in &hosts {
        shown.push(host.engine.now().await.expect("the time"));
        let of_store = host.store.now().await.expect("the time");
        assert!(of_store.duration_since(shown[shown.len() - 1]) < SignedDuration::from_secs(2));
    }

    for time in &shown {
        let off = time.duration_since(machine - BEHIND).abs();
        assert!(off < SignedDuration::from_secs(2), "{off}");
    }
    let apart = shown[1].duration_since(shown[0]);
    assert!(apart.abs() < SignedDuration::from_secs(1), "{apart}");
}
