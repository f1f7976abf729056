//! pgbouncer.

use std::fs;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, io};

use crate::Postgres;
use crate::postgres::{START, SUPERVISE, Service, USER, free_port};

/// The folder where it may be, beside those of `PATH`.
const DEBIAN: &str = "/usr/sbin";

/// A pooler of connections in front of a PostgreSQL.
#[derive(Debug)]
pub struct Pooler {
    supervisor: Child,
    port: u16,
}

impl Pooler {
    /// Returns the path where it is installed.
    #[must_use]
    pub fn program() -> Option<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path)
            .chain([DEBIAN.into()])
            .map(|folder| folder.join("pgbouncer"))
            .find(|program| program.is_file())
    }

    /// Starts a pooler that assigns connections for a `session`, a `transaction` or a `statement`.
    /// Blocks until it accepts connections.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn before(server: &Postgres, program: &PathBuf, mode: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("parafa-pooler-")
            .tempdir()
            .expect("a temporary folder")
            .keep();
        let service = Service::of(&folder);
        let port = free_port();
        let settings = format!(
            "[databases]\n* = host=127.0.0.1 port={} user={USER}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = any\npool_mode = {mode}\n",
            server.port(),
        );
        let file = folder.join("settings.ini");
        fs::write(&file, settings).expect("its settings");
        let mut supervise = Command::new("sh");
        supervise
            .args(["-c", SUPERVISE, "sh"])
            .arg(&folder)
            .arg("TERM")
            .args([program, &file]);
        let supervisor = service
            .command(&supervise)
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell");
        let started = Self { supervisor, port };
        let begun = Instant::now();
        while started.connected().is_err() {
            assert!(begun.elapsed() < START, "pgbouncer does not start");
            thread::sleep(Duration::from_millis(20));
        }
        started
    }

    fn connected(&self) -> io::Result<TcpStream> {
        TcpStream::connect(("127.0.0.1", self.port))
    }

    /// Returns the URL of a database behind it.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgresql://{USER}@127.0.0.1:{}/{database}", self.port)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        // The supervisor removes the folder.
        let _ = self.supervisor.wait();
    }
}
