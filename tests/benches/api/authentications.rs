//! Authentications with a card, from the request to the assertion.

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use openssl::ec::{EcGroup, EcKey};
use openssl::ecdsa::EcdsaSig;
use openssl::nid::Nid;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::task::JoinSet;

use crate::Scale;
use crate::server::{Disk, Server, answer};

/// Concurrent clients.
const CLIENTS: [usize; 2] = [1, 16];
/// Persona whose card has a key on P-384.
const CARD: &str = "card-p384";

pub(crate) async fn measure(scale: &Scale) {
    let server = Arc::new(Server::start(Disk::Real, &[]));
    let verified = verifications_a_second(scale.time);
    println!("\n| a second | 1 caller | 16 callers |\n|---|---|---|");
    let mut rates = [0.0; CLIENTS.len()];
    for (rate, clients) in rates.iter_mut().zip(CLIENTS) {
        *rate = round_trips_a_second(&server, clients, scale.time).await;
    }
    let [alone, many] = rates;
    println!("| authentications with a card, create to assertion | {alone:.0} | {many:.0} |");
    println!("| verifications of a P-384 signature, one thread | {verified:.0} | |");
}

async fn round_trips_a_second(server: &Arc<Server>, clients: usize, time: Duration) -> f64 {
    let begun = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..clients {
        let server = server.clone();
        running.spawn(async move {
            let mut done = 0_u32;
            while begun.elapsed() < time {
                authenticate(&server).await;
                done += 1;
            }
            done
        });
    }
    let done: u32 = running.join_all().await.into_iter().sum();
    f64::from(done) / begun.elapsed().as_secs_f64()
}

async fn authenticate(server: &Server) {
    let text = |answer: &Value, member: &str| {
        let value = answer[member].as_str();
        value.expect("the answer has it").to_owned()
    };
    let http = server.http();
    let service = |path: &str| server.address(&format!("v1/auth/{path}"));
    let card = format!("{}/{CARD}/authentication", server.demo("/world/cards"));
    let request = json!({"audience": server.demo("/auth/audience"), "method": "physical"});
    let request = http.post(service("requests")).json(&request).basic_auth(
        server.demo("/auth/keyId"),
        Some(server.demo("/auth/keySecret")),
    );
    let created = answer(request).await;
    let (id, token) = (text(&created, "requestId"), text(&created, "clientToken"));
    let step = async |step: &str, body: &Value| {
        let request = http.post(service(&format!("{id}/{step}")));
        answer(request.bearer_auth(&token).json(body)).await
    };

    let certificate = answer(http.get(&card)).await;
    let body = json!({"certificate": certificate["certificate"]});
    let submitted = step("certificate", &body).await;
    let bytes = BASE64.decode(text(&submitted, "dtbs")).expect("base64");
    let digest = json!({"sha256": BASE64.encode(Sha256::digest(bytes))});
    let mut signed = answer(http.post(format!("{card}/sign")).json(&digest)).await;
    signed["operationToken"] = submitted["operationToken"].clone();
    let completed = step("complete", &signed).await;

    assert!(completed["assertion"].is_string(), "{completed}");
}

/// Returns the rate at which one thread verifies a signature like a card's, per
/// second.
fn verifications_a_second(time: Duration) -> f64 {
    let curve = EcGroup::from_curve_name(Nid::SECP384R1).expect("a curve");
    let key = EcKey::generate(&curve).expect("a key");
    let digest = [7; 32];
    let signature = EcdsaSig::sign(&digest, &key).expect("a signature");
    let begun = Instant::now();
    let mut verified = 0_u32;
    while begun.elapsed() < time {
        let holds = signature.verify(&digest, &key).expect("an answer");
        assert!(holds, "the key has signed this");
        verified += 1;
    }
    f64::from(verified) / begun.elapsed().as_secs_f64()
}
