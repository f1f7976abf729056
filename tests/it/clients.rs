//! Clients of `docs/clients`, generated from a server's description as their
//! pages say. Their tests pass with a demo, and the programs on their pages run
//! unchanged.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use memchr::memmem;
use parafa_fixtures::referees::{installed, python};
use parafa_fixtures::tool;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::demo::Demo;
use crate::support::root;

/// Files that developers of a client generate in their checkout, outside of the
/// repository.
const MADE: [&str; 6] = [
    "__pycache__",
    "api",
    "build",
    "demo",
    "dist",
    "node_modules",
];

#[test]
fn the_client_in_python_passes_its_tests_and_its_page_runs() {
    let Some(program) = python() else {
        return;
    };
    let client = Client::copied("python");
    let python = || {
        let mut python = client.command(&program);
        python
            .env("NO_PROXY", "127.0.0.1")
            .env("PYTHONDONTWRITEBYTECODE", "1");
        python
    };
    run(python().arg("generate.py").arg(client.base()));
    let told = run(python().args(["-m", "unittest"]));
    assert!(!told.contains("Ran 0 tests"), "{told}");
    client.write("page.py", client.programs("python"));
    client.assert_signs(&run(python().arg("page.py")));
}

#[test]
fn the_client_in_typescript_passes_its_tests_and_its_page_runs() {
    let modules = installed("typescript/node_modules");
    let Some(modules) = tool::or_skip("npm's packages", modules.is_dir().then_some(modules)) else {
        return;
    };
    let (Some(node), Some(npm)) = (tool::program("node"), tool::program("npm")) else {
        return;
    };
    let client = Client::copied("typescript");
    symlink(&modules, client.path("node_modules")).expect("a link");
    let script = |name: &str| {
        let mut npm = client.command(&npm);
        npm.env("npm_config_update_notifier", "false")
            .args(["run", "--silent", name]);
        npm
    };
    run(script("generate").arg("--").arg(client.base()));
    client.write("tests/page.ts", client.programs("ts"));
    run(&mut script("build"));
    run(&mut script("test"));
    client.assert_signs(&run(client.command(&node).arg("dist/tests/page.js")));
}

#[test]
fn the_clients_have_the_version_of_the_workspace() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, line) in [
        ("python/pyproject.toml", format!("version = \"{version}\"")),
        (
            "typescript/package.json",
            format!("\"version\": \"{version}\","),
        ),
    ] {
        let text = fs::read_to_string(clients().join(file)).expect("a package");
        assert!(text.lines().any(|found| found.trim() == line), "{file}");
    }
}

#[test]
fn the_clients_are_tested_with_the_published_vectors() {
    let vectors = fs::read(clients().join("vectors.json")).expect("vectors");
    let vectors: Value = serde_json::from_slice(&vectors).expect("JSON");
    for (vector, page) in [
        ("webhook", "api/http/src/documentation/vector.txt"),
        ("card", "docs/authentication.md"),
    ] {
        let page = fs::read_to_string(root().join(page)).expect("a page");
        for (name, value) in vectors[vector].as_object().expect("a vector") {
            let value = value.as_str().expect("a text");
            assert!(page.contains(value), "{vector}: {name}");
        }
    }
}

fn clients() -> PathBuf {
    root().join("docs/clients")
}

/// A copy of a client, with the prerequisites of its page: the data folder of a
/// demo, and a document.
struct Client {
    language: &'static str,
    demo: Demo,
    folder: TempDir,
}

impl Client {
    fn copied(language: &'static str) -> Self {
        let client = Self {
            language,
            demo: Demo::start(),
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        copy(&clients().join(language), &client.path(""));
        let vectors = "vectors.json";
        fs::copy(clients().join(vectors), client.folder.path().join(vectors)).expect("a copy");
        symlink(client.demo.data(), client.path("demo")).expect("a link");
        client.write("contract.pdf", parafa_fixtures::plain(1));
        client
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(self.language).join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("a file");
    }

    fn base(&self) -> &str {
        self.demo.world.base_url.as_str()
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path(""));
        command
    }

    /// Returns the programs of its page, concatenated.
    fn programs(&self, fence: &str) -> String {
        let page = fs::read_to_string(self.path("README.md")).expect("a page");
        let fence = format!("```{fence}\n");
        let programs = page.split(&fence).skip(1);
        programs
            .map(|rest| rest.split("```").next().expect("an end"))
            .collect()
    }

    /// Checks the output and the files of the page's programs.
    fn assert_signs(&self, told: &str) {
        let lines: Vec<_> = told.lines().collect();
        assert!(lines.len() > 6, "{told}");
        assert!(lines[0].contains("/c/"), "{told}");
        assert_eq!(lines[1], "completed", "{told}");
        assert!(lines[2].starts_with("signing."), "{told}");
        assert!(lines[3].starts_with("validation-failed"), "{told}");
        assert!(told.contains("PNOLT-40504040001"), "{told}");
        let signed = fs::read(self.path("signed.pdf")).expect("a signed document");
        assert!(memmem::find(&signed, b"/ETSI.CAdES.detached").is_some());
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (name, path) = (entry.file_name(), entry.path());
        if MADE.iter().any(|made| name == *made) {
            continue;
        }
        match path.is_dir() {
            true => copy(&path, &to.join(name)),
            false => {
                fs::copy(&path, to.join(name)).expect("a copy");
            }
        }
    }
}

/// Runs a program; returns its output, followed by its errors.
fn run(command: &mut Command) -> String {
    let program = command.get_program().to_owned();
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let told = [output.stdout, output.stderr].concat();
    let told = String::from_utf8_lossy(&told).into_owned();
    assert!(output.status.success(), "{}: {told}", program.display());
    told
}
