mod file;
mod left;
mod stored;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use parafa_fixtures::DemoKeys;
use parafa_fixtures::built::compiled_plugins;
use parafa_test_services::{Postgres, S3, TemporaryDatabase};
use serde_json::Value;
use tempfile::TempDir;
use url::Url;

pub(crate) use self::file::{DemoFile, Persona, RelyingParty};
pub(crate) use self::left::LeftBehind;
pub(crate) use self::stored::Stored;
use super::client::{Ceremony, Signing, SigningClient};
use super::engine;
use super::metrics::Metrics;
use super::operator::text;
use super::root;

/// Time limit for a demo world's start.
const START: Duration = Duration::from_secs(120);
/// Log filter with more detail than operators use: even this log must not
/// identify signers.
const LOGGED: &str = "info,parafa=debug,tower_http=debug";
/// Path segments after `/c/` in routes, which are logged instead of paths.
const LOGGED_AFTER_C: [&str; 4] = ["{token}", "pair", "pairings", "card"];
const ANY_PORT: &str = "127.0.0.1:0";
/// Log lines that are shown when a test fails.
const SHOWN_LINES: usize = 60;

/// `parafa serve --demo` on a new data folder; it is killed on drop.
pub(crate) struct Demo {
    server: Child,
    /// Database, dropped after the server. Joined hosts share it.
    database: Option<TemporaryDatabase>,
    /// Dropped before the folder, from which it reads new keys.
    _keys: Option<DemoKeys>,
    folder: TempDir,
    start: Start,
    /// Content of its `demo.json`.
    pub(crate) world: DemoFile,
}

/// Parameters of every start of a server.
struct Start {
    /// `demo.json` of the host whose world it joins.
    join: Option<PathBuf>,
    /// Additional settings, as environment variables.
    settings: Vec<(String, String)>,
    /// Listening address, which its links contain.
    listen: String,
    /// The program, if it is not the built one.
    program: Option<PathBuf>,
}

impl Demo {
    /// Starts the server and waits until it is ready.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts the server with additional settings, as environment variables.
    pub(crate) fn start_with(settings: &[(&str, String)]) -> Self {
        let database = engine::is_database().then(Postgres::temporary_database);
        Self::start_on(database, settings)
    }

    /// Starts a server whose records are in a database. Servers that
    /// [`join`](Self::join) it share the database.
    pub(crate) fn start_shared() -> Self {
        Self::start_on(Some(Postgres::temporary_database()), &[])
    }

    /// Starts a server whose records are in a database, and whose documents are
    /// in this bucket.
    pub(crate) fn start_with_bucket(bucket: &S3) -> Self {
        let settings = in_bucket(bucket);
        let settings: Vec<_> = settings
            .iter()
            .map(|(name, value)| (&**name, value.clone()))
            .collect();
        Self::start_on(Some(Postgres::temporary_database()), &settings)
    }

    fn start_on(database: Option<TemporaryDatabase>, settings: &[(&str, String)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut start = Start::on(database.as_ref());
        // Other settings of the records still apply.
        let settings = settings.iter().cloned();
        start
            .settings
            .extend(settings.map(|(name, value)| (name.to_owned(), value)));
        Self::on_folder(folder, database, start)
    }

    /// Starts a server that joins this one's world, on a folder of its own. If
    /// this one's records are in a database, they are shared.
    pub(crate) fn join(&self) -> Self {
        let start = Start {
            join: Some(self.data().join("demo.json")),
            ..Start::on(None)
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self::on_folder(folder, None, start)
    }

    /// Starts a server on this folder that joins the world of this `demo.json`. It runs another
    /// build of the program or the built one, with additional settings as environment variables.
    pub(crate) fn joining(
        demo_json: &Path,
        folder: TempDir,
        program: Option<&Path>,
        settings: &[(&str, String)],
    ) -> Self {
        let mut start = Start::on(None);
        start.join = Some(demo_json.to_owned());
        start.program = program.map(Path::to_owned);
        let settings = settings.iter().cloned();
        start
            .settings
            .extend(settings.map(|(name, value)| (name.to_owned(), value)));
        Self::on_folder(folder, None, start)
    }

    /// Starts a server on data restored from a backup of this one, with this one's master key. It
    /// uses this one's world while it runs.
    pub(crate) fn restored(&self, backup: &Path) -> Self {
        self.restored_with(backup, &[])
    }

    /// Starts a server on a restored backup, which sends nothing until it is
    /// released.
    pub(crate) fn held(&self, backup: &Path) -> Self {
        self.restored_with(backup, &["--hold"])
    }

    fn restored_with(&self, backup: &Path, more: &[&str]) -> Self {
        if engine::is_database() {
            return self.restored_to(None, backup, more);
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let data = folder.path().join("data");
        let words = ["restore", text(backup), "--data", text(&data)];
        let output = parafa(words.iter().chain(more));
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}");
        assert!(told.contains("master.key"), "{told}");
        std::fs::copy(self.data().join("master.key"), data.join("master.key")).expect("a copy");
        Self::on_folder(folder, None, Start::on(None))
    }

    /// Starts a server on a new database restored from a backup of this one. It
    /// has this one's master key and world. Its documents go to a bucket, if
    /// one is given.
    pub(crate) fn restored_to_database(&self, backup: &Path, bucket: Option<&S3>) -> Self {
        self.restored_to(bucket, backup, &[])
    }

    fn restored_to(&self, bucket: Option<&S3>, backup: &Path, more: &[&str]) -> Self {
        let database = Postgres::temporary_database();
        let mut start = Start::on(Some(&database));
        if let Some(bucket) = bucket {
            start.settings.extend(in_bucket(bucket));
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let data = folder.path().join("data");
        std::fs::create_dir(&data).expect("a folder");
        std::fs::copy(self.data().join("master.key"), data.join("master.key")).expect("a copy");
        let restored = program()
            .args(["restore", text(backup), "--data", text(&data)])
            .args(more)
            .envs(start.settings.iter().cloned())
            .output()
            .expect("parafa starts");
        let told = String::from_utf8_lossy(&restored.stderr);
        assert!(restored.status.success(), "{told}");
        Self::on_folder(folder, Some(database), start)
    }

    fn on_folder(folder: TempDir, database: Option<TemporaryDatabase>, mut start: Start) -> Self {
        let own_world = start.join.is_none();
        let keys = own_world.then(|| DemoKeys::lent_to(&folder.path().join("data/world")));
        let server = start.server(folder.path());
        let world = world_in(folder.path());
        start.listen = world.base_url.authority().to_owned();
        Self {
            server,
            database,
            _keys: keys,
            folder,
            start,
            world,
        }
    }

    /// Kills the server at once (`kill -9`).
    pub(crate) fn kill(&mut self) {
        self.server.kill().expect("the server runs");
        self.server.wait().expect("the server ends");
    }

    /// Starts an ended server again, on the same folder and address.
    pub(crate) fn start_again(&mut self) {
        self.server = self.start.server(self.folder.path());
        // The operator's listener has another port.
        self.world = world_in(self.folder.path());
    }

    /// Starts it again with another build of the program, or with the built one.
    pub(crate) fn start_again_as(&mut self, program: Option<&Path>) {
        self.start.program = program.map(Path::to_owned);
        self.start_again();
    }

    /// Returns the exit status of the server, if it has ended.
    pub(crate) fn end(&mut self) -> Option<ExitStatus> {
        self.server.try_wait().expect("it is a child")
    }

    /// Starts it again with an additional setting, as an environment variable.
    pub(crate) fn start_again_with(&mut self, name: &str, value: &str) {
        let settings = &mut self.start.settings;
        settings.push((name.to_owned(), value.to_owned()));
        self.start_again();
    }

    /// Runs `parafa demo clock` with this step, such as `+2h`, in this server's
    /// world; returns the clock's lead, in seconds.
    pub(crate) fn move_clock(&self, step: &str) -> i64 {
        let data = self.data();
        let data = data.to_str().expect("a path in UTF-8");
        let output = parafa(["demo", "clock", step, "--json", "--data", data]);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
        });
        answer["offsetSeconds"].as_i64().expect("a number")
    }

    /// Counts the stored documents and data keys, including leftovers of erased
    /// rows.
    pub(crate) fn kept(&self) -> [usize; 2] {
        if let Some(database) = &self.database {
            return [1, 2].map(|kind| {
                let statement =
                    format!("SELECT count(DISTINCT id) FROM parafa_blobs WHERE kind = {kind}");
                database.psql(&statement).trim().parse().expect("a number")
            });
        }
        ["bytes", "keys"].map(|folder| {
            let entries = std::fs::read_dir(self.data().join(folder));
            entries.map_or(0, Iterator::count)
        })
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns the server's process id.
    pub(crate) fn process(&self) -> u32 {
        self.server.id()
    }

    /// Tells the server to stop, as an operator would.
    pub(crate) fn tell_to_stop(&self) {
        let pid = self.server.id().to_string();
        let told = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(told.expect("kill runs").success(), "the server runs");
    }

    /// Stops the server, waits for its end, and leaves its data folder.
    pub(crate) fn stop(&mut self) {
        self.tell_to_stop();
        let ended = self.server.wait().expect("the server ends");
        assert!(ended.success(), "the server ended with {ended}");
    }

    /// Returns a client with the live key of the demo workspace.
    pub(crate) fn signing(&self) -> SigningClient {
        SigningClient::new(self.world.base_url.clone(), &self.world.signing.live)
    }

    /// Returns a client with the test key of the demo workspace.
    pub(crate) fn sandbox(&self) -> SigningClient {
        SigningClient::new(self.world.base_url.clone(), &self.world.signing.test)
    }

    /// Returns the ceremony behind a link.
    pub(crate) fn ceremony(link: &Url) -> Ceremony {
        Ceremony::new(link.clone())
    }

    /// Signs as a signer, using the persona of the same number.
    pub(crate) async fn sign(&self, signing: &Signing, signer: usize) {
        let ceremony = Self::ceremony(signing.signers[signer].link());
        ceremony.sign(self.smart_id_personas("signs")[signer]).await;
    }

    /// Returns the Smart-ID personas with this outcome.
    pub(crate) fn smart_id_personas(&self, outcome: &str) -> Vec<&Persona> {
        let mut personas = self.personas("smart_id");
        personas.retain(|persona| persona.outcome == outcome);
        personas
    }

    /// Returns all personas with a method.
    pub(crate) fn personas(&self, method: &str) -> Vec<&Persona> {
        let personas = self.world.world.personas.iter();
        personas
            .filter(|persona| persona.methods.iter().any(|known| known == method))
            .collect()
    }

    pub(crate) fn persona(&self, id: &str) -> &Persona {
        let mut personas = self.world.world.personas.iter();
        personas
            .find(|persona| persona.id == id)
            .expect("a persona of this id")
    }

    /// Returns the server's metrics.
    pub(crate) async fn metrics(&self) -> Metrics {
        let address = self.world.operator_url.join("metrics").expect("a path");
        let asked = reqwest::Client::new().get(address);
        let asked = asked.header("accept", "application/openmetrics-text");
        let answer = asked.send().await.expect("an answer");
        assert!(answer.status().is_success(), "{}", answer.status());
        Metrics::new(answer.text().await.expect("text"))
    }

    /// Returns the status page of the operator's listener.
    pub(crate) async fn operator_page(&self) -> String {
        let answer = reqwest::get(self.world.operator_url.clone()).await;
        let answer = answer.expect("an answer");
        assert!(answer.status().is_success(), "{}", answer.status());
        answer.text().await.expect("text")
    }

    /// Returns the server's peak memory, in bytes (Linux).
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id()))
            .expect("the server runs");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
        1024 * kib.expect("a peak").parse::<u64>().expect("a number")
    }

    /// Returns a persona whose phone follows links.
    pub(crate) fn persona_who_scans(&self) -> &Persona {
        let personas = self.smart_id_personas("signs");
        personas
            .into_iter()
            .find(|persona| persona.personal_code == "40404040009")
            .expect("the published persona for device links")
    }

    /// Follows a device link with a persona's phone, as by a scan (`QR`) or in
    /// the page's own browser (`Web2App`); returns whether the phone accepted
    /// it.
    pub(crate) async fn follow(&self, link: &str, flow: &str, persona: &Persona) -> bool {
        let address = format!("{}/mock/device-link", self.world.world.smart_id);
        let body = serde_json::json!({
            "documentNumber": persona.document_number,
            "deviceLink": link,
            "flowType": flow,
        });
        let answer = reqwest::Client::new().post(address).json(&body).send();
        answer
            .await
            .expect("the demo world answers")
            .status()
            .is_success()
    }

    /// Asserts that no log line identifies a signer, or contains a key or the
    /// path of a link.
    fn assert_nobody_is_named(&self) {
        let log = self.log();
        let personas = &self.world.world.personas;
        let secrets = personas
            .iter()
            .flat_map(|persona| [&persona.personal_code, &persona.name])
            .chain(personas.iter().flat_map(|persona| &persona.phone_number))
            .chain([&self.world.signing.live, &self.world.signing.viewer])
            .chain([&self.world.auth.key_secret]);
        for secret in secrets {
            assert!(!log.contains(secret.as_str()), "{secret} is in the log");
        }
        for path in log.split("/c/").skip(1) {
            let is_part = |of: char| of.is_ascii_alphanumeric() || "-_{}".contains(of);
            let part = path.split(|of| !is_part(of)).next().unwrap_or_default();
            assert!(LOGGED_AFTER_C.contains(&part), "/c/{part} is in the log");
        }
    }

    /// Returns the whole log of the server so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        if thread::panicking() {
            eprintln!("the end of the server's log:\n{}", tail(self.folder.path()));
        } else {
            self.assert_nobody_is_named();
        }
    }
}

impl Start {
    /// Creates parameters for a server with its own world, and records in this
    /// database or else in the data folder.
    fn on(database: Option<&TemporaryDatabase>) -> Self {
        let settings = database.map(|database| on_database(database.url()));
        let settings = settings.into_iter().flatten();
        Self {
            join: None,
            settings: settings
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            listen: ANY_PORT.to_owned(),
            program: None,
        }
    }

    /// Starts a server with data and log in `folder`, and waits until it is
    /// ready.
    fn server(&self, folder: &Path) -> Child {
        let log = File::options()
            .create(true)
            .append(true)
            .open(folder.join("log"))
            .expect("a log file");
        let mut command = self.program.as_deref().map_or_else(program, program_at);
        command
            .args(["serve", "--demo", "--listen", &self.listen])
            .args(["--operator-listen", ANY_PORT, "--data"])
            .arg(folder.join("data"))
            .env("PARAFA_TELEMETRY__LOG", LOGGED)
            .envs(self.settings.iter().cloned());
        if let Some(demo_json) = &self.join {
            command.arg("--join").arg(demo_json);
        }
        if let Some(plugins) = self.program.as_deref().and_then(plugins_beside) {
            command.env("PARAFA_PLUGINS__FOLDER", plugins);
        }
        let mut server = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| {
                panic!(
                    "{:?}: {error}; run `cargo xtask test`",
                    command.get_program()
                )
            });

        let output = server.stdout.take().expect("stdout is piped");
        let (ready, is_ready) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if line.starts_with("listening on http://") {
                    let _ = ready.send(());
                }
            }
        });
        if is_ready.recv_timeout(START).is_err() {
            let _ = server.kill();
            panic!("the server did not say that it listens\n{}", tail(folder));
        }
        server
    }
}

/// Returns the settings of a server whose records are in the database at this
/// URL.
pub(crate) fn on_database(url: &str) -> [(&'static str, String); 2] {
    [
        ("PARAFA_STORE__ENGINE", "postgres".to_owned()),
        ("PARAFA_STORE__URL", url.to_owned()),
    ]
}

/// Returns the settings of a server whose documents are in this bucket.
fn in_bucket(bucket: &S3) -> Vec<(String, String)> {
    let mut settings = bucket.variables();
    settings.push(("PARAFA_OBJECTS__URL".to_owned(), bucket.url()));
    settings
}

/// Runs `parafa` with these arguments; returns its output.
pub(crate) fn parafa<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Output {
    program()
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("parafa starts")
}

/// Returns the command of the product. All of its processes share compiled
/// plugins, because compiling takes seconds.
pub(crate) fn program() -> Command {
    let binary = std::env::var_os("PARAFA_BIN");
    program_at(&binary.map_or_else(|| root().join("target/debug/parafa"), PathBuf::from))
}

/// Returns the command of another build.
fn program_at(binary: &Path) -> Command {
    let mut program = Command::new(binary);
    program.env("PARAFA_PLUGINS__CACHE", compiled_plugins());
    program
}

/// Returns the folder of plugins built along with a program, in cargo's layout.
fn plugins_beside(binary: &Path) -> Option<PathBuf> {
    let plugins = binary.parent()?.parent()?.join("plugins");
    plugins.is_dir().then_some(plugins)
}

/// Reads the `demo.json` of a server's folder.
fn world_in(folder: &Path) -> DemoFile {
    let file = std::fs::read(folder.join("data/demo.json"));
    let file = file.expect("demo.json is written before the server listens");
    serde_json::from_slice(&file).expect("demo.json has its documented members")
}

fn tail(folder: &Path) -> String {
    let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
}
