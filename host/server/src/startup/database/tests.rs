use parafa_test_services::Postgres;

use super::*;

/// Writes roots to a file.
fn file_of(root: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), root).unwrap();
    file
}

async fn reached(url: String, roots: &Path) -> anyhow::Result<Database> {
    let mut config = Config::default();
    config.store.engine = crate::config::Engine::Postgres;
    config.store.url = Some(url.as_str().into());
    config.store.root_certificates = Some(roots.to_owned());
    let reached = reach(&config, StoreMode::Production, &mut Patience::none()).await;
    reached.map(|reached| reached.expect("one is configured").database)
}

async fn refusal_of(url: String, roots: &Path) -> String {
    let reached = reached(url, roots).await;
    format!("{:#}", reached.expect_err("it is not to be trusted"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_believed_whose_certificate_is_for_its_name_and_from_a_known_root() {
    let encrypted = tokio::task::spawn_blocking(Postgres::encrypted);
    let encrypted = encrypted.await.unwrap();
    let (root, other) = (file_of(&encrypted.root), file_of(&encrypted.other_root));
    let server = &encrypted.server;
    let name = server.database().name;
    let at = |host: &str, mode: &str| {
        let port = server.port();
        format!("postgresql://parafa@{host}:{port}/{name}{mode}")
    };

    for mode in ["", "?sslmode=require", "?sslmode=verify-full"] {
        let database = reached(at("localhost", mode), root.path()).await.unwrap();
        let _clock = database.clock().await.unwrap();
        let encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                         WHERE application_name = 'parafa'";
        assert_eq!(server.psql("postgres", encrypted).trim(), "t", "{mode:?}");

        for refused in [
            refusal_of(at("localhost", mode), other.path()).await,
            refusal_of(at("127.0.0.1", mode), root.path()).await,
        ] {
            assert!(refused.starts_with("store.url: "), "{refused}");
            assert!(refused.contains("certificate is not accepted"), "{refused}");
            assert!(refused.contains("store.root_certificates"), "{refused}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_encryption_is_refused_where_it_is_asked_for() {
    let encrypted = tokio::task::spawn_blocking(Postgres::encrypted);
    let root = file_of(&encrypted.await.unwrap().root);
    let plain = Postgres::shared_database();

    for mode in ["require", "verify-full"] {
        let url = format!("{}?sslmode={mode}", plain.url);
        let refused = refusal_of(url, root.path()).await;

        assert!(refused.starts_with("store.url: "), "{refused}");
        assert!(refused.contains("has no encryption"), "{refused}");
        assert!(refused.contains("sslmode=disable"), "{refused}");
    }
    assert!(reached(plain.url, root.path()).await.is_ok());
}
