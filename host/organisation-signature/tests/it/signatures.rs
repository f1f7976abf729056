use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use openssl::sha::sha256;
use openssl::x509::X509;
use parafa_attorney::SigningKey;
use parafa_fixtures::referees::{AsicE, Dss, JwsLibraries};
use parafa_fixtures::tool::program;
use parafa_organisation_signature::SignatureLevel;
use parafa_plugin_host::{DigestAlgorithm, SignatureAlgorithm};
use serde_json::Value;

use crate::stage::{ANSWER, Stage, files};

const LEVELS: [(SignatureLevel, &str); 2] = [(SignatureLevel::T, "T"), (SignatureLevel::Lt, "LT")];

/// Attorneys with either kind of key, and its algorithm.
async fn stages() -> [(Stage, SignatureAlgorithm); 2] {
    let sha256 = DigestAlgorithm::Sha256;
    [
        (Stage::set().await, SignatureAlgorithm::RsaPkcs1(sha256)),
        (Stage::on_p256().await, SignatureAlgorithm::Ecdsa(sha256)),
    ]
}

/// Members of a flattened JSON Web Signature.
fn members(jws: &[u8]) -> Value {
    serde_json::from_slice(jws).unwrap()
}

fn decoded(member: &Value) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(member.as_str().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn json_is_signed_at_the_level_that_is_asked_for_as_others_see_it_too() {
    for (stage, algorithm) in stages().await {
        assert_json_is_signed(&stage, algorithm).await;
    }
}

async fn assert_json_is_signed(stage: &Stage, algorithm: SignatureAlgorithm) {
    let signer = stage.signer();
    let named = match algorithm {
        SignatureAlgorithm::Ecdsa(_) => "ES256",
        _ => "RS256",
    };
    let mut made = Vec::new();
    for (level, name) in LEVELS {
        let signed = signer.jades(ANSWER.into(), level).await.unwrap();
        let jws = signed.content;
        let parts = members(&jws);
        assert_eq!(decoded(&parts["payload"]), ANSWER.as_bytes());
        let protected = members(&decoded(&parts["protected"]));
        assert_eq!(protected["alg"], named);
        let components: Vec<Value> = parts["header"]["etsiU"]
            .as_array()
            .unwrap()
            .iter()
            .map(|component| serde_json::from_slice(&decoded(component)).unwrap())
            .collect();
        let names = components
            .iter()
            .map(|part| part.as_object().unwrap().keys().next().unwrap());
        let names: Vec<_> = names.map(String::as_str).collect();
        match level {
            SignatureLevel::T => assert_eq!(names, ["sigTst"]),
            SignatureLevel::Lt => assert_eq!(names, ["sigTst", "xVals", "rVals"]),
        }
        made.push(stage.file(&format!("{name}.json"), &jws));
    }

    let roots = stage.world.roots();
    if let Some(judges) = JwsLibraries::find(&roots[0]) {
        for verdict in judges.jwcrypto(&made).iter().chain(&judges.jose(&made)) {
            assert!(verdict.ok, "{verdict:?}");
            assert!(verdict.timestamps.iter().all(|holds| *holds), "{verdict:?}");
        }
    }
    if let Some(dss) = Dss::find(roots) {
        for (file, (_, level)) in made.iter().zip(LEVELS) {
            let online: &[&str] = match level {
                "T" => &["--level", "T", "--online-loopback"],
                _ => &["--level", "LT"],
            };
            let verdict = dss.verdict(file, online);
            assert!(verdict.ok, "{level}: {verdict:#?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_packed_and_signed_at_lt_as_others_see_it_too() {
    for (stage, algorithm) in stages().await {
        assert_files_are_signed(&stage, algorithm).await;
    }
}

async fn assert_files_are_signed(stage: &Stage, algorithm: SignatureAlgorithm) {
    let container = stage.signer().asice(files()).await.unwrap().content;

    let plugin = stage.plugins.by_id("asice").unwrap();
    let packed = plugin.members(container.clone()).await.unwrap();
    for file in files() {
        let member = packed
            .iter()
            .find(|member| member.name == file.name)
            .unwrap();
        assert_eq!(member.media_type, file.media_type);
        assert_eq!(member.digest.value, sha256(&file.content));
    }
    assert_eq!(packed.len(), files().len());
    let evidence = plugin.verify(container.clone()).await.unwrap();
    let [signature] = &evidence.signatures[..] else {
        panic!("{evidence:?}")
    };
    assert_eq!(signature.level, "XAdES-B-LT");
    assert_eq!(signature.algorithm, Some(algorithm));
    assert_eq!(signature.coverage.members.len(), files().len());
    let own = stage.key().chain()[0].clone();
    assert_eq!(signature.signer_certificate, Some(Bytes::from(own)));

    let file = stage.file("answer.asice", &container);
    let roots = stage.world.roots();
    if let Some(judge) = AsicE::find(roots) {
        let verdict = &judge.verdicts(&[&file])[0];
        assert!(verdict.ok, "{verdict:#?}");
    }
    if let Some(dss) = Dss::find(roots) {
        let verdict = dss.verdict(&file, &["--level", "LT"]);
        assert!(verdict.ok, "{verdict:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_value_verifies_where_the_input_was_hashed_once() {
    let stage = Stage::set().await;
    let Some(openssl) = program("openssl") else {
        return;
    };
    let jws = stage
        .signer()
        .jades(ANSWER.into(), SignatureLevel::T)
        .await
        .unwrap()
        .content;
    let parts = members(&jws);
    let text = |name: &str| parts[name].as_str().unwrap();
    let input = format!("{}.{}", text("protected"), text("payload"));
    let digest = sha256(input.as_bytes());
    let certificate = X509::from_der(&stage.key().chain()[0]).unwrap();
    let key = certificate
        .public_key()
        .unwrap()
        .public_key_to_pem()
        .unwrap();
    stage.file("key.pem", &key);
    stage.file("value", &decoded(&parts["signature"]));
    stage.file("input", input.as_bytes());
    stage.file("digest", &digest);
    let accepts = |words: &str| {
        let mut command = Command::new(&openssl);
        command.args(words.split(' ')).current_dir(stage.folder());
        command.output().unwrap().status.success()
    };

    assert!(accepts(
        "pkeyutl -verify -pubin -inkey key.pem -in digest -sigfile value \
         -pkeyopt rsa_padding_mode:pkcs1 -pkeyopt digest:sha256"
    ));
    assert!(accepts(
        "dgst -sha256 -verify key.pem -signature value input"
    ));
    assert!(!accepts(
        "dgst -sha256 -verify key.pem -signature value digest"
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_signs_is_named_as_their_certificate_names_them() {
    let stage = Stage::set().await;

    assert_eq!(stage.signer().signatory(), "TESTAS ADVOKATAS");
}
