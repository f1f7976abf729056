//! What `serve` refuses to start with, and `check-config` says beforehand.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use crate::support::{Documents, Ended, parafa};

/// A configuration that is sound, with these lines beside it in a section.
fn configuration(folder: &Documents, more: &str) -> PathBuf {
    let path = |name: &str| folder.path(name).display().to_string();
    std::fs::create_dir_all(folder.path("trust")).unwrap();
    folder.add("trust/trust.toml", "");
    let (data, key, trust) = (path("data"), path("master.key"), path("trust"));
    let cache = concat!(env!("CARGO_TARGET_TMPDIR"), "/plugin-cache");
    let text = format!(
        "store.data = '{data}'\nsecrets.master_key_file = '{key}'\ntrust.folder = '{trust}'\n\
         timestamps.urls = ['https://tsa.example.com']\nplugins.cache = '{cache}'\n{more}\n"
    );
    folder.add("parafa.toml", text)
}

fn check(config: &Path) -> Ended {
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
fn what_the_server_does_not_start_with_is_told_beforehand_in_the_same_words() {
    let folder = Documents::new();
    let faulty = "server.listen = '0.0.0.0:0'\noutbound.allow = ['nowhere']\n\
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
fn a_master_key_of_another_store_is_told_of() {
    let folder = Documents::new();
    let config = configuration(&folder, "");
    let made = make_store(&folder, &config);
    assert_eq!(made.code, Some(0), "{made:?}");
    assert_eq!(check(&config).json()["sound"], true);
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

/// Has a command make the store and its key, as the first start does.
fn make_store(folder: &Documents, config: &Path) -> Ended {
    std::fs::create_dir_all(folder.path("data")).unwrap();
    parafa(["tenant", "list", "--config", config.to_str().unwrap()])
}
