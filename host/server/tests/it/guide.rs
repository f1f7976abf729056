//! Commands in the guide to plugins, executed as written.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use parafa_fixtures::built::{compiled_plugins, plugins};

use crate::support::{Documents, component};

const DESCRIPTION: &str = r#"{
    "title": "Sutartis", "language": "lt",
    "content": [{"type": "paragraph", "text": "Labas."}]
}"#;

/// Shell in a folder with documents and components.
struct Reader {
    documents: Documents,
}

impl Reader {
    fn new() -> Self {
        let documents = Documents::new();
        documents.add("a.pdf", parafa_fixtures::plain(1));
        documents.add("d.json", DESCRIPTION);
        let mut own = fs::read(component("pdf.wasm")).unwrap();
        // A custom section: its length, the length of its name, the name.
        own.extend([0, 5, 4]);
        own.extend(*b"made");
        documents.add("my.wasm", &own);
        documents.add("plugin.wasm", &own);
        fs::create_dir(documents.path("data")).unwrap();
        Self { documents }
    }

    /// Executes every line of the commands of a section.
    fn follow(&self, section: &str) {
        let commands = commands(section);
        assert!(!commands.is_empty(), "{section}: there are no commands");
        for line in commands {
            let output = self.run(&line);
            assert!(output.status.success(), "{line}: {output:?}");
        }
    }

    fn run(&self, line: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_parafa")).parent().unwrap();
        let path = env::var_os("PATH").unwrap_or_default();
        let path = [program.to_owned()]
            .into_iter()
            .chain(env::split_paths(&path));
        Command::new("sh")
            .args(["-c", line])
            .current_dir(self.documents.path(""))
            .env("PATH", env::join_paths(path).unwrap())
            .env("HOME", self.documents.path(""))
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env("PARAFA_PLUGINS__CACHE", compiled_plugins())
            .env("PARAFA_PLUGINS__FOLDER", plugins())
            .env(
                "PARAFA_SECRETS__MASTER_KEY_FILE",
                self.documents.path("master.key"),
            )
            .env("PARAFA_STORE__DATA", self.documents.path("data"))
            .output()
            .unwrap()
    }
}

/// Returns the lines of the first block of commands of a section of
/// `docs/plugins.md`.
fn commands(section: &str) -> Vec<String> {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plugins.md");
    let guide = fs::read_to_string(guide).unwrap();
    let heading = format!("## {section}");
    let lines = guide.lines().skip_while(|line| *line != heading).skip(1);
    let lines = lines.take_while(|line| !line.starts_with("## "));
    let block = lines.skip_while(|line| *line != "```").skip(1);
    block
        .take_while(|line| *line != "```")
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_plugin_can_be_looked_at_as_the_guide_says() {
    let reader = Reader::new();

    reader.follow("Look at it");

    for made in ["b.pdf", "c.pdf", "d.pdf", "f.pdf"] {
        let document = fs::read(reader.documents.path(made)).unwrap();
        assert!(document.starts_with(b"%PDF-"), "{made}");
    }
}

#[test]
fn a_plugin_can_be_published_and_taken_into_use_as_the_guide_says() {
    let reader = Reader::new();

    reader.follow("Publish it");
    let [made, given] = ["keys/publisher.pub", "publisher.pub"];
    fs::copy(reader.documents.path(made), reader.documents.path(given)).unwrap();
    reader.follow("Take it into use");

    let listed = reader.run("parafa plugin list --json");
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let is_installed = |version: &serde_json::Value| version["publisher"].is_string();
    let installed = listed
        .as_array()
        .unwrap()
        .iter()
        .find(|one| is_installed(one));
    assert_eq!(installed.unwrap()["disabled"], true, "{listed}");
}
