use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bytes::Bytes;
use parafa_test_services::{Postgres, TemporaryDatabase, is_database};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;
use tempfile::TempDir;

/// File system in memory, on which a sync costs nothing.
const MEMORY: &str = "/dev/shm";
const LISTENING: &str = "listening on ";

/// `parafa serve --demo` on a new folder; it is killed on drop.
pub(crate) struct Server {
    process: Child,
    folder: TempDir,
    start: Start,
    /// Database of its records, unless they are in the data folder. Dropped
    /// after the process.
    pub(crate) database: Option<TemporaryDatabase>,
    base: String,
    demo: Value,
    http: Client,
}

/// Parameters of a server's start.
#[derive(Default)]
struct Start {
    /// `demo.json` of the world to join; without it, the server starts its own
    /// world.
    world: Option<PathBuf>,
    settings: Vec<(String, String)>,
    /// Limit of file descriptors.
    descriptors: Option<u32>,
}

/// Place of a server's data.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Disk {
    /// Disk of the checkout's build.
    Real,
    /// File system in memory.
    Memory,
}

impl Disk {
    /// Creates a folder in this place.
    pub(crate) fn folder(self) -> TempDir {
        let parent = match self {
            Self::Real => env!("CARGO_TARGET_TMPDIR"),
            Self::Memory => MEMORY,
        };
        tempfile::tempdir_in(parent).unwrap_or_else(|error| panic!("{parent}: {error}"))
    }

    /// Returns whether this machine has it.
    pub(crate) fn is_there(self) -> bool {
        self == Self::Real || Path::new(MEMORY).is_dir()
    }
}

impl Server {
    /// Starts a server and waits until it listens. Its records are in a
    /// database if the environment selects one.
    pub(crate) fn start(disk: Disk, settings: &[(&str, &str)]) -> Self {
        Self::start_within(None, disk, settings)
    }

    /// Starts a server with a limit of file descriptors.
    pub(crate) fn start_within(
        descriptors: Option<u32>,
        disk: Disk,
        settings: &[(&str, &str)],
    ) -> Self {
        let settings = settings.iter();
        let start = Start {
            world: None,
            settings: settings
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            descriptors,
        };
        Self::started(disk, start)
    }

    /// Starts a server in another one's world.
    pub(crate) fn join(world: &Self, disk: Disk) -> Self {
        let start = Start {
            world: Some(world.data().join("demo.json")),
            ..Start::default()
        };
        Self::started(disk, start)
    }

    fn started(disk: Disk, start: Start) -> Self {
        let folder = disk.folder();
        // A joining host shares the other one's database.
        let has_own = start.world.is_none() && is_database();
        let database = has_own.then(Postgres::temporary_database);
        let (process, base) = spawn(&folder.path().join("data"), &start, database.as_ref());
        let file = fs::read(folder.path().join("data/demo.json")).expect("demo.json");
        Self {
            process,
            start,
            database,
            base,
            demo: serde_json::from_slice(&file).expect("JSON"),
            http: Client::builder().no_proxy().build().expect("a client"),
            folder,
        }
    }

    /// Stops the server, runs `work` on its data folder, and starts it again.
    pub(crate) async fn pause<F: Future>(&mut self, work: impl FnOnce(PathBuf) -> F) -> F::Output {
        let pid = self.process.id().to_string();
        let told = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(told.expect("kill runs").success(), "the server runs");
        self.process.wait().expect("the server ends");
        let done = work(self.data()).await;
        (self.process, self.base) = spawn(&self.data(), &self.start, self.database.as_ref());
        done
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns a member of `demo.json`.
    pub(crate) fn demo(&self, pointer: &str) -> &str {
        let member = self.demo.pointer(pointer).and_then(Value::as_str);
        member.expect("demo.json has it")
    }

    pub(crate) fn address(&self, path: &str) -> String {
        format!("{}/{path}", self.base)
    }

    /// Returns a client for calls without the signing API's key.
    pub(crate) fn http(&self) -> &Client {
        &self.http
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.request(Method::GET, path)
    }

    /// Starts a POST with a JSON body.
    pub(crate) fn post(&self, path: &str, body: Bytes) -> RequestBuilder {
        self.request(Method::POST, path)
            .header(CONTENT_TYPE, "application/json")
            .body(body)
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.request_by("/signing/live", method, path)
    }

    /// Starts a request with the key at this place of `demo.json`.
    pub(crate) fn request_by(&self, key: &str, method: Method, path: &str) -> RequestBuilder {
        self.http
            .request(method, self.address(path))
            .bearer_auth(self.demo(key))
    }

    /// Starts a POST of a JSON body to a signer's link.
    pub(crate) fn post_by_link(&self, address: &str, body: Bytes) -> RequestBuilder {
        let request = self.http.post(address).body(body);
        request.header(CONTENT_TYPE, "application/json")
    }

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Returns the CPU time used so far.
    pub(crate) fn processor(&self) -> Duration {
        const TICKS_A_SECOND: u64 = 100;
        const USER_AND_SYSTEM: std::ops::Range<usize> = 11..13;

        let status = fs::read_to_string(format!("/proc/{}/stat", self.process.id()));
        let status = status.expect("the server runs");
        let (_, fields) = status.rsplit_once(')').expect("the program's name");
        let fields: Vec<_> = fields.split_whitespace().collect();
        let ticks = fields[USER_AND_SYSTEM].iter();
        let ticks: u64 = ticks
            .map(|ticks| ticks.parse::<u64>().expect("a number"))
            .sum();
        Duration::from_millis(1000 * ticks / TICKS_A_SECOND)
    }

    /// Returns the number of voluntary context switches of its threads.
    pub(crate) fn switches(&self) -> f64 {
        let threads = fs::read_dir(format!("/proc/{}/task", self.process.id()));
        let threads = threads.expect("our own child").flatten();
        let of_thread = |thread: fs::DirEntry| {
            let status = fs::read_to_string(thread.path().join("status")).ok()?;
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
            line.trim().parse::<f64>().ok()
        };
        threads.filter_map(of_thread).sum()
    }

    /// Returns the number of open sockets.
    pub(crate) fn sockets(&self) -> usize {
        let open = fs::read_dir(format!("/proc/{}/fd", self.process.id()));
        let open = open.expect("our own child").flatten();
        let names = open.filter_map(|entry| fs::read_link(entry.path()).ok());
        names
            .filter(|name| name.to_string_lossy().starts_with("socket:"))
            .count()
    }

    /// Resets [`peak`](Self::peak).
    pub(crate) fn forget_peak(&self) {
        const PEAK: &str = "5";

        fs::write(format!("/proc/{}/clear_refs", self.process.id()), PEAK).expect("our own child");
    }

    /// Returns the current resident memory, in bytes.
    pub(crate) fn resident(&self) -> usize {
        self.status("VmRSS:")
    }

    /// Returns the peak resident memory, in bytes.
    pub(crate) fn peak(&self) -> usize {
        self.status("VmHWM:")
    }

    fn status(&self, name: &str) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.expect("the server runs");
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
        1024 * kib.expect("a size").parse::<usize>().expect("a number")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Sends a request and returns the JSON body; panics on a failure.
pub(crate) async fn answer(request: RequestBuilder) -> Value {
    let response = request.send().await.expect("the server answers");
    let status = response.status();
    let body = response.bytes().await.expect("the body");
    assert!(
        status.is_success(),
        "{status}: {}",
        String::from_utf8_lossy(&body)
    );
    serde_json::from_slice(&body).expect("JSON")
}

fn spawn(data: &Path, start: &Start, database: Option<&TemporaryDatabase>) -> (Child, String) {
    const ANY_PORT: &str = "127.0.0.1:0";
    const NO_LIMIT: &str = "4000000000";

    let mut command = match start.descriptors {
        None => program(),
        Some(limit) => {
            let mut shell = Command::new("sh");
            let limited = format!("ulimit -n {limit} && exec \"$0\" \"$@\"");
            shell.args(["-c", &limited]).arg(program().get_program());
            shell
        }
    };
    let mut process = command
        .args([
            "serve",
            "--demo",
            "--listen",
            ANY_PORT,
            "--operator-listen",
            ANY_PORT,
            "--data",
        ])
        .arg(data)
        .args(
            start
                .world
                .iter()
                .flat_map(|world| [Path::new("--join"), world]),
        )
        .env("PARAFA_TELEMETRY__LOG", "error")
        .env("PARAFA_LIMITS__READS_PER_MINUTE", NO_LIMIT)
        .env("PARAFA_LIMITS__WRITES_PER_MINUTE", NO_LIMIT)
        .envs(database.into_iter().flat_map(|database| {
            [
                ("PARAFA_STORE__ENGINE", "postgres"),
                ("PARAFA_STORE__URL", database.url()),
            ]
        }))
        .envs(start.settings.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            let program = command.get_program();
            panic!("{}: {error}; run `cargo xtask bench`", program.display())
        });
    let output = process.stdout.take().expect("stdout is piped");
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let base = lines.find_map(|line| Some(line.strip_prefix(LISTENING)?.to_owned()));
    let base = base.expect("the server says where it listens");
    // Further output is discarded, and must not block on a reader.
    std::thread::spawn(move || lines.for_each(drop));
    (process, base)
}

/// Returns the command of the product.
pub(crate) fn program() -> Command {
    Command::new(std::env::var_os("PARAFA_BIN").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/parafa"),
        PathBuf::from,
    ))
}
