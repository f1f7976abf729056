//! Tests with SoftHSM, which reads the location of its tokens from its environment when it is
//! loaded. Each scene with a token therefore runs in its own process: this program again, for one
//! of the tests that are otherwise ignored.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::mechanism::Mechanism;
use cryptoki::object::{Attribute, AttributeType};
use cryptoki::session::UserType;
use cryptoki::types::AuthPin;
use futures::future::join_all;
use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcGroup, EcKey, EcPoint};
use openssl::nid::Nid;
use openssl::pkey::PKey;
use openssl::rsa::Rsa;
use openssl::x509::X509;
use parafa_attorney::{KeyAlgorithm, Pin, Pkcs11Key, Pkcs11Settings, SigningKey, SigningKeyError};
use parafa_fixtures::tool::{or_skip, program};
use tempfile::TempDir;

use crate::support::{Holder, digest, verifies};

/// The folder of a scene, for the process that plays it.
const FOLDER: &str = "PARAFA_TEST_TOKEN";
const PIN: &str = "648219";
const KEYS: [&str; 3] = ["rsa", "p256", "p384"];
/// Paths of the module on Debian and other distributions.
const MODULES: [&str; 4] = [
    "/usr/lib/softhsm/libsofthsm2.so",
    "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
    "/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so",
    "/usr/lib64/pkcs11/libsofthsm2.so",
];

#[test]
fn keys_of_every_kind_in_a_token_sign_digests_that_verify() {
    play("scene_every_key");
}

#[test]
fn many_sign_at_once_over_few_sessions() {
    play("scene_many_at_once");
}

#[test]
fn a_wrong_pin_is_tried_once() {
    play("scene_wrong_pin");
}

#[test]
fn a_token_that_was_away_signs_again() {
    play("scene_token_away");
}

#[test]
fn a_key_that_wants_a_login_for_every_signature_gets_it() {
    play("scene_always_authenticate");
}

#[test]
fn what_is_not_there_is_unavailable() {
    play("scene_nothing_there");
}

#[tokio::test]
#[ignore = "played by another test"]
async fn scene_every_key() {
    let algorithms = [
        KeyAlgorithm::Rs256,
        KeyAlgorithm::Es256,
        KeyAlgorithm::Es384,
    ];
    for (name, algorithm) in KEYS.into_iter().zip(algorithms) {
        let by_label = key(name, |settings| settings.key_label = Some(name.to_owned()));
        let by_id = key(name, |settings| {
            settings.key_id = Some(name.as_bytes().to_vec());
        });
        for key in [by_label, by_id] {
            assert_eq!(key.algorithm(), algorithm);
            key.check().await.unwrap();

            let value = key.sign_digest(&digest(algorithm)).await.unwrap();

            assert!(verifies(&certificate(name), algorithm, &value), "{name}");
        }
    }
}

#[tokio::test]
#[ignore = "played by another test"]
async fn scene_many_at_once() {
    let key = key("p256", |settings| {
        settings.key_label = Some("p256".to_owned());
        settings.sessions = 2;
    });
    let digest = digest(KeyAlgorithm::Es256);

    let values = join_all((0..50).map(|_| key.sign_digest(&digest))).await;

    for value in values {
        let value = value.unwrap();
        assert!(verifies(&certificate("p256"), KeyAlgorithm::Es256, &value));
    }
}

#[tokio::test]
#[ignore = "played by another test"]
async fn scene_wrong_pin() {
    let key = key("p256", |settings| {
        settings.key_label = Some("p256".to_owned());
        settings.pin = Pin::new("000000".to_owned());
    });
    let digest = digest(KeyAlgorithm::Es256);

    let refused = key.sign_digest(&digest).await.unwrap_err();
    assert!(matches!(refused, SigningKeyError::Refused(_)), "{refused}");

    // Another call of the token would fail differently: it is gone.
    std::fs::rename(folder().join("tokens"), folder().join("away")).unwrap();
    assert_eq!(key.sign_digest(&digest).await.unwrap_err(), refused);
}

#[tokio::test]
#[ignore = "played by another test"]
async fn scene_token_away() {
    let key = key("p256", |settings| {
        settings.key_label = Some("p256".to_owned());
    });
    let digest = digest(KeyAlgorithm::Es256);
    let [here, away] = ["tokens", "away"].map(|name| folder().join(name));
    key.sign_digest(&digest).await.unwrap();

    std::fs::rename(&here, &away).unwrap();
    let unavailable = key.sign_digest(&digest).await.unwrap_err();
    std::fs::rename(&away, &here).unwrap();
    let value = key.sign_digest(&digest).await.unwrap();

    let is_unavailable = matches!(unavailable, SigningKeyError::Unavailable(_));
    assert!(is_unavailable, "{unavailable}");
    assert!(verifies(&certificate("p256"), KeyAlgorithm::Es256, &value));
}

#[tokio::test]
#[ignore = "played by another test"]
async fn scene_always_authenticate() {
    for (name, mechanism, parameters, algorithm) in [
        (
            "rsa-anew",
            Mechanism::RsaPkcsKeyPairGen,
            vec![Attribute::ModulusBits(2048.into())],
            KeyAlgorithm::Rs256,
        ),
        (
            "p256-anew",
            Mechanism::EccKeyPairGen,
            // The object identifier of P-256.
            vec![Attribute::EcParams(vec![
                0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07,
            ])],
            KeyAlgorithm::Es256,
        ),
    ] {
        generate(name, &mechanism, parameters);
        let anew = key(name, |settings| settings.key_label = Some(name.to_owned()));
        anew.check().await.unwrap();
        for _ in 0..3 {
            let value = anew.sign_digest(&digest(algorithm)).await.unwrap();
            assert!(verifies(&certificate(name), algorithm, &value), "{name}");
        }
        let many = join_all((0..20).map(|_| anew.sign_digest(&[7; 32]))).await;
        assert!(many.iter().all(Result::is_ok), "{many:?}");
    }
}

/// Makes a key in the token that wants a login for every use, and a file with a
/// certificate of it.
fn generate(name: &str, mechanism: &Mechanism<'_>, mut parameters: Vec<Attribute>) {
    let module = std::env::var_os("PARAFA_TEST_MODULE").expect("a scene has a module");
    let module = Pkcs11::new(Path::new(&module)).unwrap();
    let locking = CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK);
    module.initialize(locking).unwrap();
    let mut slots = module.get_slots_with_token().unwrap().into_iter();
    let is_ours = |slot: &_| module.get_token_info(*slot).unwrap().label() == "parafa";
    let slot = slots.find(is_ours).unwrap();
    let session = module.open_rw_session(slot).unwrap();
    session
        .login(UserType::User, Some(&AuthPin::new(PIN.into())))
        .unwrap();
    parameters.push(Attribute::Token(true));
    let kept = [
        Attribute::Token(true),
        Attribute::Private(true),
        Attribute::Sensitive(true),
        Attribute::Sign(true),
        Attribute::AlwaysAuthenticate(true),
        Attribute::Label(name.into()),
    ];
    let (public, _) = session
        .generate_key_pair(mechanism, &parameters, &kept)
        .unwrap();
    let wanted = [
        AttributeType::Modulus,
        AttributeType::PublicExponent,
        AttributeType::EcPoint,
    ];
    let told = session.get_attributes(public, &wanted).unwrap();
    let number = |octets: &Vec<u8>| BigNum::from_slice(octets).unwrap();
    let public = match &told[..] {
        [Attribute::Modulus(n), Attribute::PublicExponent(e)] => {
            let rsa = Rsa::from_public_components(number(n), number(e)).unwrap();
            PKey::from_rsa(rsa).unwrap()
        }
        // The point is an octet string in DER.
        [Attribute::EcPoint(point)] => {
            let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
            let mut context = BigNumContext::new().unwrap();
            let point = EcPoint::from_bytes(&group, &point[2..], &mut context).unwrap();
            PKey::from_ec_key(EcKey::from_public_key(&group, &point).unwrap()).unwrap()
        }
        other => panic!("{other:?}"),
    };
    drop(session);
    module.finalize().unwrap();
    let certificate = Holder::certified(&public);
    std::fs::write(folder().join(name), certificate.to_pem().unwrap()).unwrap();
}

#[tokio::test]
#[ignore = "played by another test"]
async fn scene_nothing_there() {
    let digest = digest(KeyAlgorithm::Es256);
    let changes: [fn(&mut Pkcs11Settings); 3] = [
        |settings| settings.token = "another".to_owned(),
        |settings| settings.key_label = Some("another".to_owned()),
        |settings| settings.module = "/nowhere/module.so".into(),
    ];
    for change in changes {
        let key = key("p256", |settings| {
            settings.key_label = Some("p256".to_owned());
            change(settings);
        });
        let unavailable = key.sign_digest(&digest).await.unwrap_err();
        let is_unavailable = matches!(unavailable, SigningKeyError::Unavailable(_));
        assert!(is_unavailable, "{unavailable}");
        assert!(key.check().await.is_err());
    }
}

/// Runs a scene in a process of its own, with a token that has keys of every kind.
fn play(scene: &str) {
    let Some((module, utility)) = module().zip(program("softhsm2-util")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    furnish(&folder, &utility);
    let played = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "--nocapture"])
        .arg(format!("token::{scene}"))
        .env("SOFTHSM2_CONF", folder.path().join("softhsm2.conf"))
        .env("PARAFA_TEST_MODULE", module)
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&played.stdout);
    let is_played = played.status.success() && said.contains("1 passed");
    assert!(
        is_played,
        "{said}{}",
        String::from_utf8_lossy(&played.stderr)
    );
}

fn module() -> Option<PathBuf> {
    let found = MODULES.into_iter().map(PathBuf::from);
    or_skip(
        "libsofthsm2.so",
        found.into_iter().find(|path| path.is_file()),
    )
}

/// Makes a token with keys, and files with their certificates.
fn furnish(folder: &TempDir, utility: &Path) {
    let path = |name: &str| folder.path().join(name);
    let tokens = path("tokens");
    std::fs::create_dir(&tokens).unwrap();
    let settings = format!(
        "directories.tokendir = {}\nobjectstore.backend = file\nlog.level = ERROR\n",
        tokens.display()
    );
    std::fs::write(path("softhsm2.conf"), settings).unwrap();
    let run = |words: &[&str]| {
        let done = Command::new(utility)
            .args(words)
            .env("SOFTHSM2_CONF", path("softhsm2.conf"))
            .output()
            .unwrap();
        assert!(done.status.success(), "{words:?}: {done:?}");
    };
    run(&[
        "--init-token",
        "--free",
        "--label",
        "parafa",
        "--pin",
        PIN,
        "--so-pin",
        "12345678",
    ]);
    let holders = [
        Holder::rsa(2048),
        Holder::elliptic(Nid::X9_62_PRIME256V1),
        Holder::elliptic(Nid::SECP384R1),
    ];
    for (name, holder) in KEYS.into_iter().zip(holders) {
        let file = path("key.pem");
        std::fs::write(&file, holder.key_pem()).unwrap();
        std::fs::write(path(name), holder.certificate_pem()).unwrap();
        let id: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
        let file = file.to_str().unwrap();
        run(&[
            "--import", file, "--token", "parafa", "--label", name, "--id", &id, "--pin", PIN,
        ]);
    }
}

fn folder() -> PathBuf {
    std::env::var_os(FOLDER)
        .expect("a scene has its folder")
        .into()
}

fn certificate(name: &str) -> X509 {
    X509::from_pem(&std::fs::read(folder().join(name)).unwrap()).unwrap()
}

/// The key of the token that a certificate is of, by these settings.
fn key(name: &str, set: impl FnOnce(&mut Pkcs11Settings)) -> Pkcs11Key {
    let module = std::env::var_os("PARAFA_TEST_MODULE").expect("a scene has a module");
    let mut settings = Pkcs11Settings {
        module: module.into(),
        token: "parafa".to_owned(),
        key_label: None,
        key_id: None,
        pin: Pin::new(PIN.to_owned()),
        sessions: 4,
        timeout: Duration::from_secs(30),
    };
    set(&mut settings);
    Pkcs11Key::new(settings, &std::fs::read(folder().join(name)).unwrap()).unwrap()
}
