use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parafa_test_services::{Durability, Postgres, PostgresDatabase, Proxy};
use serde_json::{Value, json};

use super::disk::Disk;
use super::plan::Plan;
use crate::support::demo::Demo;

/// The hosts that are killed, and the world, which runs on. Dropped in this order.
pub(super) struct Deployment {
    pub(super) hosts: Vec<Demo>,
    pub(super) records: Records,
    pub(super) disk: Disk,
    /// A separate host with its own records.
    pub(super) world: Arc<Demo>,
}

/// The place of the hosts' records.
pub(super) enum Records {
    /// In files of the only host.
    Files,
    /// In a database, behind a connection that may fail.
    Database {
        line: Proxy,
        database: PostgresDatabase,
        server: Postgres,
    },
}

impl Deployment {
    pub(super) fn start(plan: &Plan) -> Self {
        let no_limit = || "4000000000".to_owned();
        let settings = [
            ("PARAFA_TELEMETRY__LOG", "info".to_owned()),
            ("PARAFA_LIMITS__READS_PER_MINUTE", no_limit()),
            ("PARAFA_LIMITS__WRITES_PER_MINUTE", no_limit()),
            // The hosts must meet a full disk in writes, not only in refusals.
            ("PARAFA_LIMITS__FREE_MEGABYTES", "0".to_owned()),
        ];
        let world = Demo::start_with(&settings[..1]);
        let records = Records::prepare(plan);
        let demo_json = match &records {
            Records::Files => world.data().join("demo.json"),
            Records::Database { line, database, .. } => {
                let url = line.url(&database.name);
                with_shared_records(&world, &url, &plan.folder)
            }
        };
        let disk = Disk::prepare(&plan.folder);
        let program = plan.other_binary.as_deref();
        let hosts = (0..plan.hosts)
            .map(|_| Demo::joining(&demo_json, disk.host_folder(), program, &settings))
            .collect();
        Self {
            hosts,
            records,
            disk,
            world: Arc::new(world),
        }
    }

    /// Returns the processes that write the records: a host's own, or those of the database.
    pub(super) fn writers(&self, host: usize) -> Vec<u32> {
        match &self.records {
            Records::Files => vec![self.hosts[host].process()],
            Records::Database { server, .. } => {
                server.wait();
                let told = server.psql("postgres", "SELECT pid FROM pg_stat_activity");
                told.lines().filter_map(|pid| pid.parse().ok()).collect()
            }
        }
    }

    /// Returns the sizes of records and documents together, and of the records alone, in bytes.
    pub(super) fn sizes(&self) -> (u64, u64) {
        match &self.records {
            Records::Files => {
                let data = self.hosts[0].data();
                (bytes_in(&data), bytes_in(&data.join("store")))
            }
            Records::Database {
                server, database, ..
            } => {
                let number = |statement: &str| {
                    let told = server.psql(&database.name, statement);
                    told.trim().parse().expect("a number")
                };
                (
                    number("SELECT pg_database_size(current_database())"),
                    number("SELECT pg_total_relation_size('parafa_entries')"),
                )
            }
        }
    }
}

impl Records {
    fn prepare(plan: &Plan) -> Self {
        if !plan.is_on_database {
            assert_eq!(plan.hosts, 1, "files are one host's");
            return Self::Files;
        }
        let server = Postgres::start(Durability::Full, &[]);
        Self::Database {
            line: Proxy::before(server.port()),
            database: server.database(),
            server,
        }
    }
}

/// Returns the `demo.json` of a world for hosts that share records other than its own.
fn with_shared_records(world: &Demo, url: &str, folder: &Path) -> PathBuf {
    let file = fs::read(world.data().join("demo.json")).expect("demo.json");
    let mut demo: Value = serde_json::from_slice(&file).expect("JSON");
    demo["store"] = json!({
        "url": url,
        "masterKeyFile": world.data().join("master.key"),
        "baseUrl": world.world.base_url.as_str(),
    });
    let path = folder.join("demo.json");
    fs::write(&path, demo.to_string()).expect("it is written");
    path
}

/// Returns the size of the files below a folder. Some may be removed meanwhile.
fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes_in(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
