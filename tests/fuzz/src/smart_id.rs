//! Smart-ID (RP API v3).

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parafa_eid::smart_id::{
    CertificateLevel, CertificateSession, DigestToSign, DisplayText, Interaction, Interactions,
    LinkKind, Nonce, SessionState, SignatureAlgorithm, SignatureSession, SigningCertificate,
    SmartIdClient, SmartIdConfig,
};
use parafa_eid::{Authenticator, ProviderSession};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;
use uuid::Uuid;

use crate::eid::{
    MESSAGE, RELYING_PARTY, SESSION, Told, WAIT, assert_can_be_stored, base_url, stored,
};
use crate::port::run_at_once;
use crate::target::Target;

/// Answers of Smart-ID's service.
///
/// An answer is taken only if it is of the document, certificate, algorithm and
/// interaction that were asked for, and its signed text is over the challenge that was
/// sent. Sessions can be stored, and faults name nobody.
pub const SMART_ID: Target = Target {
    name: "smart_id",
    run,
    seeds: || crate::eid::seeds(&sound()),
};

const NUMBER: &str = "40504040001";
const DOCUMENT: &str = "PNOLT-40504040001-MOCK-Q";
const CERTIFICATE: &[u8] = b"a certificate";
const SCHEME: &str = "smart-id-demo";

fn run(input: &[u8]) {
    let Some(told) = Told::of(input, &sound()) else {
        return;
    };
    match told.number {
        0 => choose(&told),
        1 => sign(&told),
        2 => authenticate(&told),
        3 => start(&told),
        _ => open(&told),
    }
}

fn choose(told: &Told) {
    let session: CertificateSession = stored(json!({"id": SESSION, "flows": ["Notification"]}));
    match run_at_once(client(told).poll_certificate(&session, WAIT)) {
        Ok(SessionState::Complete(chosen)) => {
            assert!(chosen.level != CertificateLevel::Advanced);
            let der = BASE64_STANDARD.encode(&chosen.der);
            let document = chosen.document_number.expose();
            told.assert_says(&["COMPLETE", "OK", document, &der]);
            assert_can_be_stored(&chosen);
        }
        Ok(SessionState::Running) => told.assert_says(&["RUNNING"]),
        Err(error) => told.assert_may_fail(&error, &[NUMBER]),
    }
}

fn sign(told: &Told) {
    let session: SignatureSession = stored(json!({
        "id": SESSION,
        "algorithm": "sha256WithRSAEncryption",
        "document_number": DOCUMENT,
        "certificate_sha256": Sha256::digest(CERTIFICATE).to_vec(),
        "flows": ["Notification"],
    }));
    match run_at_once(client(told).poll_signature(&session, WAIT)) {
        Ok(SessionState::Complete(signature)) => {
            let value = BASE64_STANDARD.encode(&signature.value);
            told.assert_says(&["COMPLETE", "OK", "RAW_DIGEST_SIGNATURE", "Notification"]);
            told.assert_says(&["sha256WithRSAEncryption", DOCUMENT, &value]);
            told.assert_says(&[&BASE64_STANDARD.encode(CERTIFICATE)]);
        }
        Ok(SessionState::Running) => told.assert_says(&["RUNNING"]),
        Err(error) => told.assert_may_fail(&error, &[NUMBER]),
    }
}

fn authenticate(told: &Told) {
    let challenge = BASE64_STANDARD.encode(Sha256::digest(MESSAGE));
    let session: ProviderSession = stored(json!({
        "id": SESSION,
        "rp_challenge": challenge,
        "interactions": interactions().as_base64(),
    }));
    match run_at_once(client(told).poll_authentication(&session, WAIT)) {
        Ok(SessionState::Complete(proof)) => {
            let text = String::from_utf8(proof.message).expect("a text is signed");
            let fields: Vec<_> = text.split('|').collect();
            assert_eq!(fields.len(), 11, "{text}");
            assert_eq!(fields[..2], [SCHEME, "ACSP_V2"]);
            assert_eq!(fields[3], challenge);
            assert_eq!(fields[8..], ["displayTextAndPIN", "", "Notification"]);
            assert_eq!(proof.user_challenge, None);
            told.assert_says(&["COMPLETE", "OK", "rsassa-pss", "0xbc", fields[2], fields[4]]);
            let [value, der] = [proof.value, proof.certificate];
            told.assert_says(&[&BASE64_STANDARD.encode(value)]);
            told.assert_says(&[&BASE64_STANDARD.encode(der)]);
        }
        Ok(SessionState::Running) => told.assert_says(&["RUNNING"]),
        Err(error) => told.assert_may_fail(&error, &[NUMBER]),
    }
}

fn start(told: &Told) {
    let certificate = SigningCertificate {
        der: CERTIFICATE.to_vec(),
        level: CertificateLevel::Qualified,
        document_number: DOCUMENT.parse().expect("a sound number"),
        flow: None,
    };
    let algorithm = SignatureAlgorithm::Sha256WithRsaEncryption;
    let digest = DigestToSign::new(algorithm, Sha256::digest(MESSAGE).to_vec());
    let digest = digest.expect("lengths agree");
    let (interactions, nonce) = (interactions(), nonce());
    let client = client(told);
    let started = client.start_signature(&certificate, &digest, &interactions, &nonce);
    match run_at_once(started) {
        Ok(started) => {
            let code = started.verification_code.to_string();
            assert!(code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit()));
            told.assert_says(&["numeric4", &code]);
            assert_can_be_stored(&started);
        }
        Err(error) => told.assert_may_fail(&error, &[NUMBER]),
    }
}

fn open(told: &Told) {
    let client = client(told);
    match run_at_once(client.start_certificate_choice_by_device_link(&nonce(), None)) {
        Ok(opened) => {
            let elapsed = Duration::from_secs(1);
            let link = client.device_link(&opened, LinkKind::Qr { elapsed }, "lit");
            let address = Url::parse(&link).expect("a link is an address");
            assert!(["http", "https"].contains(&address.scheme()));
            let base = link.split_once('?').map_or("", |(base, _)| base);
            told.assert_says(&[base]);
            assert_can_be_stored(&opened);
        }
        Err(error) => told.assert_may_fail(&error, &[NUMBER]),
    }
}

fn client(told: &Told) -> SmartIdClient {
    let config = SmartIdConfig::new(base_url(), Uuid::nil(), RELYING_PARTY, SCHEME);
    SmartIdClient::new(config, told.port())
}

fn interactions() -> Interactions {
    let text = DisplayText::new("Sutartis").expect("it can be shown");
    let interactions = Interactions::new(&[Interaction::DisplayTextAndPin(text)]);
    interactions.expect("there is one")
}

fn nonce() -> Nonce {
    Nonce::new("attempt-1").expect("visible characters")
}

/// A sound answer to each question.
fn sound() -> [Value; 5] {
    let result = json!({"endResult": "OK", "documentNumber": DOCUMENT});
    let certificate = BASE64_STANDARD.encode(CERTIFICATE);
    let certificate = json!({"value": certificate, "certificateLevel": "QUALIFIED"});
    let complete = |protocol: &str, signature: Value| {
        json!({
            "state": "COMPLETE",
            "result": result,
            "signatureProtocol": protocol,
            "signature": signature,
            "cert": certificate,
            "interactionTypeUsed": "displayTextAndPIN",
        })
    };
    let authenticated = json!({
        "value": "AQID",
        "serverRandom": "MTlop6EXCrQ6FOErcKjxUhbV",
        "userChallenge": "GnsWXXEjTCKR89fj9uo5u5ReBZ9JR7_pezLAI5jMS00",
        "flowType": "Notification",
        "signatureAlgorithm": "rsassa-pss",
        "signatureAlgorithmParameters": {
            "hashAlgorithm": "SHA-256",
            "maskGenAlgorithm": {
                "algorithm": "id-mgf1",
                "parameters": {"hashAlgorithm": "SHA-256"},
            },
            "saltLength": 32,
            "trailerField": "0xbc",
        },
    });
    let signed = json!({
        "value": "AQID",
        "flowType": "Notification",
        "signatureAlgorithm": "sha256WithRSAEncryption",
    });
    [
        complete("", json!({"flowType": "Notification"})),
        complete("RAW_DIGEST_SIGNATURE", signed),
        complete("ACSP_V2", authenticated),
        json!({"sessionID": SESSION, "vc": {"type": "numeric4", "value": "4927"}}),
        json!({
            "sessionID": SESSION,
            "sessionToken": "wGIrqveE6AuGDATZKmR1mtAZ",
            "sessionSecret": "B98ODiVCebRedSwdTk51zFSaGYyHtY1H2A0ocAi3/Ps=",
            "deviceLinkBase": "https://smart-id.com/device-link",
        }),
    ]
}
