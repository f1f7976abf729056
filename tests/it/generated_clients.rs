//! Clients that generators of others make of the served descriptions, each used
//! as its readers would: something is created, waited for and downloaded, and
//! every answer of the synthetic set is read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parafa_fixtures::referees::{installed, python};
use parafa_fixtures::tool;
use tempfile::TempDir;

use crate::support::demo::Demo;
use crate::support::root;

/// One of the APIs: the name of its callers, and where it describes itself.
#[derive(Clone, Copy)]
struct Api {
    name: &'static str,
    description: &'static str,
}

const SIGNING: Api = Api {
    name: "signing",
    description: "openapi.json",
};
const DILIGENCE: Api = Api {
    name: "diligence",
    description: "dd/openapi.json",
};
const AUTHENTICATION: Api = Api {
    name: "authentication",
    description: "auth/openapi.json",
};

#[tokio::test]
async fn a_client_in_python_creates_waits_and_downloads() {
    let caller = Caller::new();
    let Some(script) = caller.in_python(SIGNING).await else {
        return;
    };
    caller.assert_downloads(script).await;
}

#[tokio::test]
async fn a_client_in_python_reads_every_answer_of_the_synthetic_set() {
    let caller = Caller::new();
    let Some(mut script) = caller.in_python(DILIGENCE).await else {
        return;
    };
    let told = run(script.arg(&caller.demo.world.diligence.test));
    let (answers, digest) = told.trim().split_once(' ').expect("two words");
    let answers: u32 = answers.parse().expect("a number");
    assert!(answers > 80, "{told}");
    assert_eq!(digest.len(), 64);
}

#[tokio::test]
async fn a_client_in_python_makes_reads_and_calls_off_an_authentication() {
    let caller = Caller::new();
    let Some(mut script) = caller.in_python(AUTHENTICATION).await else {
        return;
    };
    let told = run(script.args(caller.provider()));
    assert!(uuid::Uuid::try_parse(told.trim()).is_ok(), "{told}");
}

#[tokio::test]
async fn clients_in_typescript_create_read_and_download() {
    let modules = installed("typescript/node_modules");
    let Some(modules) = tool::or_skip("npm's packages", modules.is_dir().then_some(modules)) else {
        return;
    };
    let Some(node) = tool::program("node") else {
        return;
    };
    let caller = Caller::new();
    let sources = root().join("tests/clients/typescript");
    for file in fs::read_dir(&sources).expect("a folder") {
        let file = file.expect("a file").file_name();
        fs::copy(sources.join(&file), caller.path(&file)).expect("a copy");
    }
    std::os::unix::fs::symlink(&modules, caller.path("node_modules")).expect("a link");
    let tool = |name: &str| {
        let mut tool = Command::new(&node);
        tool.current_dir(caller.path(""))
            .arg(modules.join(".bin").join(name));
        tool
    };
    for api in [SIGNING, DILIGENCE, AUTHENTICATION] {
        let description = caller.description(api).await;
        let types = caller.path(format!("api/{}.d.ts", api.name));
        run(tool("openapi-typescript")
            .arg(description)
            .arg("--output")
            .arg(types));
    }
    run(&mut tool("tsc"));

    let script = |api: Api| {
        let mut script = Command::new(&node);
        script
            .env("NO_PROXY", "127.0.0.1")
            .arg(caller.path(format!("out/{}.js", api.name)))
            .arg(caller.base());
        script
    };
    caller.assert_downloads(script(SIGNING)).await;
    let told = run(script(DILIGENCE).arg(&caller.demo.world.diligence.test));
    assert_eq!(told.trim(), "200 0 awaiting_subject");
    let told = run(script(AUTHENTICATION).args(caller.provider()));
    assert!(uuid::Uuid::try_parse(told.trim()).is_ok(), "{told}");
}

/// A caller with a demo world, and what a client is made of and uses.
struct Caller {
    demo: Demo,
    folder: TempDir,
}

impl Caller {
    fn new() -> Self {
        Self {
            demo: Demo::start(),
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    fn base(&self) -> &str {
        self.demo.world.base_url.as_str().trim_end_matches('/')
    }

    /// The key of the relying party, and an origin of it.
    fn provider(&self) -> [String; 2] {
        let auth = &self.demo.world.auth;
        let key = format!("{}:{}", auth.key_id, auth.key_secret);
        [STANDARD.encode(key), auth.audience.clone()]
    }

    /// What an API describes itself as, in a file.
    async fn description(&self, api: Api) -> PathBuf {
        let address = self.demo.world.base_url.join(api.description);
        let description = reqwest::get(address.expect("an address")).await;
        let description = description.expect("an answer").bytes().await;
        let path = self.path(format!("{}.json", api.name));
        fs::write(&path, description.expect("JSON")).expect("a file");
        path
    }

    /// The caller of an API in Python, with a client that is made for it; none
    /// where there is nothing to make one with.
    async fn in_python(&self, api: Api) -> Option<Command> {
        let python = python()?;
        let client = self.path("client");
        // It formats what it makes with a program that is beside it.
        let programs = python.parent().expect("a folder");
        let clients = root().join("tests/clients");
        run(Command::new(python.with_file_name("openapi-python-client"))
            .env("PATH", programs)
            .args(["generate", "--meta", "none", "--fail-on-warning"])
            .arg("--config")
            .arg(clients.join("config.yml"))
            .arg("--path")
            .arg(self.description(api).await)
            .arg("--output-path")
            .arg(client.join("parafa_client")));
        let mut script = Command::new(&python);
        script
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("NO_PROXY", "127.0.0.1")
            .arg(clients.join(format!("{}.py", api.name)))
            .arg(&client)
            .arg(self.base());
        Some(script)
    }

    /// Runs a script that prints the digest of what it downloaded.
    async fn assert_downloads(&self, mut script: Command) {
        let document = self.path("contract.pdf");
        fs::write(&document, parafa_fixtures::plain(1)).expect("a file");
        let key = &self.demo.world.signing.test;
        let told = run(script.arg(key).arg(document));

        let list = reqwest::Client::new()
            .get(format!("{}/v1/signings", self.base()))
            .bearer_auth(key)
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
