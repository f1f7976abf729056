//! Places in which the commands for plugins look for plugins.

use std::path::{Path, PathBuf};

use parafa_fixtures::built::compiled_plugins;

use crate::support::{Documents, Ended, parafa_in};

/// A data folder with the least plugin active.
struct Installed {
    documents: Documents,
    document: PathBuf,
}

impl Installed {
    fn new() -> Self {
        let documents = Documents::new();
        let component = documents.least_plugin();
        let document = documents.add("contract.least", "anything");
        std::fs::create_dir(documents.path("data")).unwrap();
        let installed = Self {
            documents,
            document,
        };
        let keys = installed.documents.path("keys");
        let [key, public] = ["publisher.key", "publisher.pub"].map(|name| keys.join(name));
        for words in [
            &["keygen", text(&keys)][..],
            &["sign", text(&component), "--key", text(&key)],
            &["trust", text(&public)],
            &["install", text(&component)],
        ] {
            let ended = installed.plugin(words);
            assert_eq!(ended.code, Some(0), "{ended:?}");
        }
        installed
    }

    /// Runs a command for plugins with the folder named only in the
    /// environment.
    fn plugin(&self, words: &[&str]) -> Ended {
        self.parafa(&[&["plugin"], words].concat())
    }

    fn parafa(&self, words: &[&str]) -> Ended {
        let environment = [
            ("PARAFA_STORE__DATA", self.documents.path("data")),
            (
                "PARAFA_SECRETS__MASTER_KEY_FILE",
                self.documents.path("master.key"),
            ),
            ("PARAFA_PLUGINS__CACHE", compiled_plugins()),
        ];
        parafa_in(Path::new("/"), &environment, words)
    }
}

#[test]
fn the_data_folder_that_the_environment_names_is_looked_into() {
    let installed = Installed::new();
    let document = text(&installed.document);

    let checked = installed.plugin(&["check", "least", "--json"]);
    let run = installed.plugin(&["run", "verify", document, "--json"]);
    let tested = installed.plugin(&["test", "least", "--json"]);
    let verified = installed.parafa(&["verify", document]);

    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert_eq!(checked.json()["plugin"], "least");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.json()["plugin"], "least");
    assert_eq!(tested.code, Some(0), "{tested:?}");
    assert_eq!(verified.code, Some(1), "{verified:?}");
    assert!(verified.stdout.starts_with("There is no signature.\n"));
}

#[test]
fn a_data_folder_that_is_misspelt_is_refused_and_not_made() {
    let documents = Documents::new();
    let document = documents.add("contract.pdf", parafa_fixtures::plain(1));
    let (document, missing) = (text(&document).to_owned(), documents.path("dta"));
    let commands = [
        &["plugin", "check"][..],
        &["plugin", "test"],
        &["plugin", "run", "inspect", &document],
        &["verify", &document],
    ];
    for words in commands {
        let as_argument = [words, &["--data", text(&missing)]].concat();
        let environment = [("PARAFA_STORE__DATA", missing.clone())];
        for ended in [
            parafa_in(Path::new("/"), &[], &as_argument),
            parafa_in(Path::new("/"), &environment, words),
        ] {
            assert_eq!(ended.code, Some(1), "{words:?}: {ended:?}");
            let why = format!("there is no data folder {}", missing.display());
            assert!(ended.stderr.contains(&why), "{ended:?}");
            assert!(!missing.exists(), "{words:?}");
        }
    }
}

#[test]
fn a_configuration_that_names_no_data_folder_leaves_none_behind() {
    let documents = Documents::new();
    let component = documents.least_plugin();
    let limits = "[limits]\nplugin_seconds = 5\n";
    let configuration = documents.add("parafa.toml", limits);
    let words = ["plugin", "check", text(&component), "--config"];

    let folder = documents.path("");
    let ended = parafa_in(&folder, &[], [&words[..], &[text(&configuration)]].concat());

    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!folder.join("parafa-data").exists());
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
