//! Assertions, verified by external libraries.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parafa_fixtures::referees::{installed, python};
use parafa_fixtures::tool;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::auth::{Provider, send};
use crate::support::demo::Demo;
use crate::support::operator::done;
use crate::support::root;

/// Address of the keys.
const KEYS: &str = "/v1/auth/.well-known/jwks.json";

/// A relying party that verifies with external libraries.
struct Judge<'d> {
    provider: &'d Provider,
    now: jiff::Timestamp,
}

impl Judge<'_> {
    /// Returns the verdict of npm's jose; `None` if it is not installed.
    fn jose(&self, assertion: &str) -> Option<Value> {
        let folder = installed("jose");
        let modules = folder.join("node_modules");
        tool::or_skip("npm's jose", modules.is_dir().then_some(()))?;
        let mut command = Command::new(tool::program("node")?);
        command
            .current_dir(folder)
            .arg(root().join("tests/referees/jose/assertion.mjs"))
            .arg(format!("{}{KEYS}", self.provider.base));
        Some(self.verdict(command, assertion))
    }

    /// Returns the verdict of jwcrypto.
    async fn jwcrypto(&self, assertion: &str) -> Option<Value> {
        let python = python()?;
        let (_, keys) = send(self.provider.request(Method::GET, KEYS)).await;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("jwks.json");
        fs::write(&file, keys.to_string()).expect("a file");
        let mut command = Command::new(python);
        command
            .arg(root().join("tests/referees/assertion.py"))
            .arg(&file);
        Some(self.verdict(command, assertion))
    }

    fn verdict(&self, mut command: Command, assertion: &str) -> Value {
        let mut judge = command
            .args([&self.provider.base, &self.provider.key.audience])
            .arg(self.now.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the judge starts");
        let mut input = judge.stdin.take().expect("it is piped");
        input.write_all(assertion.as_bytes()).expect("it reads");
        drop(input);
        let output = judge.wait_with_output().expect("it ends");
        serde_json::from_slice(&output.stdout).expect("a verdict")
    }

    /// Returns the verdicts of the installed libraries.
    async fn verdicts(&self, assertion: &str) -> Vec<Value> {
        let jose = self.jose(assertion);
        jose.into_iter()
            .chain(self.jwcrypto(assertion).await)
            .collect()
    }
}

async fn assertion(provider: &Provider) -> String {
    let request = provider.card_request().await;
    let (_, answer) = provider.authenticate(&request, "card-p384").await;
    answer["assertion"]
        .as_str()
        .expect("an assertion")
        .to_owned()
}

pub(super) fn key_of(assertion: &str) -> String {
    let header = assertion.split('.').next().expect("a header");
    let header = URL_SAFE_NO_PAD.decode(header).expect("base64");
    let header: Value = serde_json::from_slice(&header).expect("JSON");
    header["kid"].as_str().expect("a name").to_owned()
}

#[tokio::test]
async fn foreign_libraries_verify_who_has_authenticated() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let judge = Judge {
        provider: &provider,
        now: jiff::Timestamp::now(),
    };
    let request = provider.card_request().await;
    let (_, submitted) = provider.submit(&request, "card-p384").await;
    let completion = provider.completion("card-p384", &submitted).await;
    let (_, answer) = provider.complete(&request, &completion).await;

    for verdict in judge
        .verdicts(answer["assertion"].as_str().expect("a text"))
        .await
    {
        assert_eq!(verdict["ok"], true, "{verdict}");
        let claims = &verdict["claims"];
        assert_eq!(claims["sub"], "PNOLT-48706189911");
        assert_eq!(claims["amr"], json!(["sc", "hwk", "pin", "mfa"]));
        assert_eq!(claims["eid_method"], "physical");
        assert_eq!(claims["nonce"], submitted["challenge"]["nonce"]);
        assert_eq!(claims["given_name"], "AUŠRA");
        assert_eq!(claims["family_name"], "KORTELIENĖ");
        assert!(claims.get("acr").is_none());
        let lifetime = claims["exp"].as_i64().zip(claims["iat"].as_i64());
        assert_eq!(lifetime.map(|(end, begin)| end - begin), Some(300));
    }
}

#[tokio::test]
async fn forged_assertions_and_those_of_others_are_none() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let now = jiff::Timestamp::now();
    let genuine = assertion(&provider).await;
    let parts: Vec<&str> = genuine.split('.').collect();
    let claims = URL_SAFE_NO_PAD.decode(parts[1]).expect("base64");
    let mut claims: Value = serde_json::from_slice(&claims).expect("JSON");
    claims["sub"] = "PNOLT-38504239920".into();
    let other_claims = URL_SAFE_NO_PAD.encode(claims.to_string());
    let unsigned =
        URL_SAFE_NO_PAD.encode(json!({"alg": "none", "kid": key_of(&genuine)}).to_string());

    let forged = format!("{}.{other_claims}.{}", parts[0], parts[2]);
    let without = format!("{unsigned}.{other_claims}.");

    let judge = Judge {
        provider: &provider,
        now,
    };
    for assertion in [&forged, &without] {
        for verdict in judge.verdicts(assertion).await {
            assert_eq!(verdict["ok"], false, "{verdict}");
        }
    }
    let late = Judge {
        provider: &provider,
        now: now + jiff::SignedDuration::from_mins(6),
    };
    for verdict in late.verdicts(&genuine).await {
        assert_eq!(verdict["ok"], false, "{verdict}");
    }
}

#[tokio::test]
async fn a_new_key_signs_when_it_is_known_and_the_one_before_still_verifies_for_a_day() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let before = assertion(&provider).await;

    let rotated = done(&demo.data(), &["provider", "rotate-key"]);

    let meanwhile = assertion(&provider).await;
    assert_eq!(
        key_of(&meanwhile),
        key_of(&before),
        "others may lack the new key"
    );
    demo.move_clock("+5m");
    let after = assertion(&provider).await;
    assert_eq!(rotated["kid"], key_of(&after));
    assert_ne!(key_of(&before), key_of(&after));
    for (assertion, minutes) in [(&meanwhile, 0), (&after, 5)] {
        let judge = Judge {
            provider: &provider,
            now: jiff::Timestamp::now() + jiff::SignedDuration::from_mins(minutes),
        };
        for verdict in judge.verdicts(assertion).await {
            assert_eq!(verdict["ok"], true, "{verdict}");
        }
    }
    let published = async || {
        let (_, keys) = send(provider.request(Method::GET, KEYS)).await;
        let keys = keys["keys"].as_array().expect("a list").clone();
        assert!(
            keys.iter().all(|key| key.get("d").is_none()),
            "no private half"
        );
        keys.iter()
            .map(|key| key["kid"].as_str().expect("a name").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(published().await, [key_of(&after), key_of(&before)]);
    demo.move_clock("+25h");
    assert_eq!(published().await, [key_of(&after)]);
    demo.move_clock("+31d");
    let latest = published().await;
    assert!(!latest.contains(&key_of(&before)) && latest[0] != key_of(&after));
}
