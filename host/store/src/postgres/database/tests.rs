use tokio_postgres::config::SslMode;

use super::*;

/// Returns options for a database at this URL, with no trusted issuers.
pub(in crate::postgres) fn options(url: &str) -> DatabaseOptions {
    DatabaseOptions {
        url: url.to_owned(),
        connections: DatabaseOptions::DEFAULT_CONNECTIONS,
        tls: rustls::ClientConfig::builder()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth(),
    }
}

/// Returns the modes of the hosts of a URL.
fn modes(url: &str) -> Vec<SslMode> {
    let hosts = options(url).parsed().expect("a URL");
    hosts.iter().map(Config::get_ssl_mode).collect()
}

#[test]
fn what_leaves_the_machine_is_encrypted_unless_the_url_says_otherwise() {
    let expected = [
        ("postgresql://me:pass@db1/name", SslMode::Require),
        (
            "postgresql://10.0.0.5/name?connect_timeout=3",
            SslMode::Require,
        ),
        ("postgresql://me:?sslmode=prefer@db1/name", SslMode::Require),
        ("postgresql://db1/name?sslmode=require", SslMode::Require),
        (
            "postgresql://db1/name?sslmode=verify-full",
            SslMode::Require,
        ),
        (
            "postgresql://localhost/name?hostaddr=10.0.0.5",
            SslMode::Require,
        ),
        (
            "postgresql://db1/name?user=me&sslmode=prefer",
            SslMode::Prefer,
        ),
        ("postgresql://db1/name?sslmode=disable", SslMode::Disable),
        (
            "postgresql://localhost/name?sslmode=verify-full",
            SslMode::Require,
        ),
        ("postgresql://localhost/name", SslMode::Prefer),
        ("postgresql://me@127.0.0.1:5432/name", SslMode::Prefer),
        ("postgresql://[::1]/name", SslMode::Prefer),
        ("postgresql://%2Frun%2Fpostgresql/name", SslMode::Prefer),
        ("postgresql://db1/name?hostaddr=127.0.0.1", SslMode::Prefer),
    ];
    for (url, mode) in expected {
        assert_eq!(modes(url), [mode], "{url}");
    }
    assert_eq!(
        modes("postgresql://127.0.0.1:1,db2:2/name"),
        [SslMode::Prefer, SslMode::Require]
    );
}

#[test]
fn a_url_that_lets_others_read_along_says_so() {
    let is_open = |url| options(url).is_open().expect("a URL");
    assert!(is_open("postgresql://db1/name?sslmode=disable"));
    assert!(is_open("postgresql://localhost,db2/name?sslmode=prefer"));
    assert!(!is_open("postgresql://localhost,db2/name"));
    assert!(!is_open("postgresql://localhost/name?sslmode=disable"));
}
