//! Faults that stop `serve`, and that `check-config` reports beforehand.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use jiff::Timestamp;
use openssl::x509::X509;
use parafa_fixtures::built::compiled_plugins;
use parafa_fixtures::signed::Identity;
use parafa_issuing::{Credential, Extension, Key, KeyKind, Profile, Time};
use parafa_store::{DataKeys, MasterKey};
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::support::{Documents, Ended, parafa, parafa_in};

/// Writes a valid configuration with these additional lines in a section.
pub(crate) fn configuration(folder: &Documents, more: &str) -> PathBuf {
    let path = |name: &str| folder.path(name).display().to_string();
    add_trust(folder);
    let (data, key, trust) = (path("data"), path("master.key"), path("trust"));
    let cache = compiled_plugins().display().to_string();
    let text = format!(
        "store.data = '{data}'\nsecrets.master_key_file = '{key}'\ntrust.folder = '{trust}'\n\
         timestamps.urls = ['https://tsa.example.com']\nplugins.cache = '{cache}'\n{more}\n"
    );
    folder.add("parafa.toml", text)
}

/// Adds a folder `trust` with one authority, for all purposes.
fn add_trust(folder: &Documents) {
    trust_in(folder, &Identity::Issuer.certificate());
}

/// Adds a folder `trust` with this authority.
fn trust_in(folder: &Documents, issuer: &[u8]) {
    let sha256 = hex::encode(Sha256::digest(issuer));
    let manifest = format!(
        "[[certificate]]\nfile = 'issuer.pem'\nsha256 = '{sha256}'\nkind = 'root'\n\
         purposes = ['signing', 'timestamping']\n"
    );
    std::fs::create_dir_all(folder.path("trust")).unwrap();
    let pem = X509::from_der(issuer).unwrap().to_pem().unwrap();
    folder.add("trust/issuer.pem", pem);
    folder.add("trust/trust.toml", manifest);
}

pub(crate) fn check(config: &Path) -> Ended {
    parafa([
        "check-config",
        "--json",
        "--config",
        config.to_str().unwrap(),
    ])
}

fn serve(config: &Path) -> Ended {
    parafa(["serve", "--config", config.to_str().unwrap()])
}

#[test]
fn a_sound_configuration_is_called_so() {
    let folder = Documents::new();

    let ended = check(&configuration(&folder, ""));

    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.json()["sound"], true);
}

#[test]
fn cards_that_no_app_reads_are_warned_of() {
    let folder = Documents::new();
    for (more, is_warned) in [
        ("card.enabled = true", true),
        ("card.enabled = true\ncard.app_name = ' '", true),
        ("card.enabled = true\ncard.app_name = 'Kortelė'", false),
        ("card.enabled = false", false),
    ] {
        let ended = check(&configuration(&folder, more));

        assert_eq!(ended.code, Some(0), "{more}: {ended:?}");
        let warnings = ended.json()["warnings"].to_string();
        assert_eq!(warnings.contains("card.app_name"), is_warned, "{warnings}");
    }
    let nowhere = "card.app_url_ios = 'itms:app'";
    let ended = check(&configuration(&folder, nowhere));
    let faults = ended.json()["faults"].to_string();
    assert!(faults.contains("card.app_url_ios"), "{faults}");
}

#[test]
fn a_collector_of_traces_that_does_not_answer_is_warned_of() {
    let folder = Documents::new();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);

    let traced = format!("telemetry.traces_url = 'http://{address}/v1/traces'");
    let ended = check(&configuration(&folder, &traced));

    assert_eq!(ended.code, Some(0), "{ended:?}");
    let warnings = ended.json()["warnings"].to_string();
    assert!(warnings.contains("telemetry.traces_url"), "{warnings}");
    let malformed = "telemetry.traces_url = 'localhost:4318'";
    let ended = check(&configuration(&folder, malformed));
    let faults = ended.json()["faults"].to_string();
    assert!(faults.contains("telemetry.traces_url"), "{faults}");
}

#[test]
fn a_certificate_that_ends_soon_is_warned_of() {
    let folder = Documents::new();
    let config = configuration(&folder, "");
    let warnings = |days: i64| {
        let ends = Timestamp::now().as_second() + days * 86_400 + 3600;
        let profile = Profile {
            validity: ["20200101000000Z".into(), Time::from_unix(ends).unwrap()],
            ..Profile::named("Authority")
        };
        let profile = profile.with(Extension::authority(None));
        let key = Key::generate(KeyKind::P256).unwrap();
        let authority = Credential::self_signed(&profile, key).unwrap();
        trust_in(&folder, &authority.der());
        let checked = check(&config).json();
        assert_eq!(checked["sound"], true, "{checked}");
        checked["warnings"].to_string()
    };

    let soon = warnings(20);
    assert!(soon.contains("trust.folder: the certificate"), "{soon}");
    assert!(soon.contains("expires in 20 days"), "{soon}");
    let late = warnings(90);
    assert!(!late.contains("trust.folder"), "{late}");
}

#[test]
fn the_documented_configuration_has_no_fault_and_needs_what_is_called_required() {
    const DOCUMENTED: &str = include_str!("../../../../docs/configuration.md");

    let (_, example) = DOCUMENTED.split_once("```toml\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let folder = Documents::new();
    add_trust(&folder);
    let here = folder.path("").display().to_string();
    let here = here.trim_end_matches('/');
    let example = example
        .replace("/var/lib/parafa", here)
        .replace("/etc/parafa", here);
    std::fs::create_dir(folder.path("no-plugins")).unwrap();
    let faults_of = |text: &str| {
        let config = folder.add("parafa.toml", text);
        // An empty plugin folder: compiling would take the most time.
        let output = Command::new(env!("CARGO_BIN_EXE_parafa"))
            .args(["check-config", "--json", "--config"])
            .arg(config)
            .env("PARAFA_PLUGINS__FOLDER", folder.path("no-plugins"))
            .output()
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let faults = answer["faults"].as_array().unwrap().iter();
        let faults = faults.map(|fault| fault.as_str().unwrap().to_owned());
        faults
            .filter(|fault| !fault.contains("there is no plugin"))
            .collect::<Vec<_>>()
    };

    assert_eq!(faults_of(&example), [""; 0]);
    for required in [
        "secrets.master_key_file",
        "trust.folder",
        "timestamps.urls",
        "smart_id.base_url",
        "smart_id.scheme_name",
        "smart_id.relying_party_name",
        "smart_id.relying_party_uuid",
        "mobile_id.base_url",
        "mobile_id.relying_party_name",
        "mobile_id.relying_party_uuid",
        "mail.host",
        "mail.port",
        "mail.from",
    ] {
        let row = format!("| `{required}` |");
        let row = DOCUMENTED.lines().find(|line| line.starts_with(&row));
        let default = row.and_then(|row| row.split(" | ").nth(2)).unwrap();
        assert!(default.starts_with("required"), "{required}: {default}");
        let (section, key) = required.split_once('.').unwrap();
        let (before, of_section) = example.split_once(&format!("[{section}]")).unwrap();
        let mut is_there = true;
        let is_kept = |line: &&str| {
            let is_it = is_there && line.starts_with(&format!("{key} = "));
            is_there &= !is_it;
            !is_it
        };
        let without: String = of_section.split_inclusive('\n').filter(is_kept).collect();

        let faults = faults_of(&format!("{before}[{section}]{without}"));

        let [fault] = &faults[..] else {
            panic!("{required}: {faults:?}");
        };
        assert!(fault.contains(required), "{required}: {fault}");
    }
}

#[test]
fn what_the_server_does_not_start_with_is_told_beforehand_in_the_same_words() {
    let folder = Documents::new();
    let faulty = "server.listen = '0.0.0.0:0'\noutbound.allow = ['nowhere']\n\
                  server.trusted_proxies = ['10.0.0.0/8', 'proxy.example']\n\
                  [smart_id]\nbase_url = 'https://rp.example.com'\nscheme_name = 'smartid'\n\
                  relying_party_name = 'DEMO'\n\
                  relying_party_uuid = '00000000-0000-4000-8000-000000000000'";
    let config = configuration(&folder, faulty);
    folder.add("master.key", "no key");

    let (checked, served) = (check(&config), serve(&config));

    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert_eq!(served.code, Some(1), "{served:?}");
    assert_eq!(checked.json()["sound"], false);
    let faults = checked.json()["faults"].clone();
    let faults: Vec<&str> = faults
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|fault| fault.as_str())
        .collect();
    let told = faults
        .iter()
        .map(|fault| format!("parafa: {fault}\n"))
        .collect::<String>();
    assert_eq!(served.stderr, told);
    let settings = [
        "server.base_url",
        "secrets.master_key_file",
        "server.trusted_proxies lists proxy.example,",
        "outbound.allow",
        "smart_id.scheme_name",
    ];
    for (fault, setting) in faults.iter().zip(settings) {
        assert!(fault.contains(setting), "{fault}");
    }
    assert_eq!(faults.len(), settings.len(), "{faults:?}");
    assert!(!folder.path("data").join("store").exists());
}

#[test]
fn every_fault_of_the_file_is_told_at_once_with_its_line_and_its_key() {
    let folder = Documents::new();
    let config = configuration(
        &folder,
        "server.lisen = '127.0.0.1:0'\n[limits]\nfile_days = 'seven'\ndownloads = 0",
    );
    let lines: Vec<String> = std::fs::read_to_string(&config)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();

    let (checked, served) = (check(&config), serve(&config));

    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert_eq!(served.code, Some(1), "{served:?}");
    let faults = checked.json()["faults"].clone();
    let faults = faults.as_array().unwrap();
    let keys = ["server.lisen", "limits.file_days", "limits.downloads"];
    assert_eq!(faults.len(), keys.len(), "{faults:?}");
    for (fault, key) in faults.iter().zip(keys) {
        let fault = fault.as_str().unwrap();
        let (_, name) = key.split_once('.').unwrap();
        let line = lines.iter().position(|line| line.contains(name)).unwrap() + 1;
        assert!(
            fault.contains(key) && fault.contains(&format!("line {line}:")),
            "{fault}"
        );
        assert!(served.stderr.contains(fault), "{served:?}");
    }
}

#[test]
fn a_master_key_of_another_store_is_told_of() {
    let folder = Documents::new();
    let config = configuration(&folder, "");
    let made = make_store(&folder, &config);
    assert_eq!(made.code, Some(0), "{made:?}");
    make_data_key(&folder);
    let sound = check(&config).json();
    assert_eq!(sound["sound"], true, "{sound}");
    let warnings = sound["warnings"].to_string();
    assert!(!warnings.contains("data key"), "{warnings}");
    folder.add("master.key", "ab".repeat(32));

    let ended = check(&config);

    assert_eq!(ended.code, Some(1), "{ended:?}");
    let reason = ended.json()["reason"].to_string();
    assert!(
        reason.contains("not the one that this store was made with"),
        "{reason}"
    );
}

#[test]
fn records_of_an_earlier_day_are_a_fault() {
    let folder = Documents::new();
    let config = configuration(&folder, "");
    assert_eq!(make_store(&folder, &config).code, Some(0));
    let earlier = files_in(&folder.path("data/store"));
    let created = parafa([
        "tenant",
        "create",
        "Ąžuolas, UAB",
        "--config",
        config.to_str().unwrap(),
    ]);
    assert_eq!(created.code, Some(0), "{created:?}");
    std::fs::remove_dir_all(folder.path("data/store")).unwrap();
    for (path, content) in earlier {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.extension().is_some() || !content.is_empty() {
            std::fs::write(path, content).unwrap();
        }
    }

    let ended = check(&config);

    assert_eq!(ended.code, Some(1), "{ended:?}");
    let reason = ended.json()["reason"].to_string();
    assert!(reason.contains("is not what it was"), "{reason}");
}

#[test]
fn a_check_leaves_the_data_folder_as_it_is() {
    let folder = Documents::new();
    let config = configuration(&folder, "");
    // The default place, in the data folder.
    let text = std::fs::read_to_string(&config).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.starts_with("plugins.cache"));
    folder.add("parafa.toml", lines.collect::<Vec<_>>().join("\n"));
    // One that is compiled quickly.
    std::fs::create_dir(folder.path("plugins")).unwrap();
    folder.add("plugins/least.wasm", parafa_fixtures::component::least());
    let plugins = [("PARAFA_PLUGINS__FOLDER", folder.path("plugins"))];
    let words = [
        "check-config",
        "--json",
        "--config",
        config.to_str().unwrap(),
    ];
    let check = || parafa_in(Path::new("."), &plugins, words);
    assert_eq!(check().json()["sound"], true);
    assert!(!folder.path("data").exists());
    assert!(!folder.path("master.key").exists());
    assert_eq!(make_store(&folder, &config).code, Some(0));
    std::fs::remove_dir_all(folder.path("data/keys")).unwrap();
    std::fs::remove_dir_all(folder.path("data/bytes")).unwrap();
    folder.add("data/store/snap.0.generating", "half");
    let before = files_in(&folder.path("data"));

    let ended = check();

    assert_eq!(ended.code, Some(0), "{ended:?}");
    let warnings = ended.json()["warnings"].to_string();
    assert!(warnings.contains("missing or not mounted"), "{warnings}");
    assert_eq!(files_in(&folder.path("data")), before);
}

#[test]
fn a_data_folder_of_which_a_part_is_away_is_refused_and_left_as_it_is() {
    let folder = Documents::new();
    let addresses = "server.listen = '127.0.0.1:0'\nserver.operator_listen = '127.0.0.1:0'";
    let config = configuration(&folder, addresses);
    assert_eq!(make_store(&folder, &config).code, Some(0));
    make_data_key(&folder);
    for part in ["data/store", "data/bytes"] {
        let [part, away] = [part, "away"].map(|name| folder.path(name));
        std::fs::rename(&part, &away).unwrap();
        let before = files_in(&folder.path("data"));

        let checked = check(&config);
        let served = serve(&config);
        let listed = parafa(["tenant", "list", "--config", config.to_str().unwrap()]);

        assert_eq!(checked.code, Some(1), "{checked:?}");
        let faults = checked.json()["faults"].clone();
        assert_eq!(faults.as_array().map(Vec::len), Some(1), "{faults}");
        let fault = faults[0].as_str().unwrap();
        assert!(fault.contains(part.to_str().unwrap()), "{fault}");
        assert_eq!(served.code, Some(1), "{served:?}");
        assert_eq!(served.stderr, format!("parafa: {fault}\n"));
        assert_eq!(listed.code, Some(1), "{listed:?}");
        assert!(listed.stderr.contains("bring it back"), "{listed:?}");
        assert_eq!(files_in(&folder.path("data")), before);
        std::fs::rename(&away, &part).unwrap();
    }
    assert_eq!(check(&config).json()["sound"], true);
}

#[test]
fn a_port_that_somebody_has_is_refused() {
    let folder = Documents::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();

    for setting in ["listen", "operator_listen"] {
        let other = if setting == "listen" {
            "operator_listen"
        } else {
            "listen"
        };
        let addresses = format!("server.{setting} = '{address}'\nserver.{other} = '127.0.0.1:0'");
        let ended = serve(&configuration(&folder, &addresses));

        assert_eq!(ended.code, Some(1), "{ended:?}");
        let sentence = format!("parafa: server.{setting} {address} cannot be listened on");
        assert!(ended.stderr.contains(&sentence), "{ended:?}");
        assert!(ended.stderr.contains("set another address"), "{ended:?}");
    }
}

#[test]
fn a_demo_makes_nothing_in_a_folder_that_is_not_a_demo_s() {
    let folder = Documents::new();
    let config = configuration(&folder, "server.listen = '127.0.0.1:0'");
    assert_eq!(make_store(&folder, &config).code, Some(0));
    let data = folder.path("data");
    let (config, of_data) = (config.to_str().unwrap(), data.to_str().unwrap());

    for place in [["--config", config], ["--data", of_data]] {
        let ended = parafa(["serve", "--demo", place[0], place[1]]);

        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains("demo"), "{ended:?}");
        assert!(!data.join("world").exists() && !data.join("demo.json").exists());
    }
}

#[test]
fn a_program_without_plugins_is_refused_and_one_that_cannot_run_them_has_failed() {
    let folder = Documents::new();
    let addresses = "server.listen = '127.0.0.1:0'\nserver.operator_listen = '127.0.0.1:0'";
    let config = configuration(&folder, addresses);
    std::fs::create_dir(folder.path("plugins")).unwrap();
    let without = Command::new(env!("CARGO_BIN_EXE_parafa"))
        .args(["serve", "--config", config.to_str().unwrap()])
        .env("PARAFA_PLUGINS__FOLDER", folder.path("plugins"))
        .output()
        .unwrap();
    let text = std::fs::read_to_string(&config).unwrap();
    let shared = compiled_plugins().display().to_string();
    let cache = folder.add("no-folder", "").display().to_string();
    folder.add("parafa.toml", text.replace(&shared, &cache));

    let failed = serve(&config);

    assert_eq!(without.status.code(), Some(1), "{without:?}");
    let stderr = String::from_utf8_lossy(&without.stderr);
    assert!(stderr.contains("there is no plugin"), "{stderr}");
    assert_eq!(failed.code, Some(2), "{failed:?}");
    assert!(failed.stderr.contains("cache"), "{failed:?}");
}

/// Creates the store and its key by a command, as the first start does.
pub(crate) fn make_store(folder: &Documents, config: &Path) -> Ended {
    std::fs::create_dir_all(folder.path("data")).unwrap();
    parafa(["tenant", "list", "--config", config.to_str().unwrap()])
}

/// Creates a data key as the server does for a signing.
fn make_data_key(folder: &Documents) {
    let master = MasterKey::load(&folder.path("master.key")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let keys = DataKeys::open_folder(&folder.path("data/keys"), Arc::new(master)).unwrap();
    runtime.block_on(keys.create(Uuid::from_u128(1))).unwrap();
}

/// Returns all files in a folder, with their content.
fn files_in(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_in(&path));
            files.insert(path, Vec::new());
        } else if path.is_file() {
            let content = std::fs::read(&path).unwrap();
            files.insert(path, content);
        }
    }
    files
}
