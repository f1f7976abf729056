//! Clients that generators of others make of the served description, each used
//! as its readers would: a signing is created, waited for and downloaded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use parafa_fixtures::referees::{installed, python};
use parafa_fixtures::tool;
use tempfile::TempDir;

use crate::support::demo::Demo;
use crate::support::root;

#[tokio::test]
async fn a_client_in_python_creates_waits_and_downloads() {
    let Some(python) = python() else {
        return;
    };
    let caller = Caller::new().await;
    let client = caller.path("client");
    // It formats what it makes with a program that is beside it.
    let programs = python.parent().expect("a folder");
    run(Command::new(python.with_file_name("openapi-python-client"))
        .env("PATH", programs)
        .args(["generate", "--meta", "none", "--fail-on-warning"])
        .arg("--path")
        .arg(caller.path("openapi.json"))
        .arg("--output-path")
        .arg(client.join("parafa_client")));

    let mut script = Command::new(&python);
    script
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(root().join("tests/clients/python.py"))
        .arg(&client);
    caller.assert_downloads(&mut script).await;
}

#[tokio::test]
async fn a_client_in_typescript_creates_waits_and_downloads() {
    let modules = installed("typescript/node_modules");
    let Some(modules) = tool::or_skip("npm's packages", modules.is_dir().then_some(modules)) else {
        return;
    };
    let Some(node) = tool::program("node") else {
        return;
    };
    let caller = Caller::new().await;
    let sources = root().join("tests/clients/typescript");
    for file in ["main.ts", "package.json", "tsconfig.json"] {
        fs::copy(sources.join(file), caller.path(file)).expect("a copy");
    }
    std::os::unix::fs::symlink(&modules, caller.path("node_modules")).expect("a link");
    let tool = |name: &str| {
        let mut tool = Command::new(&node);
        tool.current_dir(caller.path(""))
            .arg(modules.join(".bin").join(name));
        tool
    };
    run(tool("openapi-typescript").args(["openapi.json", "--output", "api.d.ts"]));
    run(&mut tool("tsc"));

    let mut script = Command::new(&node);
    script.arg(caller.path("out/main.js"));
    caller.assert_downloads(&mut script).await;
}

/// A caller with a demo world, and what a client is made of and uses.
struct Caller {
    demo: Demo,
    folder: TempDir,
}

impl Caller {
    async fn new() -> Self {
        let demo = Demo::start();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let address = demo.world.base_url.join("openapi.json");
        let description = reqwest::get(address.expect("an address")).await;
        let description = description.expect("an answer").bytes().await;
        fs::write(
            folder.path().join("openapi.json"),
            description.expect("JSON"),
        )
        .expect("a file");
        let document = folder.path().join("contract.pdf");
        fs::write(document, parafa_fixtures::plain(1)).expect("a file");
        Self { demo, folder }
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a script that prints the digest of what it downloaded.
    async fn assert_downloads(&self, script: &mut Command) {
        let base = self.demo.world.base_url.as_str().trim_end_matches('/');
        script
            .env("NO_PROXY", "127.0.0.1")
            .arg(base)
            .arg(&self.demo.world.signing.test)
            .arg(self.path("contract.pdf"));
        let told = run(script);

        let list = reqwest::Client::new()
            .get(format!("{base}/v1/signings"))
            .bearer_auth(&self.demo.world.signing.test)
            .send()
            .await;
        let list: serde_json::Value = list.expect("an answer").json().await.expect("JSON");
        assert_eq!(list["data"].as_array().expect("signings").len(), 1);
        assert_eq!(told.trim(), list["data"][0]["document"]["sha256"], "{list}");
    }
}

/// What a program prints.
fn run(command: &mut Command) -> String {
    let program = command.get_program().to_owned();
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let [printed, errors] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(
        output.status.success(),
        "{}: {printed}{errors}",
        program.display()
    );
    printed.into_owned()
}
