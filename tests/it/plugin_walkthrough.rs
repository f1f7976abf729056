//! From nothing to an installed plugin, by the commands of `docs/plugins.md` as written there.

mod example;
mod reproducible;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::client::Refused;
use crate::support::demo::{Demo, parafa, program};
use crate::support::operator::{answer, done, text};
use crate::support::root;

/// The installed cargo builds it from the SDK's bundle alone, without the checkout or a registry.
#[tokio::test]
async fn a_new_plugin_builds_on_its_own_and_is_taken_into_use_for_what_it_can_do() {
    let further = ("PARAFA_PLUGINS__EXTENSIONS", "saskaita".to_owned());
    let demo = Demo::start_with(&[further]);
    let workshop = Workshop::open("saskaita");

    let told = workshop.follow("Begin one", &demo.data());

    let tested = told_by(&told, "cargo test");
    assert!(tested.contains("test result: ok. 2 passed"), "{tested}");
    let checked = told_by(&told, "parafa plugin check");
    assert!(checked.contains("\nadmissible\n"), "{checked}");
    assert!(
        checked.contains(", .saskaita (callers can post it"),
        "{checked}"
    );
    let packages = checked.lines().find(|line| line.starts_with("packages "));
    let packages = packages.expect("a list");
    assert!(packages.contains("parafa-plugin-sdk 1."), "{packages}");
    assert!(
        packages.contains("saskaita-plugin 0.1.0 (local)"),
        "{packages}"
    );
    let played = told_by(&told, "parafa plugin test");
    assert!(played.contains("1 passed"), "{played}");
    let run = told_by(&told, "parafa plugin run");
    assert!(run.contains("application/x-saskaita"), "{run}");
    let wasm = workshop.plugin().join("plugin.wasm");
    let played = answer(&parafa(["plugin", "test", text(&wasm), "--json"]));
    assert!(played["passed"].as_u64() > Some(0), "{played}");
    assert_eq!(played["failed"], 0, "{played}");

    let listed = done(&demo.data(), &["plugin", "list"]);
    let is_new = |version: &&Value| version["id"] == "saskaita";
    let mut listed = listed.as_array().expect("a list").iter();
    let installed = listed.find(is_new).expect("it is installed");
    assert_eq!(installed["active"], true);
    assert!(installed["publisher"].is_string(), "{installed}");
    let refused = post(&demo, "sutartis.saskaita").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert_eq!(refused.problem.name(), "document-refused");
    assert!(
        refused.problem.detail.contains("signs documents of this"),
        "{refused:?}"
    );
    let document = workshop.plugin().join("sutartis.saskaita");
    fs::write(&document, "Labas.\n").expect("written");
    let run = done(&demo.data(), &["plugin", "run", "inspect", text(&document)]);
    assert_eq!(run["plugin"], "saskaita");
    assert_eq!(
        run["outcome"]["mediaType"], "application/x-saskaita",
        "{run}"
    );
}

#[test]
fn a_new_plugin_that_signs_builds_on_its_own_and_passes_the_kit() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let workshop = Workshop::open("sutartis");

    let told = workshop.follow("Sign", data.path());

    let tested = told_by(&told, "cargo test");
    assert!(tested.contains("test result: ok. 3 passed"), "{tested}");
    let played = told_by(&told, "parafa plugin test");
    assert!(played.contains("3 passed"), "{played}");
    let verified = told_by(&told, "parafa plugin run verify");
    let verified: Value = serde_json::from_str(verified).expect("JSON");
    let signature = &verified["outcome"]["signatures"][0];
    assert_eq!(signature["integrity"], "intact", "{verified}");
    assert_eq!(signature["level"], "sutartis-B-T", "{verified}");
    assert_eq!(signature["timestamps"][0]["status"], "intact", "{verified}");
}

#[tokio::test]
async fn a_format_with_an_extension_of_its_own_is_out_of_callers_reach_unless_a_setting_lists_it() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let begin = |name: &str| folder.path().join(name);
    let [own, named, told] = ["saskaita", "sutartis", "aktas"].map(begin);

    let of_its_own = answer(&parafa(["plugin", "new", text(&own), "--json"]));
    let of_the_api = ["plugin", "new", text(&named), "--extension", ".ASICE"];
    let of_the_api = answer(&parafa(of_the_api.into_iter().chain(["--json"])));
    let told = parafa(["plugin", "new", text(&told)]);

    assert_eq!(
        (&of_its_own["extension"], &of_its_own["postable"]),
        (&json!("saskaita"), &json!(false))
    );
    assert_eq!(
        (&of_the_api["extension"], &of_the_api["postable"]),
        (&json!("asice"), &json!(true))
    );
    let told = String::from_utf8_lossy(&told.stdout);
    assert!(told.contains("callers can post .aktas where"), "{told}");
    let refused = post(&demo, "sutartis.saskaita").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert_eq!(refused.problem.name(), "validation-failed");
}

/// The guide for authors of plugins.
const GUIDE: &str = "docs/plugins.md";
/// The bundle of the SDK, as the guide names it.
const BUNDLE: &str = "parafa-plugin-sdk-1.0.0";

async fn post(demo: &Demo, name: &str) -> Refused {
    let signers = json!([{"email": "ona@example.lt"}]);
    let created = demo.signing().try_create(name, b"Labas.\n", signers).await;
    created.expect_err("it is not taken")
}

/// A command line and its output.
struct Printed {
    line: String,
    stdout: String,
}

fn told_by<'t>(told: &'t [Printed], begin: &str) -> &'t str {
    let told = told.iter().find(|told| told.line.starts_with(begin));
    &told.expect("there is such a line").stdout
}

/// The folder of new plugins, one after the other, outside this checkout. Its path is constant, so
/// that builds of third-party crates are reused by the next plugin and the next run.
struct Workshop {
    folder: PathBuf,
    plugin: &'static str,
    _turn: MutexGuard<'static, ()>,
}

impl Workshop {
    fn open(plugin: &'static str) -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let checkout = Sha256::digest(root().as_os_str().as_encoded_bytes());
        let name = format!("parafa-new-plugins-{}", hex::encode(&checkout[..4]));
        let workshop = Self {
            folder: env::temp_dir().join(name),
            plugin,
            _turn: turn,
        };
        let bundle = root().join("target/sdk").join(BUNDLE);
        workshop.forget_another(&bundle);
        fs::create_dir_all(workshop.built()).expect("a folder");
        for made in [workshop.plugin(), workshop.folder.join("keys")] {
            if made.exists() {
                fs::remove_dir_all(&made).expect("it is removed");
            }
        }
        let unpacked = workshop.folder.join(BUNDLE);
        if !unpacked.exists() {
            symlink(bundle, unpacked).expect("a link");
        }
        workshop
    }

    fn plugin(&self) -> PathBuf {
        self.folder.join(self.plugin)
    }

    /// Removes the build of another bundle: Cargo does not rebuild packages of a directory source
    /// while their version is the same.
    fn forget_another(&self, bundle: &Path) {
        let (checksums, last) = (checksums(bundle), self.folder.join("checksums"));
        if fs::read_to_string(&last).is_ok_and(|last| last == checksums) {
            return;
        }
        if self.built().exists() {
            fs::remove_dir_all(self.built()).expect("it is removed");
        }
        fs::create_dir_all(&self.folder).expect("a folder");
        fs::write(last, checksums).expect("written");
    }

    /// Returns the target folder of all plugins.
    fn built(&self) -> PathBuf {
        self.folder.join("built")
    }

    /// Types the commands of a section of the guide.
    fn follow(&self, section: &str, data: &Path) -> Vec<Printed> {
        self.enter(commands(GUIDE, section), data)
    }

    /// Types commands at a shell, in the author's home, for a server with this data folder.
    fn enter(&self, commands: Vec<String>, data: &Path) -> Vec<Printed> {
        let mut told = Vec::new();
        let mut folder = self.folder.clone();
        for line in commands {
            if let Some(next) = line.strip_prefix("cd ") {
                folder.push(next);
                symlink(self.built(), folder.join("target")).expect("a link");
                let settings = format!("[store]\ndata = {:?}\n", text(data));
                fs::write(folder.join("parafa.toml"), settings).expect("written");
                continue;
            }
            let output = self.run(&line, &folder);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{line}\n{stderr}");
            let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
            told.push(Printed { line, stdout });
        }
        told
    }

    fn run(&self, line: &str, folder: &Path) -> Output {
        let output = self.shell(line, folder).output();
        output.expect("there is a shell")
    }

    /// Returns a shell with a command line.
    fn shell(&self, line: &str, folder: &Path) -> Command {
        let home = env::home_dir().expect("a home");
        let rustup = env::var_os("RUSTUP_HOME").unwrap_or_else(|| home.join(".rustup").into());
        let parafa = program();
        let mut shell = Command::new("sh");
        for (name, value) in parafa.get_envs() {
            shell.env(name, value.expect("nothing is taken away"));
        }
        shell
            .args(["-c", line])
            .current_dir(folder)
            .env("PATH", path(Path::new(parafa.get_program())))
            .env("HOME", &self.folder)
            .env("CARGO_HOME", self.folder.join("empty"))
            .env("RUSTUP_HOME", rustup)
            .env("CARGO_NET_OFFLINE", "true")
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("CARGO_TARGET_DIR");
        shell
    }
}

/// Copies parts of a plugin's folder into a new one.
fn copy(from: &Path, parts: &[&str], to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for part in parts {
        let mut cp = Command::new("cp");
        let copied = cp.arg("-R").arg(from.join(part)).arg(to).status();
        assert!(copied.expect("cp").success(), "{part}");
    }
}

/// Returns the checksums of our packages in a bundle.
fn checksums(bundle: &Path) -> String {
    let packages = fs::read_dir(bundle).expect("the bundle, which `cargo xtask sdk` makes");
    let packages = packages.map(|entry| entry.expect("an entry"));
    let mut ours: Vec<PathBuf> = packages
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("parafa-"))
        .map(|entry| entry.path().join(".cargo-checksum.json"))
        .collect();
    ours.sort();
    let texts = ours.iter().map(fs::read_to_string);
    texts.collect::<Result<_, _>>().expect("checksums")
}

/// Returns the `PATH` of the product, and of the cargo that runs this test.
fn path(parafa: &Path) -> OsString {
    let cargo = env::var_os("CARGO").map(PathBuf::from);
    let programs = [Some(parafa), cargo.as_deref()];
    let folders = programs.into_iter().flatten().filter_map(Path::parent);
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = folders.map(Path::to_owned).chain(env::split_paths(&path));
    env::join_paths(folders).expect("a path")
}

/// Returns the lines of the first block of commands in a section of a page.
fn commands(page: &str, section: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join(page)).expect("a page");
    let heading = format!("## {section}");
    let lines = page.lines().skip_while(|line| *line != heading).skip(1);
    let block = lines.skip_while(|line| *line != "```").skip(1);
    let commands = block.take_while(|line| *line != "```");
    commands
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}
