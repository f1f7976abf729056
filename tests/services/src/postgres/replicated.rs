//! A primary, and a standby that has every commit before it is acknowledged.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::{Durability, Postgres, START, USER};

/// The standby's name.
const STANDBY: &str = "standby";

/// Two servers; the second has everything that the first acknowledges.
#[derive(Debug)]
pub struct Replicated {
    /// Accepts writes, until it is stopped.
    pub primary: Postgres,
    /// Accepts only reads, until it is promoted.
    pub standby: Postgres,
}

impl Postgres {
    /// Starts a primary and a hot standby to which it replicates synchronously.
    ///
    /// # Panics
    /// When PostgreSQL is not installed or does not start.
    #[must_use]
    pub fn replicated() -> Replicated {
        let primary = Self::start(Durability::None, &[]);
        let source = format!(
            "host=127.0.0.1 port={} user={USER} application_name={STANDBY}",
            primary.port
        );
        let standby = Self::launch(Durability::None, &[], |service, data| {
            let mut copy = Command::new(service.program("pg_basebackup"));
            copy.args(["--checkpoint=fast", "--no-sync", "--write-recovery-conf"])
                .args(["--dbname", &source, "--pgdata"])
                .arg(data);
            service.run(&copy);
        });
        let to_standby = format!("ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'");
        primary.psql("postgres", &to_standby);
        primary.psql("postgres", "SELECT pg_reload_conf()");
        let replicated = Replicated { primary, standby };
        replicated.wait();
        replicated
    }
}

impl Replicated {
    /// Returns the URL of a database on the server that accepts writes.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        let [primary, standby] = [&self.primary, &self.standby].map(Postgres::port);
        format!("postgresql://{USER}@127.0.0.1:{primary},127.0.0.1:{standby}/{database}")
    }

    /// Waits until no commit is acknowledged without the standby.
    fn wait(&self) {
        let begun = Instant::now();
        let states = "SELECT sync_state FROM pg_stat_replication";
        while self.primary.psql("postgres", states).trim() != "sync" {
            assert!(begun.elapsed() < START, "the standby does not follow");
            thread::sleep(Duration::from_millis(50));
        }
    }
}
