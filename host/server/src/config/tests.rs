use std::io::Write;

use parafa_store::StoreMode;

use super::variables::{Variable, readings, without_section};
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

    let config = read(variables).unwrap();

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

    let refused = Config::read(Some(file.path()), [variable]).unwrap_err();

    let sentences = refused.into_sentences();
    assert_eq!(sentences.len(), 1, "{sentences:?}");
    assert!(sentences[0].contains("operator_listen"), "{sentences:?}");
}

#[test]
fn a_variable_for_what_this_build_does_not_have_is_refused() {
    let refused = read([("PARAFA_WEBHOOKS__KEY", "a.pem")]);

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

    for config in [load(text).unwrap(), read(variables).unwrap()] {
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
fn a_share_is_set_in_the_file_or_by_a_variable() {
    for (text, share) in [("0.25", 0.25), ("1", 1.0)] {
        let written = load(&format!("telemetry.traces_share = {text}\n")).unwrap();
        let told = read([("PARAFA_TELEMETRY__TRACES_SHARE", text)]).unwrap();
        for config in [written, told] {
            assert!((config.telemetry.traces_share - share).abs() < f64::EPSILON);
        }
    }
    assert!(read([("PARAFA_TELEMETRY__TRACES_SHARE", "half")]).is_err());
}

#[test]
fn every_section_that_has_a_name_may_stand_there_empty() {
    let sections = "server store objects secrets limits outbound trust timestamps smart_id \
                    mobile_id card ceremony mail webhooks billing diligence attorney auth plugins \
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

/// Returns the faults of a file.
fn checked(text: &str) -> Vec<String> {
    load(text).map_or_else(ConfigError::into_sentences, |_| Vec::new())
}

/// Loads a configuration from these variables, without a file.
fn read<const N: usize>(variables: [(&str, &str); N]) -> Result<Config, ConfigError> {
    Config::read(
        None,
        variables.map(|(name, text)| (name.into(), text.into())),
    )
}

fn assert_told(faults: &[String], expected: &[&[&str]]) {
    assert_eq!(faults.len(), expected.len(), "{faults:?}");
    for (fault, words) in faults.iter().zip(expected) {
        assert!(words.iter().all(|word| fault.contains(word)), "{fault}");
    }
}

#[test]
fn every_fault_of_a_file_is_told_with_its_line_and_its_name() {
    let text = "store.engine = 'mysql'\n\
                [server]\nlisen = '127.0.0.1:80'\nlisten = 'here'\n\
                [limits]\nfile_days = 1.5\nreads_per_minute = 0\nplugin_calls = 5\n\
                [card]\nenabled = 'no'\n\
                [webhook]\nkey = 'a'\nother = 'b'\n\
                [webhooks]\nkey = 'a'\n\
                [mail]\nhost = 'mail.example'\n";

    assert_told(
        &checked(text),
        &[
            &["line 1:", "store.engine: unknown variant `mysql`"],
            &["line 3:", "server.lisen: unknown field"],
            &["line 4:", "server.listen: "],
            &["line 6:", "limits.file_days: invalid type"],
            &["line 7:", "limits.reads_per_minute: ", "nonzero"],
            &["line 10:", "card.enabled: invalid type"],
            &["line 11:", "unknown field `webhook`"],
            &["line 15:", "webhooks.key is set"],
        ],
    );
}

#[test]
fn every_line_that_is_no_toml_is_told() {
    let faults = checked("[server]\nlisten = \nbase_url = 'a'\nno toml\n");

    assert_told(&faults, &[&["line 2:"], &["line 4:"]]);
}

#[test]
fn every_variable_with_a_fault_is_told_by_name() {
    let variables = [
        ("PARAFA_SERVER__LISEN", "127.0.0.1:80"),
        ("PARAFA_LIMITS__DOWNLOADS", "many"),
        ("PARAFA_OUTBOUND__ALLOW", "[a:1]"),
        ("PARAFA_WEBHOOKS__KEY", "a.pem"),
        ("PARAFA_MAIL__HOST", "mail.example"),
    ];

    let faults = read(variables).unwrap_err().into_sentences();

    assert_told(
        &faults,
        &[
            &["lisen", "PARAFA_SERVER__LISEN"],
            &["limits.downloads", "PARAFA_LIMITS__DOWNLOADS"],
            &["outbound.allow", "PARAFA_OUTBOUND__ALLOW"],
            &["webhooks.key is set", "PARAFA_WEBHOOKS__KEY"],
        ],
    );
}

#[test]
fn values_of_other_types_are_faults_by_name() {
    for (text, name) in [
        (
            "[limits]\nreads_per_minute = 2.9",
            "limits.reads_per_minute",
        ),
        ("[limits]\ndownloads = '5'", "limits.downloads"),
        ("[card]\nenabled = 'yes'", "card.enabled"),
        ("[card]\nenabled = 1", "card.enabled"),
        ("[mail]\nport = 25.0", "mail.port"),
        ("[outbound]\nallow = 'a.example:443'", "outbound.allow"),
        ("server = 1", "server: "),
        ("webhooks = 1", "webhooks: it must be a section"),
    ] {
        assert_told(&checked(text), &[&["line ", name]]);
    }
}

#[test]
fn what_is_lacking_is_no_fault_of_what_is_there() {
    for text in [
        "",
        "[server]\nlisten = '127.0.0.1:80'",
        "[webhooks]\n[mail]\n",
    ] {
        assert_told(&checked(text), &[]);
    }
}

#[test]
fn a_variable_without_a_section_is_told_of() {
    let names = ["PARAFA_NOSECTION", "PARAFA_SERVER__LISTEN", "PATH"];
    let variables = names.map(|name| (name.into(), "1".into()));

    let told = without_section(variables.into_iter());

    assert_eq!(told.len(), 1);
    assert!(told[0].contains("PARAFA_NOSECTION"), "{told:?}");
}

#[test]
fn only_readable_variables_of_a_section_are_taken() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    let variables = [
        ("PARAFA_SERVER__LISTEN".into(), "127.0.0.1:9999".into()),
        ("PARAFA_ELSEWHERE".into(), "x".into()),
        ("HOME".into(), OsString::from_vec(vec![0xff])),
    ];

    let taken = Variable::among(variables);

    assert_eq!(taken.len(), 1);
    assert!(taken[0].sets("server", "listen"), "{taken:?}");
}

#[test]
fn a_list_is_written_with_commas_or_as_json_or_toml_has_it() {
    let list = |text: &str| {
        let lists = readings(text).filter_map(|value| value.try_into::<Vec<String>>().ok());
        lists.collect::<Vec<_>>()
    };
    for text in [
        "a:1,b:2",
        " a:1 , b:2 ",
        r#"["a:1","b:2"]"#,
        r#" [ "a:1", "b:2" ] "#,
        r#"["a:1","\u0062:2"]"#,
        "['a:1', 'b:2',]",
    ] {
        assert_eq!(list(text), [["a:1", "b:2"]], "{text}");
    }
    assert_eq!(list("[::1]:80,[::2]:80"), [["[::1]:80", "[::2]:80"]]);
    for empty in ["", " ", "[]"] {
        assert_eq!(list(empty), [[""; 0]], "{empty}");
    }
}

#[test]
fn what_is_in_brackets_and_no_list_of_texts_is_refused_by_name() {
    for text in ["[a:1]", "[1]", "['a:1'", "['a:1']\nother = ['b:2']"] {
        let read = read([("PARAFA_OUTBOUND__ALLOW", text)]);
        if text.ends_with(']') {
            let why = read.unwrap_err().to_string();
            assert!(why.contains("outbound.allow"), "{why}");
        } else {
            assert!(read.is_ok(), "{text} is one member with a bracket");
        }
    }
}

#[test]
fn what_sections_lack_is_told_of_all_of_them() {
    let faults = checked("[mail]\nhost = 'mail.example'\n[mobile_id]\nrelying_party_name = 'a'\n");

    assert_told(
        &faults,
        &[
            &["mail.port is missing"],
            &["mobile_id.base_url is missing"],
        ],
    );
}
