use std::io::Write;

use parafa_store::StoreMode;

use super::environment::Environment;
use super::*;

fn load(text: &str) -> Result<Config, ConfigError> {
    let mut file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    Config::load(Some(file.path()))
}

#[test]
fn what_is_not_set_has_its_default() {
    let config = load("[server]\nlisten = '127.0.0.1:9999'\n").unwrap();

    assert_eq!(config.server.listen.port(), 9999);
    assert_eq!(config.limits.max_body_bytes.get(), 24 * 1024 * 1024);
}

#[test]
fn the_demo_is_generous_unless_a_rate_is_set() {
    let rates = |text: &str, mode| {
        let rates = load(text).unwrap().limits.rates(mode);
        (rates.reads_per_minute.get(), rates.writes_per_minute.get())
    };

    assert_eq!(rates("", StoreMode::Production), (600, 120));
    assert_eq!(rates("", StoreMode::Demo), (60_000, 12_000));
    let few_reads = "[limits]\nreads_per_minute = 5\n";
    assert_eq!(rates(few_reads, StoreMode::Production), (5, 120));
    assert_eq!(rates(few_reads, StoreMode::Demo), (5, 12_000));
}

#[test]
fn prices_make_a_ladder_or_are_refused() {
    let config = load("[billing]\nprices = ['1=0.70', '11=0.60']\n").unwrap();
    let tenth = config.billing.prices.price(10).to_string();
    assert_eq!(tenth, "0.70");

    let error = load("[billing]\nprices = ['2=0.70']\n").unwrap_err();
    let why = error.to_string();
    assert!(why.contains("first signature"), "{why}");
}

#[test]
fn a_limit_of_nothing_is_refused_by_name() {
    for key in [
        "max_body_bytes",
        "max_batch_body_bytes",
        "reads_per_minute",
        "writes_per_minute",
        "stored_megabytes",
        "open_signings",
        "sandbox_stored_megabytes",
        "sandbox_open_signings",
        "stored_megabytes_per_minute",
        "downloads",
        "file_days",
        "finish_hours",
        "plugin_calls",
        "plugin_memory_bytes",
        "plugin_inflated_bytes",
        "plugin_seconds",
    ] {
        let read = load(&format!("[limits]\n{key} = 1\n"));
        assert!(read.is_ok(), "{key}: {read:?}");

        let error = load(&format!("[limits]\n{key} = 0\n")).unwrap_err();

        let why = error.to_string();
        assert!(why.contains(key) && why.contains("nonzero"), "{why}");
    }
}

#[test]
fn an_unknown_key_is_named() {
    let error = load("[server]\nlisen = '127.0.0.1:9999'\n").unwrap_err();

    assert!(error.to_string().contains("lisen"), "{error}");
}

#[test]
fn what_variables_set_is_read_as_what_it_is() {
    let variables = [
        ("PARAFA_OUTBOUND__ALLOW", r#"["a:1", "b:2"]"#),
        ("PARAFA_TRUST__ALLOW", "a:1"),
        ("PARAFA_SERVER__TRUSTED_PROXIES", "10.0.0.5, fd00::/8"),
        (
            "PARAFA_TIMESTAMPS__URLS",
            "['https://a.example', 'https://b.example']",
        ),
        ("PARAFA_BILLING__PRICES", r#"["1=0.70", "11=0.60"]"#),
        ("PARAFA_LIMITS__PLUGIN_CALLS", "7"),
        ("PARAFA_MAIL__HOST", "mail.example"),
        ("PARAFA_MAIL__PORT", "25"),
        ("PARAFA_MAIL__PROTECTION", "none"),
        ("PARAFA_MAIL__USER", "007"),
        ("PARAFA_MAIL__FROM", "a@example.lt"),
    ];
    let variables = variables.map(|(name, value)| (name.into(), value.into()));

    let config = Config::read(None, Environment::of(variables.into_iter())).unwrap();

    assert_eq!(config.outbound.allow, ["a:1", "b:2"]);
    assert_eq!(config.trust.allow, ["a:1"]);
    assert_eq!(config.server.trusted_proxies, ["10.0.0.5", "fd00::/8"]);
    assert_eq!(config.timestamps.urls.len(), 2);
    assert_eq!(config.billing.prices.price(11).to_string(), "0.60");
    assert_eq!(config.limits.plugin_calls.get(), 7);
    let mail = config.mail.unwrap();
    assert_eq!((mail.port, mail.user.as_deref()), (25, Some("007")));
}

#[test]
fn what_a_variable_replaces_in_the_file_may_be_anything() {
    let mut file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    let text = "[server]\nlisten = 'set elsewhere'\noperator_listen = 'set nowhere'\n";
    file.write_all(text.as_bytes()).unwrap();
    let variable = ("PARAFA_SERVER__LISTEN".into(), "127.0.0.1:9999".into());
    let environment = Environment::of([variable].into_iter());

    let refused = Config::read(Some(file.path()), environment).unwrap_err();

    let sentences = refused.into_sentences();
    assert_eq!(sentences.len(), 1, "{sentences:?}");
    assert!(sentences[0].contains("operator_listen"), "{sentences:?}");
}

#[test]
fn a_variable_for_what_this_build_does_not_have_is_refused() {
    let key = ("PARAFA_WEBHOOKS__KEY".into(), "a.pem".into());

    let refused = Config::read(None, Environment::of([key].into_iter()));

    let why = refused.unwrap_err().to_string();
    assert!(why.contains("webhooks.key is set"), "{why}");
}

#[test]
fn a_store_that_hosts_share_is_set_in_the_file_or_by_variables() {
    let text = "[store]\nengine = 'postgres'\nurl = 'postgres://u:hush@a,b/parafa'\n\
                connections = 2\ncommitters = 3\nroot_certificates = 'db.pem'\n\
                [objects]\nurl = 's3://bucket/parafa'\n";
    let variables = [
        ("PARAFA_STORE__ENGINE", "postgres"),
        ("PARAFA_STORE__URL", "postgres://u:hush@a,b/parafa"),
        ("PARAFA_STORE__CONNECTIONS", "2"),
        ("PARAFA_STORE__COMMITTERS", "3"),
        ("PARAFA_STORE__ROOT_CERTIFICATES", "db.pem"),
        ("PARAFA_OBJECTS__URL", "s3://bucket/parafa"),
    ];
    let variables = variables.map(|(name, value)| (name.into(), value.into()));
    let of_variables = Config::read(None, Environment::of(variables.into_iter()));

    for config in [load(text).unwrap(), of_variables.unwrap()] {
        let store = &config.store;
        assert_eq!(store.engine, Engine::Postgres);
        assert_eq!(store.url, Some("postgres://u:hush@a,b/parafa".into()));
        assert_eq!((store.connections.get(), store.committers.get()), (2, 3));
        assert_eq!(store.root_certificates.as_deref(), Some("db.pem".as_ref()));
        assert_eq!(config.objects.url.as_deref(), Some("s3://bucket/parafa"));
        assert!(!format!("{config:?}").contains("hush"));
    }
}

#[test]
fn every_section_that_has_a_name_may_stand_there_empty() {
    let sections = "server store objects secrets limits outbound trust timestamps smart_id \
                    mobile_id card mail webhooks billing diligence attorney auth plugins \
                    telemetry";
    let empty: String = sections
        .split_whitespace()
        .map(|section| format!("[{section}]\n"))
        .collect();

    let config = load(&empty).unwrap();

    assert!(config.smart_id.is_none() && config.mobile_id.is_none());
    assert!(config.mail.is_none() && config.attorney.is_none());
    assert!(load("[webhook]\n").is_err());
}

#[test]
fn what_this_build_does_not_have_is_refused_by_name() {
    let why = load("[webhooks]\nkey = 'a.pem'\n").unwrap_err().to_string();

    assert!(why.contains("webhooks.key is set"), "{why}");
    assert!(load("webhooks = 1\n").is_err());
    let other = load("[store]\nengine = 'mysql'\n").unwrap_err();
    assert!(other.to_string().contains("mysql"));
}
