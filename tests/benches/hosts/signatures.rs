//! Whole signatures, over HTTP: a document is posted, a card signs it by the calls of the signer's
//! page, and the signed document is fetched. Cards answer at once, where a phone would take about a
//! second.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use parafa_test_services::{Postgres, S3};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::callers::{Rounds, Times};
use crate::server::{Disk, Server, answer};
use crate::{Scale, creation};

/// People who sign at the same time.
const SIGNERS: [usize; 2] = [1, 8];
/// Personas whose cards sign, in turns: a person has few attempts at the same time.
const CARDS: [&str; 4] = ["card-p256", "card-p384", "card-p521", "card-rsa"];
/// How long one look at the state waits for a change, in milliseconds.
const LOOK_MS: usize = 20_000;

pub(crate) async fn measure(server: &Postgres, scale: &Scale) {
    let s3 = S3::start();
    let body = Bytes::from(creation().to_string());
    let setups = [
        ("sled", Arc::new(Server::start(Disk::Real, &[]))),
        ("PostgreSQL", Arc::new(shared(server, None))),
        (
            "PostgreSQL and a bucket",
            Arc::new(shared(server, Some(&s3))),
        ),
    ];
    for (_, server) in &setups {
        for _ in 0..scale.listed {
            answer(server.post("v1/signings", body.clone())).await;
        }
    }
    let (mut signatures, mut pages) = (Rounds::default(), Rounds::default());
    for _ in 0..scale.rounds {
        for (name, server) in &setups {
            let server = server.clone();
            let ask = move |_| {
                let server = server.clone();
                async move { drop(answer(server.get("v1/signings")).await) }
            };
            pages.add(name, Times::of(1, scale.within, ask).await);
        }
        for signers in SIGNERS {
            for (name, server) in &setups {
                let (server, body) = (server.clone(), body.clone());
                let sign = move |signer| {
                    let (server, body) = (server.clone(), body.clone());
                    async move { sign(&server, CARDS[signer % CARDS.len()], body).await }
                };
                let times = Times::of(signers, scale.within, sign).await;
                signatures.add(&format!("{name}, signers: {signers}"), times);
            }
        }
    }
    println!("{}", pages.table("first page of signings, one caller"));
    println!("{}", signatures.table("whole signatures"));
}

/// A server whose records are in a database of its own, and its documents there too or in a bucket.
pub(crate) fn shared(server: &Postgres, bucket: Option<&S3>) -> Server {
    let database = server.database().url;
    let (url, variables) = bucket.map(|s3| (s3.url(), s3.variables())).unzip();
    let mut settings = vec![
        ("PARAFA_STORE__ENGINE", "postgres"),
        ("PARAFA_STORE__URL", &database),
    ];
    settings.extend(url.iter().map(|url| ("PARAFA_OBJECTS__URL", &url[..])));
    let variables = variables.iter().flatten();
    settings.extend(variables.map(|(name, value)| (&name[..], &value[..])));
    Server::start(Disk::Real, &settings)
}

async fn sign(server: &Server, card: &str, body: Bytes) {
    let text = |answer: &Value, member: &str| {
        let value = answer[member].as_str();
        value.expect("the answer has it").to_owned()
    };
    let created = answer(server.post("v1/signings", body)).await;
    let link = text(&created["signers"][0], "ceremonyUrl");
    let call = async |call: &str, body: &Value| {
        let body = Bytes::from(body.to_string());
        answer(server.post_by_link(&format!("{link}/{call}"), body)).await
    };

    call("attempts", &json!({"method": "nfc"})).await;
    let card = format!("{}/{card}/signing", server.demo("/world/cards"));
    let certificate = answer(server.http().get(&card)).await;
    let asked = call("card/certificate", &certificate).await;
    let bytes = BASE64.decode(text(&asked, "dtbs")).expect("base64");
    let digest = json!({"sha256": BASE64.encode(Sha256::digest(bytes))});
    let request = server.http().post(format!("{card}/sign")).json(&digest);
    let mut signed = answer(request).await;
    signed["operationToken"] = asked["operationToken"].clone();
    call("card/complete", &signed).await;
    loop {
        let state = format!("{link}/state?waitMs={LOOK_MS}");
        let shown = answer(server.http().get(&state)).await;
        match shown["attempt"]["phase"].as_str() {
            Some("done") => break,
            Some("failed") => panic!("{shown}"),
            _ => {}
        }
    }
    let path = format!("v1/signings/{}/document", text(&created, "signingId"));
    let document = server.get(&path).send().await.expect("an answer");
    assert!(document.status().is_success(), "{}", document.status());
    document.bytes().await.expect("the signed document");
}
