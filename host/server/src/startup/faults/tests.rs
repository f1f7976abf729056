use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use openssl::x509::X509;
use parafa_fixtures::signed::Identity;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::*;

/// Returns a configuration with which a server starts, on a folder of its
/// own.
fn sound() -> (TempDir, Config) {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.store.data = folder.path().join("data");
    config.secrets.master_key_file = Some(folder.path().join("master.key"));
    config.timestamps.urls = vec!["https://tsa.example.com".parse().unwrap()];
    let trust = folder.path().join("trust");
    fs::create_dir(&trust).unwrap();
    let issuer = Identity::Issuer.certificate();
    let pem = X509::from_der(&issuer).unwrap().to_pem().unwrap();
    fs::write(trust.join("issuer.pem"), pem).unwrap();
    config.trust.folder = Some(trust);
    put_trust(&config, "root", "purposes = ['signing', 'timestamping']");
    (folder, config)
}

#[test]
fn a_master_key_beside_what_it_protects_is_refused_but_in_a_demo() {
    let (folder, mut config) = sound();
    let data = config.store.data.clone();
    fs::create_dir_all(data.join("store")).unwrap();
    std::os::unix::fs::symlink(&data, folder.path().join("link")).unwrap();
    for inside in [data.join("m.key"), folder.path().join("link/deep/m.key")] {
        config.secrets.master_key_file = Some(inside.clone());

        let refused = check_master_key(&config, StoreMode::Production).unwrap_err();
        let refused = refused.to_string();

        assert!(refused.contains("lies in the data folder"), "{refused}");
        assert!(refused.contains("name a file outside of it"), "{refused}");
    }
    fs::remove_dir(data.join("store")).unwrap();
    assert!(check_master_key(&config, StoreMode::Demo).is_ok());
}

#[test]
fn traces_that_could_not_be_sent_are_told_of() {
    let (_folder, mut config) = sound();
    for share in [-0.1, 1.5, f64::NAN] {
        config.telemetry.traces_share = share;
        assert_one_fault(&config, "telemetry.traces_share", "from 0 to 1");
    }
    config.telemetry.traces_share = 0.25;
    config.telemetry.traces_url = Some("http://u:p@localhost:4318/v1/traces".parse().unwrap());
    assert_one_fault(&config, "telemetry.traces_url", "asks for none");
    config.telemetry.traces_url = Some("http://localhost:4318/v1/traces".parse().unwrap());
    assert_eq!(faults(&config), [""; 0]);
}

/// Adds one trusted authority.
fn put_trust(config: &Config, kind: &str, terms: &str) {
    let sha256 = hex::encode(Sha256::digest(Identity::Issuer.certificate()));
    let entry = format!(
        "[[certificate]]\nfile = 'issuer.pem'\nsha256 = '{sha256}'\nkind = '{kind}'\n{terms}\n"
    );
    let folder = config.trust.folder.as_ref().unwrap();
    fs::write(folder.join("trust.toml"), entry).unwrap();
}

fn smart_id() -> SmartId {
    SmartId {
        base_url: "https://rp.example.com".parse().unwrap(),
        scheme_name: "smart-id".to_owned(),
        relying_party_name: "DEMO".to_owned(),
        relying_party_uuid: uuid::Uuid::nil(),
        broker: false,
    }
}

fn faults(config: &Config) -> Vec<String> {
    let checked = check(config, StoreMode::Production);
    checked
        .err()
        .map(ConfigFaults::into_sentences)
        .unwrap_or_default()
}

#[track_caller]
fn assert_one_fault(config: &Config, setting: &str, remedy: &str) {
    let faults = faults(config);
    let [fault] = &faults[..] else {
        panic!("{faults:?}");
    };
    assert!(fault.contains(setting) && fault.contains(remedy), "{fault}");
}

fn put_key(path: &Path, text: &str, mode: u32) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_configuration_with_all_that_is_needed_is_sound() {
    let (_folder, config) = sound();

    assert_eq!(faults(&config), [""; 0]);
}

#[test]
fn all_faults_are_told_at_once_and_each_names_its_setting() {
    let mut config = Config::default();
    config.server.listen = "0.0.0.0:8080".parse().unwrap();
    config.server.operator_listen = config.server.listen;
    config.store.data = "Cargo.toml".into();
    config.outbound.allow = vec!["nowhere".to_owned()];
    config.trust.allow = vec!["nowhere".to_owned()];
    config.billing.recovery_url = Some("mailto:a@example.com".parse().unwrap());
    config.telemetry.log = "parafa=loud".to_owned();
    config.telemetry.traces_url = Some("grpc://localhost:4317".parse().unwrap());
    config.diligence.open_data_url = Some("ftp://data.example.com".parse().unwrap());
    config.diligence.gateway_token_file = Some("nowhere".into());
    config.smart_id = Some(SmartId {
        base_url: "ftp://rp.example.com".parse().unwrap(),
        scheme_name: "smartid".to_owned(),
        relying_party_name: " ".to_owned(),
        ..smart_id()
    });
    config.mobile_id = Some(MobileId {
        base_url: "ftp://mid.example.com".parse().unwrap(),
        relying_party_name: String::new(),
        relying_party_uuid: uuid::Uuid::nil(),
    });

    let faults = faults(&config);

    let settings = [
        "server.base_url is not set",
        "server.operator_listen",
        "store.data",
        "secrets.master_key_file",
        "outbound.allow",
        "trust.allow",
        "billing.recovery_url",
        "telemetry.log",
        "telemetry.traces_url",
        "trust.folder",
        "timestamps.urls",
        "smart_id.base_url",
        "smart_id.scheme_name",
        "smart_id.relying_party_name",
        "mobile_id.base_url",
        "mobile_id.relying_party_name",
        "diligence.open_data_url",
        "diligence.gateway_token_file is set without",
        "diligence.gateway_token_file nowhere cannot be read",
    ];
    for (fault, setting) in faults.iter().zip(settings) {
        assert!(fault.starts_with(setting), "{fault}");
    }
    assert_eq!(faults.len(), settings.len(), "{faults:?}");
}

#[test]
fn trust_with_which_nobody_can_sign_is_told_of() {
    let (_folder, mut config) = sound();

    put_trust(&config, "issuing", "purposes = ['timestamping']");
    assert_one_fault(&config, "trust.folder", "no authority for signing: add");
    put_trust(&config, "issuing", "purposes = ['signing']");
    assert_one_fault(
        &config,
        "trust.folder",
        "no authority for timestamping: add",
    );
    let all = "purposes = ['signing', 'timestamping']";
    put_trust(&config, "intermediate", all);
    assert_eq!(faults(&config).len(), 2);
    put_trust(&config, "issuing", &format!("{all}\nmethods = ['nfc']"));
    assert_eq!(faults(&config), [""; 0]);
    config.smart_id = Some(smart_id());
    assert_one_fault(&config, "trust.folder", "signing with smart_id: add");
    put_trust(
        &config,
        "issuing",
        &format!("{all}\nmethods = ['smart_id']"),
    );
    assert_eq!(faults(&config), [""; 0]);
    config.mobile_id = Some(MobileId {
        base_url: "https://mid.example.com".parse().unwrap(),
        relying_party_name: "DEMO".to_owned(),
        relying_party_uuid: uuid::Uuid::nil(),
    });
    assert_one_fault(&config, "trust.folder", "signing with mobile_id: add");
}

#[test]
fn a_master_key_that_cannot_be_used_is_told_of() {
    let (folder, mut config) = sound();
    let key = folder.path().join("master.key");
    let good = "ab".repeat(32);

    put_key(&key, &good, 0o600);
    assert_eq!(faults(&config), [""; 0]);
    put_key(&key, &good, 0o644);
    assert_one_fault(&config, "secrets.master_key_file", "chmod 600");
    put_key(&key, "secret", 0o600);
    assert_one_fault(
        &config,
        "secrets.master_key_file",
        "restore it from the copy",
    );
    fs::remove_file(&key).unwrap();
    fs::create_dir_all(config.store.data.join("store")).unwrap();
    assert_one_fault(&config, "is missing", "restore it from the copy");
    config.secrets.master_key_file = Some(config.store.data.join("keys/master.key"));
    assert_one_fault(&config, "secrets.master_key_file", "outside");
}

#[test]
fn another_master_key_that_cannot_be_used_is_told_of() {
    const SETTING: &str = "secrets.other_master_key_files";
    let (folder, mut config) = sound();
    let other = folder.path().join("old.key");
    config.secrets.other_master_key_files = vec![other.clone()];

    assert_one_fault(&config, SETTING, "leave it out if the log says");
    put_key(&other, &"cd".repeat(32), 0o644);
    assert_one_fault(&config, SETTING, "chmod 600");
    put_key(&other, &"cd".repeat(32), 0o600);
    assert_eq!(faults(&config), [""; 0]);
    config.secrets.other_master_key_files = vec![config.store.data.join("old.key")];
    assert_one_fault(&config, SETTING, "outside");
}

#[test]
fn a_setting_with_which_no_store_opens_is_told_of() {
    let (_folder, mut config) = sound();
    config.store.cache_bytes = 255;
    assert_one_fault(&config, "store.cache_bytes", "write 256 or more");
    config.store.cache_bytes = 256;
    config.secrets.master_key_file = Some(PathBuf::new());
    assert_one_fault(&config, "secrets.master_key_file", "name a file");
}

#[test]
fn a_data_folder_of_which_a_part_is_away_is_told_of_and_left_as_it_is() {
    let (folder, config) = sound();
    put_key(&folder.path().join("master.key"), &"ab".repeat(32), 0o600);
    let data = &config.store.data;
    fs::create_dir_all(data.join("keys")).unwrap();
    fs::write(data.join("keys/data-keys"), "").unwrap();
    assert_eq!(faults(&config), [""; 0], "a first start was cut short");

    let key = format!("keys/{}.key", uuid::Uuid::now_v7());
    fs::write(data.join(key), "").unwrap();

    assert_one_fault(&config, "store.data", "bring it back");
    assert!(!data.join("store").exists());
    fs::create_dir(data.join("store")).unwrap();
    assert_one_fault(&config, "store.data", "mount that folder");
    fs::write(data.join("store/db"), "a log").unwrap();
    assert_one_fault(&config, "store.data", "documents");
}

#[test]
fn a_public_address_is_needed_where_the_listening_one_is_none() {
    let (_folder, mut config) = sound();
    config.server.listen = "[::]:8080".parse().unwrap();
    assert_one_fault(&config, "server.base_url", "set server.base_url");

    config.server.base_url = Some("https://sign.example.com".parse().unwrap());
    assert_eq!(faults(&config), [""; 0]);
    config.server.base_url = Some("https://example.com/sign".parse().unwrap());
    assert_one_fault(&config, "server.base_url", "without a path");
}

#[test]
fn the_folder_of_a_demo_is_no_other_server_s() {
    let (_folder, config) = sound();
    fs::create_dir(&config.store.data).unwrap();
    fs::write(config.store.data.join("demo.json"), "{}").unwrap();

    assert_one_fault(&config, "store.data", "--demo");
    assert!(check(&config, StoreMode::Demo).is_ok());
}

#[test]
fn the_demo_needs_no_services_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.store.data = folder.path().join("data");

    assert!(check(&config, StoreMode::Demo).is_ok());
}
