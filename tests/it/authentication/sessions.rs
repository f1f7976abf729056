//! Backends of relying parties, which log in only the person who authenticated
//! in the same browser session.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::ecdsa::EcdsaSig;
use openssl::nid::Nid;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::support::auth::{CardRequest, Provider, send};
use crate::support::demo::Demo;

/// Path appended to an issuer (OpenID Connect Discovery 1.0, 4).
const CONFIGURATION: &str = "/.well-known/openid-configuration";

/// State of a browser's session at the backend.
struct Session {
    request: CardRequest,
    nonce: String,
}

/// Backend of a relying party, which receives assertions from browsers.
struct Backend<'p>(&'p Provider);

impl Backend<'_> {
    async fn begin(&self) -> Session {
        let nonce = Uuid::now_v7().to_string();
        let (status, created) = self.0.create("physical", json!({"nonce": nonce})).await;
        assert_eq!(status, StatusCode::CREATED, "{created}");
        let request = CardRequest::of(&created);
        Session { request, nonce }
    }

    /// Authenticates a persona and returns the assertion.
    async fn authenticated(&self, session: &Session, persona: &str) -> String {
        let (_, answer) = self.0.authenticate(&session.request, persona).await;
        let assertion = answer["assertion"].as_str();
        assertion.expect("an assertion").to_owned()
    }

    /// Verifies an assertion; returns the logged-in person, or the first failed
    /// check.
    async fn log_in(&self, session: &Session, assertion: &str) -> Result<String, &'static str> {
        let claims = self.verified(assertion).await?;
        let now = Timestamp::now().as_second();
        let is_valid = claims["exp"].as_i64().is_some_and(|end| now < end);
        for (claim, holds) in [
            ("iss", claims["iss"] == self.0.base),
            ("aud", claims["aud"] == self.0.key.audience),
            ("azp", claims["azp"] == self.0.key.key_id),
            ("exp", is_valid),
            ("txn", claims["txn"] == session.request.id),
            ("rp_nonce", claims["rp_nonce"] == session.nonce),
        ] {
            if !holds {
                return Err(claim);
            }
        }
        Ok(claims["sub"].as_str().expect("a subject").to_owned())
    }

    /// Returns the claims of an assertion signed by a published key. The
    /// configuration determines the address of the keys and the algorithm.
    async fn verified(&self, assertion: &str) -> Result<Value, &'static str> {
        let (status, configuration) = send(self.0.request(Method::GET, CONFIGURATION)).await;
        assert_eq!(status, StatusCode::OK, "{configuration}");
        assert_eq!(configuration["issuer"], self.0.base);
        let keys = configuration["jwks_uri"].as_str().expect("an address");
        let path = keys.strip_prefix(&self.0.base).expect("an address here");
        let (_, keys) = send(self.0.request(Method::GET, path)).await;

        let parts: Vec<&str> = assertion.split('.').collect();
        let [header, claims, signature] = parts[..] else {
            return Err("form");
        };
        let header = json_of(header);
        let algorithms = &configuration["id_token_signing_alg_values_supported"];
        if *algorithms != json!([header["alg"]]) || header["alg"] != "ES256" {
            return Err("alg");
        }
        let keys = keys["keys"].as_array().expect("a list");
        let key = keys.iter().find(|key| key["kid"] == header["kid"]);
        let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
        let digest = Sha256::digest(format!("{}.{}", parts[0], parts[1]));
        match verifies(key.ok_or("kid")?, &digest, &signature) {
            true => Ok(json_of(claims)),
            false => Err("signature"),
        }
    }
}

fn json_of(part: &str) -> Value {
    let bytes = URL_SAFE_NO_PAD.decode(part).expect("base64");
    serde_json::from_slice(&bytes).expect("JSON")
}

/// Verifies ES256 (RFC 7518, 3.4).
fn verifies(key: &Value, digest: &[u8], signature: &[u8]) -> bool {
    let number = |bytes: &[u8]| BigNum::from_slice(bytes).expect("a number");
    let coordinate = |name: &str| {
        let text = key[name].as_str().expect("a coordinate");
        number(&URL_SAFE_NO_PAD.decode(text).expect("base64"))
    };
    let curve = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).expect("P-256");
    let (x, y) = (coordinate("x"), coordinate("y"));
    let key = EcKey::from_public_key_affine_coordinates(&curve, &x, &y).expect("a key");
    let (r, s) = signature.split_at(signature.len() / 2);
    let signature = EcdsaSig::from_private_components(number(r), number(s)).expect("a signature");
    signature.verify(digest, &key).expect("a verdict")
}

#[tokio::test]
async fn an_assertion_of_another_session_logs_nobody_in() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let backend = Backend(&provider);
    let (victim, attacker) = (backend.begin().await, backend.begin().await);
    let of_victim = backend.authenticated(&victim, "card-p384").await;
    let of_attacker = backend.authenticated(&attacker, "card-p256").await;

    // The attacker's own assertion is slipped into the victim's browser; the
    // victim's, stolen, is used in the attacker's.
    assert_eq!(backend.log_in(&victim, &of_attacker).await, Err("txn"));
    assert_eq!(backend.log_in(&attacker, &of_victim).await, Err("txn"));

    let logged_in = backend.log_in(&victim, &of_victim).await;
    assert_eq!(logged_in.as_deref(), Ok("PNOLT-48706189911"));
    let other_nonce = Session {
        nonce: "another".to_owned(),
        ..victim
    };
    assert_eq!(
        backend.log_in(&other_nonce, &of_victim).await,
        Err("rp_nonce")
    );
}

#[tokio::test]
async fn an_assertion_that_another_provider_had_made_for_the_same_audience_logs_nobody_in() {
    let demo = Demo::start();
    let own = Provider::of(&demo);
    let other = Provider::made(&demo, &own.key.audience, &["--method", "physical"]);
    let session = Backend(&other).begin().await;
    let assertion = Backend(&other).authenticated(&session, "card-p384").await;

    assert_eq!(Backend(&own).log_in(&session, &assertion).await, Err("azp"));
    assert!(Backend(&other).log_in(&session, &assertion).await.is_ok());
}

#[tokio::test]
async fn a_provider_s_nonce_comes_back_as_it_was_given() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let longest = "ž".repeat(255);

    let (_, created) = provider.create("physical", json!({"nonce": longest})).await;
    let (_, answer) = provider
        .authenticate(&CardRequest::of(&created), "card-p384")
        .await;
    let too_long = json!({"nonce": format!("{longest}.")});
    let refused = provider.create("physical", too_long).await;

    let assertion = answer["assertion"].as_str().expect("an assertion");
    let claims = assertion.split('.').nth(1).map(json_of).expect("claims");
    assert_eq!(claims["rp_nonce"], longest);
    assert_eq!(claims["auth_time"], claims["iat"]);
    assert_eq!(claims["eid_method"], "physical");
    crate::support::auth::assert_refused(&refused, 422, "invalid_request");
    let without = provider.card_request().await;
    let (_, answer) = provider.authenticate(&without, "card-p384").await;
    let assertion = answer["assertion"].as_str().expect("an assertion");
    let claims = assertion.split('.').nth(1).map(json_of).expect("claims");
    assert_eq!(claims.get("rp_nonce"), None);
}
