//! Commands on a database that hosts share, and on their object store.

use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parafa_store::postgres::{Database, DatabaseOptions};
use parafa_store::shared::{self, Objects, SharedOptions};
use parafa_store::{MasterKey, StoreMode, SystemClock};
use parafa_test_services::{Postgres, PostgresDatabase};
use rustls::{ClientConfig, RootCertStore};

use crate::configuration::{check, configuration, make_store};
use crate::support::{Documents, Ended, parafa};

/// Prepares a folder with a master key, and the configuration of a host on a
/// database.
fn host(folder: &Documents, database: &PostgresDatabase, more: &str) -> PathBuf {
    let key = folder.path("master.key");
    if !key.exists() {
        MasterKey::create(&key).unwrap();
    }
    let store = format!(
        "store.engine = 'postgres'\nstore.url = '{}'\n{more}",
        database.url
    );
    configuration(folder, &store)
}

/// Creates a store as the first host does, with documents in a folder.
fn make_shared_store(folder: &Documents, database: &PostgresDatabase, documents: &Path) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let one = NonZeroU16::new(1).unwrap();
    // Another test in this process may have installed the provider.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let roots = ClientConfig::builder().with_root_certificates(RootCertStore::empty());
    let options = DatabaseOptions {
        url: database.url.clone(),
        connections: one,
        tls: roots.with_no_client_auth(),
    };
    let objects = Objects::parse(&format!("file://{}", documents.display()), []);
    let opened = runtime.block_on(async {
        shared::open(SharedOptions {
            database: Database::open(&options).await.unwrap(),
            committers: one,
            clock: Arc::new(SystemClock),
            master: Arc::new(MasterKey::load(&folder.path("master.key")).unwrap()),
            mode: StoreMode::Production,
            objects: Some(objects.unwrap()),
        })
        .await
    });
    opened.unwrap();
}

fn carried_out(words: &[&str], config: &Path) -> Ended {
    parafa([words, &["--config", config.to_str().unwrap()]].concat())
}

#[track_caller]
fn the_fault(ended: &Ended) -> String {
    let faults = ended.json()["faults"].clone();
    assert_eq!(faults.as_array().map(Vec::len), Some(1), "{ended:?}");
    faults[0].as_str().unwrap().to_owned()
}

#[test]
fn a_command_makes_no_store_in_a_database_that_may_be_misnamed() {
    let folder = Documents::new();
    let database = Postgres::shared_database();
    let config = host(&folder, &database, "");
    let backup = folder.path("backup");

    for words in [
        &["tenant", "list"][..],
        &["backup", backup.to_str().unwrap()],
    ] {
        let refused = carried_out(words, &config);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        let why = "store.url: there is no store in this database";
        assert!(refused.stderr.contains(why), "{refused:?}");
    }

    assert!(!backup.exists());
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    let tables = Postgres::shared().psql(&database.name, tables);
    assert_eq!(tables.trim(), "0");
    let warnings = check(&config).json()["warnings"].to_string();
    assert!(
        warnings.contains("there is no store in the database"),
        "{warnings}"
    );
}

#[test]
fn a_check_tells_of_another_master_key_and_of_documents_that_are_elsewhere() {
    let folder = Documents::new();
    let database = Postgres::shared_database();
    let [documents, other] = ["documents", "other"].map(|name| folder.path(name));
    let objects = |place: &Path| format!("objects.url = 'file://{}'", place.display());
    host(&folder, &database, "");
    make_shared_store(&folder, &database, &documents);
    std::fs::create_dir(&other).unwrap();

    let sound = check(&host(&folder, &database, &objects(&documents)));
    assert_eq!(sound.json()["sound"], true, "{sound:?}");
    for elsewhere in [objects(&other), String::new()] {
        let fault = the_fault(&check(&host(&folder, &database, &elsewhere)));
        assert!(fault.starts_with("objects.url: "), "{fault}");
    }
    std::fs::remove_file(folder.path("master.key")).unwrap();
    let fault = the_fault(&check(&host(&folder, &database, &objects(&documents))));
    assert!(fault.starts_with("store.url: "), "{fault}");
    assert!(fault.contains("master key"), "{fault}");
    assert!(!other.join("parafa-deployment").exists());
}

#[test]
fn a_restore_into_a_database_names_the_database_and_not_the_folder() {
    let folder = Documents::new();
    let backup = folder.path("backup");
    let embedded = configuration(&folder, "");
    assert_eq!(make_store(&folder, &embedded).code, Some(0));
    let backup = backup.to_str().unwrap();
    assert_eq!(carried_out(&["backup", backup], &embedded).code, Some(0));
    let database = Postgres::shared_database();

    let restored = carried_out(&["restore", backup], &host(&folder, &database, ""));

    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert!(
        restored.stdout.starts_with("the database holds"),
        "{restored:?}"
    );
    assert!(
        restored.stderr.contains("any host on this database"),
        "{restored:?}"
    );
    let told = restored.stdout + &restored.stderr;
    assert!(!told.contains(&database.url), "{told}");
}
