//! A private PostgreSQL.

mod replicated;
mod script;
mod service;
mod tls;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

pub use self::replicated::Replicated;
pub(crate) use self::service::{Service, free_port};
pub use self::tls::Encrypted;

/// The database's user.
pub(crate) const USER: &str = "parafa";
/// Time limit for a server to start.
pub(crate) const START: Duration = Duration::from_secs(60);
/// Runs a server until the process at the other end of its standard input ends. Then it ends the
/// server by a signal and removes its folder.
pub(crate) const SUPERVISE: &str = r#"
folder=$1 signal=$2; shift 2
"$@" >"$folder/log" 2>&1 &
server=$!
cat >/dev/null
kill -$signal $server 2>/dev/null
wait $server
rm -rf "$folder"
"#;

/// The durability of a server's writes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Durability {
    /// As in production: for benches, and for tests that cut the power.
    Full,
    /// Only into the system's memory, which is faster and survives the server.
    None,
}

/// A running server with a cluster of its own.
#[derive(Debug)]
pub struct Postgres {
    supervisor: Child,
    folder: PathBuf,
    port: u16,
    service: Service,
}

/// A database of a test's own on a server that others share.
#[derive(Clone, Debug)]
pub struct PostgresDatabase {
    /// Its URL.
    pub url: String,
    /// Its name on the server.
    pub name: String,
}

/// A database that is emptied for the next user, even with connections left, because creating one
/// takes longer.
#[derive(Debug)]
pub struct TemporaryDatabase {
    server: &'static Postgres,
    database: PostgresDatabase,
}

/// Empty databases of the [`shared`](Postgres::shared) server.
static EMPTIED: Mutex<Vec<PostgresDatabase>> = Mutex::new(Vec::new());

impl TemporaryDatabase {
    /// Returns its URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.database.url
    }

    /// Runs a statement on it, and returns its output, a line for each row.
    ///
    /// # Panics
    /// When it is refused.
    pub fn psql(&self, statement: &str) -> String {
        self.server.psql(&self.database.name, statement)
    }
}

impl Drop for TemporaryDatabase {
    fn drop(&mut self) {
        const EMPTY: &str = "
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid();
            DROP SCHEMA public CASCADE;
            CREATE SCHEMA public;";
        let emptied = self.server.try_psql(&self.database.name, EMPTY);
        if matches!(emptied, Ok(Ok(_))) {
            let mut free = EMPTIED.lock().unwrap_or_else(PoisonError::into_inner);
            free.push(self.database.clone());
        }
    }
}

impl Postgres {
    /// Starts a server. Blocks until it accepts connections.
    ///
    /// # Panics
    /// When PostgreSQL is not installed or does not start.
    #[must_use]
    pub fn start(durability: Durability, parameters: &[(&str, &str)]) -> Self {
        Self::launch(durability, parameters, initialize)
    }

    /// Starts a server on the data that `make` puts into a folder.
    fn launch(
        durability: Durability,
        parameters: &[(&str, &str)],
        make: impl FnOnce(&Service, &Path),
    ) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("parafa-postgres-")
            .tempdir()
            .expect("a temporary folder")
            .keep();
        let service = Service::of(&folder);
        let data = folder.join("data");
        make(&service, &data);
        let port = free_port();
        let mut server = vec![
            service.program("postgres").into_os_string(),
            "-D".into(),
            data.into_os_string(),
            "-p".into(),
            port.to_string().into(),
        ];
        let mut set = |name: &str, value: &str| {
            server.extend(["-c".into(), format!("{name}={value}").into()]);
        };
        set("listen_addresses", "127.0.0.1");
        set("unix_socket_directories", "");
        set("max_connections", "300");
        if durability == Durability::None {
            set("fsync", "off");
            set("full_page_writes", "off");
        }
        for (name, value) in parameters {
            set(name, value);
        }
        let mut supervise = Command::new("sh");
        supervise
            .args(["-c", SUPERVISE, "sh"])
            .arg(&folder)
            .arg("QUIT")
            .args(server);
        let supervisor = service
            .command(&supervise)
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell");
        let started = Self {
            supervisor,
            folder,
            port,
            service,
        };
        started.wait();
        started
    }

    /// Creates a new, empty database on it.
    ///
    /// # Panics
    /// When the server refuses.
    #[must_use]
    pub fn database(&self) -> PostgresDatabase {
        self.database_with("")
    }

    /// Creates a database with options of `CREATE DATABASE`, such as `ENCODING 'SQL_ASCII'`.
    ///
    /// # Panics
    /// When the server refuses.
    #[must_use]
    pub fn database_with(&self, options: &str) -> PostgresDatabase {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.psql("postgres", &format!("CREATE DATABASE {name} {options}"));
        PostgresDatabase {
            url: self.url(&name),
            name,
        }
    }

    /// Returns the server that all tests of this process share.
    #[must_use]
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Postgres> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(Durability::None, &[]))
    }

    /// Creates a new, empty database on the [`shared`](Self::shared) server.
    #[must_use]
    pub fn shared_database() -> PostgresDatabase {
        Self::shared().database()
    }

    /// Returns a temporary database on the shared server, for tests that make many.
    #[must_use]
    pub fn temporary_database() -> TemporaryDatabase {
        let server = Self::shared();
        let emptied = EMPTIED.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let database = emptied.unwrap_or_else(|| server.database());
        TemporaryDatabase { server, database }
    }

    /// Returns the URL of one of its databases.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgresql://{USER}@127.0.0.1:{}/{database}", self.port)
    }

    /// Returns its port on the loopback address.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Stops it as a crash would: without a notice or a checkpoint. It does not start again.
    ///
    /// # Panics
    /// When it does not run.
    pub fn stop_immediately(&self) {
        self.control(&["stop", "--mode=immediate"]);
    }

    /// Has a standby take writes from now on.
    ///
    /// # Panics
    /// When it is none.
    pub fn promote(&self) {
        self.control(&["promote"]);
    }

    fn control(&self, arguments: &[&str]) {
        let mut control = Command::new(self.service.program("pg_ctl"));
        control
            .args(arguments)
            .args(["--wait", "--silent", "--pgdata"])
            .arg(self.folder.join("data"));
        self.service.run(&control);
    }

    /// Returns the command of a client program of PostgreSQL, such as `pgbench`.
    #[must_use]
    pub fn client_program(&self, name: &str) -> Command {
        Command::new(self.service.program(name))
    }

    /// Runs a statement as its owner, and returns its output, a line for each row.
    ///
    /// # Panics
    /// When it is refused.
    pub fn psql(&self, database: &str, statement: &str) -> String {
        let done = self.try_psql(database, statement).expect("psql");
        done.unwrap_or_else(|refusal| panic!("{statement}: {refusal}"))
    }

    /// Has a database of ours refuse writes, as on a full disk, or take them again.
    ///
    /// # Panics
    /// When it is so already.
    pub fn set_full(&self, database: &str, is_full: bool) {
        const FILL: &str = "
            CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
            CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON parafa_entries
                EXECUTE FUNCTION full_disk();
            CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON parafa_blobs
                EXECUTE FUNCTION full_disk();";
        const EMPTY: &str = "DROP FUNCTION full_disk() CASCADE";
        self.psql(database, if is_full { FILL } else { EMPTY });
    }

    fn try_psql(&self, database: &str, statement: &str) -> io::Result<Result<String, String>> {
        let done = self
            .client_program("psql")
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"])
            .args(["-c", statement])
            .arg(self.url(database))
            .output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(match done.status.success() {
            true => Ok(text(&done.stdout)),
            false => Err(text(&done.stderr)),
        })
    }

    /// Blocks until it accepts connections, as after the death of one of its processes.
    ///
    /// # Panics
    /// When it does not for long.
    pub fn wait(&self) {
        let begun = Instant::now();
        while !matches!(self.try_psql("postgres", "SELECT 1"), Ok(Ok(_))) {
            let log = || fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(
                begun.elapsed() < START,
                "PostgreSQL does not start: {}",
                log()
            );
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Makes an empty cluster.
fn initialize(service: &Service, data: &Path) {
    let mut init = Command::new(service.program("initdb"));
    init.arg("--pgdata")
        .arg(data)
        .args(["--username", USER, "--auth", "trust", "--encoding", "UTF8"])
        .args(["--locale", "C", "--no-sync", "--no-instructions"]);
    service.run(&init);
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        // The supervisor removes the folder.
        let _ = self.supervisor.wait();
    }
}
