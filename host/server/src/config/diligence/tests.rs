use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use openssl::ssl::{SslAcceptor, SslMethod, SslVerifyMode};
use parafa_issuing::{Credential, Extension, Key, KeyKind, Profile};
use parafa_register_data::{Query, synthetic};
use parafa_registers::{SourceError, Unavailable};
use tempfile::TempDir;

use super::*;

/// Certificate authority.
struct Authority(Credential);

impl Authority {
    fn new() -> Self {
        let root = Profile::named("Test Root").with(Extension::authority(None));
        Self(Credential::self_signed(&root, key()).unwrap())
    }

    fn certifies(&self, name: &str) -> Credential {
        let profile = Profile::named(name).with(Extension::host_name(name));
        self.0.issue(&profile, key()).unwrap()
    }
}

fn key() -> Key {
    Key::generate(KeyKind::P256).unwrap()
}

/// Starts a gateway with this certificate that answers company profiles. It
/// accepts only clients certified by the authority.
fn gateway(authority: &Authority) -> Url {
    let mut acceptor = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server()).unwrap();
    let server = authority.certifies("localhost");
    acceptor.set_certificate(&server.x509()).unwrap();
    acceptor.set_private_key(server.key.pkey()).unwrap();
    let clients = acceptor.cert_store_mut();
    clients.add_cert(authority.0.x509()).unwrap();
    acceptor.set_verify(SslVerifyMode::PEER | SslVerifyMode::FAIL_IF_NO_PEER_CERT);
    let acceptor = acceptor.build();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let synthetic::Answer::Data(data) = synthetic::answer(&query()) else {
        panic!("the set has it")
    };
    let body = serde_json::to_string(&data).unwrap();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let Ok(mut client) = acceptor.accept(client.unwrap()) else {
                continue;
            };
            let _ = client.read(&mut [0; 4096]);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let length = body.len();
            let _ = write!(client, "{head}\r\ncontent-length: {length}\r\n\r\n{body}");
            let _ = client.shutdown();
        }
    });
    Url::parse(&format!("https://localhost:{port}")).unwrap()
}

fn query() -> Query {
    Query::CompanyProfile(synthetic::COMPLETE.parse().unwrap())
}

/// Creates settings with a client certificate for a gateway, in files of their
/// own.
fn shown_to(url: Url, authority: &Authority) -> (TempDir, Diligence) {
    let folder = tempfile::tempdir().unwrap();
    let keep = |name: &str, content: Vec<u8>| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        Some(path)
    };
    let client = authority.certifies("client.example");
    let settings = Diligence {
        gateway_url: Some(url),
        gateway_token_file: keep("token", b"secret\n".to_vec()),
        gateway_certificate_file: keep("client.pem", client.x509().to_pem().unwrap()),
        gateway_key_file: keep("key.pem", client.key.to_pem().unwrap()),
        gateway_roots_file: keep("roots.pem", authority.0.x509().to_pem().unwrap()),
        ..Diligence::default()
    };
    (folder, settings)
}

async fn ask(settings: &Diligence) -> Result<(), SourceError> {
    let clock: Clock = Arc::new(|| jiff::Timestamp::UNIX_EPOCH);
    let sources = settings.sources(&settings.port().unwrap(), &clock).unwrap();
    sources.answer(&query()).await.map(|_| ())
}

#[tokio::test]
async fn a_gateway_that_asks_for_a_certificate_is_shown_the_one_that_is_set() {
    let (authority, other) = (Authority::new(), Authority::new());
    let url = gateway(&authority);
    let (_folder, settings) = shown_to(url.clone(), &authority);
    assert_eq!(settings.faults().len(), 0);

    ask(&settings).await.unwrap();

    let without = Diligence {
        gateway_certificate_file: None,
        gateway_key_file: None,
        ..settings.clone()
    };
    let (_folder, strangers) = shown_to(url, &other);
    let strangers = Diligence {
        gateway_roots_file: settings.gateway_roots_file.clone(),
        ..strangers
    };
    let without_roots = Diligence {
        gateway_roots_file: None,
        ..settings
    };
    for refused in [without, strangers, without_roots] {
        let refused = ask(&refused).await;
        assert!(
            matches!(
                refused,
                Err(SourceError::Unavailable(Unavailable::NoAnswer(_)))
            ),
            "{refused:?}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_gateway_is_told_by_its_setting() {
    let authority = Authority::new();
    let url: Url = "https://gateway.example".parse().unwrap();
    let (folder, sound) = shown_to(url, &authority);
    let nowhere = || Some(PathBuf::from("/nowhere"));
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "\n").unwrap();
    type Change<'c> = &'c dyn Fn(&mut Diligence);
    let changes: [(Change<'_>, &str); 9] = [
        (
            &|set| set.gateway_token_file = nowhere(),
            "diligence.gateway_token_file /nowhere cannot be read",
        ),
        (
            &|set| set.gateway_token_file = Some(empty.clone()),
            "holds no token",
        ),
        (
            &|set| set.gateway_certificate_file = nowhere(),
            "diligence.gateway_certificate_file /nowhere cannot be read",
        ),
        (
            &|set| set.gateway_key_file = nowhere(),
            "diligence.gateway_key_file /nowhere cannot be read",
        ),
        (
            &|set| set.gateway_key_file = Some(empty.clone()),
            "the key cannot be read",
        ),
        (
            &|set| set.gateway_key_file = None,
            "set together or not at all",
        ),
        (
            &|set| set.gateway_roots_file = Some(empty.clone()),
            "diligence.gateway_roots_file",
        ),
        (
            &|set| set.gateway_url = None,
            "diligence.gateway_token_file is set without diligence.gateway_url",
        ),
        (
            &|set| set.gateway_url = Some("http://gateway.example".parse().unwrap()),
            "is not https",
        ),
    ];
    for (change, why) in changes {
        let mut settings = sound.clone();
        change(&mut settings);
        let faults = settings.faults();
        let [fault] = &faults[..] else {
            panic!("{why}: {faults:?}")
        };
        assert!(format!("{fault:#}").contains(why), "{fault:#}");
    }
}

#[test]
fn a_gateway_is_given_its_time_by_the_settings() {
    let settings: Diligence = toml::from_str(
        "gateway_seconds = 3\ngateway_retries = 0\ngateway_failures = 9\ngateway_rest_seconds = 60",
    )
    .unwrap();
    assert_eq!(settings.gateway_retries, 0);
    for nothing in [
        "gateway_seconds",
        "gateway_failures",
        "gateway_rest_seconds",
        "log_days",
        "packages_kept_days",
    ] {
        let refused = toml::from_str::<Diligence>(&format!("{nothing} = 0"));
        assert!(refused.is_err(), "{nothing}");
    }
}

#[test]
fn a_reviewer_or_contact_that_names_nobody_is_refused_and_one_that_is_missing_is_told_of() {
    let read = |text: &str| toml::from_str::<Diligence>(text).unwrap();
    for setting in ["interpretation_reviewed_by", "privacy_contact"] {
        for nobody in ["", " Rasa", "Rasa\\n", "Ra\\u202Esa", &"x".repeat(201)] {
            let fault = read(&format!("{setting} = \"{nobody}\"")).check_words();
            let fault = fault.unwrap_err().to_string();
            assert!(
                fault.contains(&format!("diligence.{setting} is not valid")),
                "{fault}"
            );
        }
        let named = read(&format!("{setting} = 'Rasa Teisingoji'"));
        assert!(named.check_words().is_ok());
        let asks = "open_data_url = 'https://get.data.gov.lt/'\n";
        let warned = |text: &str| {
            read(text)
                .warnings()
                .filter(|said| said.contains(setting))
                .count()
        };
        assert_eq!(warned(asks), 1);
        assert_eq!(warned(&format!("{asks}{setting} = 'Rasa Teisingoji'")), 0);
        assert_eq!(warned(""), 0, "nobody asks a register");
    }
}
