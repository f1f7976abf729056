//! Smart-ID (RP API v3).

use std::sync::LazyLock;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use openssl::hash::MessageDigest;
use openssl::rsa::Padding;
use openssl::sign::{RsaPssSaltlen, Signer};
use parafa_eid::smart_id::{
    CertificateLevel, CertificateSession, DigestToSign, DisplayText, FlowType, Interaction,
    Interactions, LinkKind, Nonce, SessionState, SignatureAlgorithm, SignatureSession,
    SigningCertificate, SmartIdClient, SmartIdConfig, SmartIdError,
};
use parafa_eid::{
    AuthenticationProof, AuthenticationRequest, Authenticator, ProofScheme, ProviderSession,
};
use parafa_trust::SignatureScheme;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;
use uuid::Uuid;

use super::{Answer, MESSAGE, RELYING_PARTY, SESSION, WAIT, base_url, octets, verifies};
use crate::Target;
use crate::authority::WORLD;
use crate::port::run_at_once;

/// Answers of Smart-ID's service.
///
/// The input chooses a sound answer and its edits. An answer is accepted only for the requested
/// document, certificate, algorithm and interaction. Only the device's own signature over the
/// message verifies. No error contains personal data; sessions can be stored.
pub const SMART_ID: Target = Target {
    name: "smart_id",
    run: |input| {
        // An input that is too short chooses no answer.
        let _ = judge(&mut Unstructured::new(input));
    },
    seeds: || super::seeds(5),
};

const NUMBER: &str = "40504040001";
const PERSON: &str = "PNOLT-40504040001";
const DOCUMENT: &str = "PNOLT-40504040001-MOCK-Q";
const SCHEME: &str = "smart-id-demo";
const SERVER_RANDOM: &str = "MTlop6EXCrQ6FOErcKjxUhbV";
const USER_CHALLENGE: &str = "GnsWXXEjTCKR89fj9uo5u5ReBZ9JR7_pezLAI5jMS00";
/// Octets of the salt of RSASSA-PSS.
const SALT_OCTETS: i32 = 32;

/// Names and values in answers.
const WORDS: &[&str] = &[
    "state",
    "result",
    "endResult",
    "documentNumber",
    "signatureProtocol",
    "signature",
    "value",
    "flowType",
    "signatureAlgorithm",
    "signatureAlgorithmParameters",
    "serverRandom",
    "userChallenge",
    "cert",
    "certificateLevel",
    "interactionTypeUsed",
    "sessionID",
    "vc",
    "type",
    "errors",
    "code",
    "pointer",
    "OK",
    "USER_REFUSED",
    "TIMEOUT",
    "RUNNING",
    "COMPLETE",
    "ADVANCED",
    "QUALIFIED",
    "QSCD",
    "Notification",
    "QR",
    "Web2App",
    "App2App",
    "RAW_DIGEST_SIGNATURE",
    "ACSP_V2",
    "sha256WithRSAEncryption",
    "sha512WithRSAEncryption",
    "rsassa-pss",
    "SHA-256",
    "SHA-512",
    "id-mgf1",
    "0xbc",
    "displayTextAndPIN",
    "confirmationMessage",
    "confirmationMessageAndVerificationCodeChoice",
    "PNOLT-40504040001-MOCK-Q",
    "PNOLT-40504040002-MOCK-Q",
    "NO_SUITABLE_ACCOUNT_FOUND",
    "numeric4",
    "https://smart-id.com/device-link",
    "javascript://smart-id.com/",
];

/// Running sessions, and their sound answers.
struct Sound {
    certificate: SigningCertificate,
    choice: CertificateSession,
    chosen: Value,
    signature: SignatureSession,
    signed: Value,
    signed_value: Vec<u8>,
    authentication: ProviderSession,
    authenticated: Value,
    proof: AuthenticationProof,
}

static SOUND: LazyLock<Sound> = LazyLock::new(Sound::new);

fn judge(input: &mut Unstructured<'_>) -> Result<()> {
    let choice = input.int_in_range(0..=4_u8)?;
    let mut edited = |sound: &Value| Answer::edited(sound, WORDS, input);
    match choice {
        0 => choose(&edited(&SOUND.chosen)?),
        1 => sign(&edited(&SOUND.signed)?),
        2 => authenticate(&edited(&SOUND.authenticated)?),
        3 => start(&edited(&started())?),
        _ => open(&edited(&opened())?),
    }
    Ok(())
}

fn choose(answer: &Answer) {
    let choice = run_at_once(client(answer).poll_certificate(&SOUND.choice, WAIT));
    let Some(chosen) = outcome(choice, answer) else {
        return;
    };
    assert_ne!(chosen.level, CertificateLevel::Advanced);
    assert!(
        chosen
            .flow
            .is_none_or(|flow| flow == FlowType::Notification)
    );
    assert!(!chosen.der.is_empty());
    assert_can_be_stored(&chosen);
    if let Some(value) = complete(answer) {
        let document = chosen.document_number.expose();
        assert_eq!(value["result"]["documentNumber"], document);
        assert_eq!(octets(&value["cert"]["value"]), Some(chosen.der));
    }
}

fn sign(answer: &Answer) {
    let signature = run_at_once(client(answer).poll_signature(&SOUND.signature, WAIT));
    let Some(signature) = outcome(signature, answer) else {
        return;
    };
    let certificate = &SOUND.certificate.der;
    let is_verified = verifies(
        certificate,
        SignatureScheme::RsaPkcs1,
        MESSAGE,
        &signature.value,
    );
    assert_eq!(is_verified, signature.value == SOUND.signed_value);
    assert!(is_verified || !answer.is_sound);
    if let Some(value) = complete(answer) {
        let told = &value["signature"];
        assert_eq!(value["result"]["documentNumber"], DOCUMENT);
        assert_eq!(value["signatureProtocol"], "RAW_DIGEST_SIGNATURE");
        assert_eq!(told["flowType"], "Notification");
        assert_eq!(told["signatureAlgorithm"], signature.algorithm.name());
        assert_eq!(octets(&told["value"]), Some(signature.value));
        assert_eq!(octets(&value["cert"]["value"]).as_ref(), Some(certificate));
    }
}

fn authenticate(answer: &Answer) {
    let client = client(answer);
    let polled = run_at_once(client.poll_authentication(&SOUND.authentication, WAIT));
    let Ok(SessionState::Complete(proof)) = polled else {
        return assert!(!answer.is_sound);
    };
    let message = String::from_utf8(proof.message.clone()).expect("it is text");
    let fields: Vec<_> = message.split('|').collect();
    let challenge = BASE64_STANDARD.encode(Sha256::digest(MESSAGE));
    assert_eq!(fields.len(), 11);
    assert_eq!(fields[..2], [SCHEME, "ACSP_V2"]);
    assert_eq!(fields[3], challenge);
    assert_eq!(fields[10], "Notification");
    assert_eq!(proof.scheme, ProofScheme::RsaPss);
    assert_eq!(proof.user_challenge, None);
    let is_verified = verifies(
        &proof.certificate,
        SignatureScheme::RsaPss,
        &proof.message,
        &proof.value,
    );
    let sound = &SOUND.proof;
    let is_own = proof.message == sound.message && proof.value == sound.value;
    assert!(is_own || !is_verified);
    assert!(is_verified || !answer.is_sound);
    if let Some(value) = complete(answer) {
        let told = &value["signature"];
        assert_eq!(told["serverRandom"], fields[2]);
        assert_eq!(told["userChallenge"], fields[4]);
        assert_eq!(told["flowType"], fields[10]);
        assert_eq!(value["interactionTypeUsed"], fields[8]);
        assert_eq!(octets(&told["value"]), Some(proof.value));
        assert_eq!(octets(&value["cert"]["value"]), Some(proof.certificate));
    }
}

fn start(answer: &Answer) {
    let started = run_at_once(client(answer).start_signature(
        &SOUND.certificate,
        &digest(),
        &interactions(),
        &nonce(),
    ));
    match started {
        Ok(started) => {
            let code = started.verification_code.to_string();
            assert!(code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit()));
            assert_can_be_stored(&started);
            if let Some(value) = answer.value() {
                assert_eq!(value["vc"]["value"], code);
            }
        }
        Err(error) => assert_names_nobody(&error, answer),
    }
}

fn open(answer: &Answer) {
    let client = client(answer);
    match run_at_once(client.start_certificate_choice_by_device_link(&nonce(), None)) {
        Ok(opened) => {
            let elapsed = Duration::from_secs(1);
            let link = client.device_link(&opened, LinkKind::Qr { elapsed }, "lit");
            let address = Url::parse(&link).expect("a link is an address");
            assert!(["https", "http"].contains(&address.scheme()));
            assert_can_be_stored(&opened);
            if let Some(value) = answer.value() {
                let base = value["deviceLinkBase"].as_str();
                assert!(base.is_some_and(|base| link.starts_with(base)));
            }
        }
        Err(error) => assert_names_nobody(&error, answer),
    }
}

/// Returns the outcome of a session that ended well.
fn outcome<T>(polled: Result<SessionState<T>, SmartIdError>, answer: &Answer) -> Option<T> {
    match polled {
        Ok(SessionState::Complete(outcome)) => Some(outcome),
        Ok(SessionState::Running) => {
            assert!(!answer.is_sound);
            let value = answer.value();
            assert!(value.is_none_or(|value| value["state"] == "RUNNING"));
            None
        }
        Err(error) => {
            assert_names_nobody(&error, answer);
            None
        }
    }
}

/// Returns the members of an answer, which reports that the session ended well.
fn complete(answer: &Answer) -> Option<Value> {
    let value = answer.value()?;
    assert_eq!(value["state"], "COMPLETE");
    assert_eq!(value["result"]["endResult"], "OK");
    Some(value)
}

/// Asserts that an error has no personal data, since operators read it.
fn assert_names_nobody(error: &SmartIdError, answer: &Answer) {
    assert!(!answer.is_sound, "{error}");
    assert!(!error.to_string().contains(NUMBER), "{error}");
}

fn assert_can_be_stored<T: DeserializeOwned + PartialEq + Serialize>(session: &T) {
    let stored = serde_json::to_string(session).expect("sessions are JSON");
    let restored: T = serde_json::from_str(&stored).expect("it was stored");
    assert!(restored == *session);
}

impl Sound {
    fn new() -> Self {
        let device = &WORLD.device;
        let certificate = SigningCertificate {
            der: device.certificate.clone(),
            level: CertificateLevel::Qualified,
            document_number: DOCUMENT.parse().expect("a sound number"),
            flow: None,
        };
        let session = Answer::sound(&json!({"sessionID": SESSION}));
        let person = PERSON.parse().expect("a sound identifier");
        let choice = run_at_once(client(&session).start_certificate_choice(&person, &nonce()));
        let signature = run_at_once(client(&Answer::sound(&started())).start_signature(
            &certificate,
            &digest(),
            &interactions(),
            &nonce(),
        ));
        let signed_value = device.sign(MESSAGE);
        let authentication = authentication(&session);
        // The device signs a message that names another one.
        let unsigned = proof(&authentication, &authenticated(b"unsigned"));
        let value = pss(&unsigned.message);
        let authenticated = authenticated(&value);
        Self {
            choice: choice.expect("a session was opened"),
            chosen: chosen(),
            signature: signature.expect("a session was opened").session,
            signed: signed(&signed_value),
            signed_value,
            proof: proof(&authentication, &authenticated),
            authentication,
            authenticated,
            certificate,
        }
    }
}

fn authentication(session: &Answer) -> ProviderSession {
    let client = client(session);
    let request = AuthenticationRequest {
        person: PERSON,
        phone_number: None,
        message: MESSAGE,
        relying_party: "Parduotuvė",
    };
    let authentication = run_at_once(client.request_authentication(request));
    authentication.expect("a session was opened")
}

fn proof(session: &ProviderSession, answer: &Value) -> AuthenticationProof {
    let client = client(&Answer::sound(answer));
    match run_at_once(client.poll_authentication(session, WAIT)) {
        Ok(SessionState::Complete(proof)) => proof,
        other => panic!("a sound answer is not taken: {other:?}"),
    }
}

/// Signs by RSASSA-PSS with SHA-256.
fn pss(message: &[u8]) -> Vec<u8> {
    let sha256 = MessageDigest::sha256();
    let signed = Signer::new(sha256, WORLD.device.credential.key.pkey()).and_then(|mut signer| {
        signer.set_rsa_padding(Padding::PKCS1_PSS)?;
        signer.set_rsa_mgf1_md(sha256)?;
        signer.set_rsa_pss_saltlen(RsaPssSaltlen::custom(SALT_OCTETS))?;
        signer.sign_oneshot_to_vec(message)
    });
    signed.expect("the key can be used")
}

fn started() -> Value {
    json!({"sessionID": SESSION, "vc": {"type": "numeric4", "value": "4927"}})
}

fn opened() -> Value {
    json!({
        "sessionID": SESSION,
        "sessionToken": "wGIrqveE6AuGDATZKmR1mtAZ",
        "sessionSecret": "B98ODiVCebRedSwdTk51zFSaGYyHtY1H2A0ocAi3/Ps=",
        "deviceLinkBase": "https://smart-id.com/device-link",
    })
}

fn chosen() -> Value {
    json!({
        "state": "COMPLETE",
        "result": {"endResult": "OK", "documentNumber": DOCUMENT},
        "signature": {"flowType": "Notification"},
        "cert": certificate(),
    })
}

fn signed(value: &[u8]) -> Value {
    json!({
        "state": "COMPLETE",
        "result": {"endResult": "OK", "documentNumber": DOCUMENT},
        "signatureProtocol": "RAW_DIGEST_SIGNATURE",
        "signature": {
            "value": BASE64_STANDARD.encode(value),
            "flowType": "Notification",
            "signatureAlgorithm": "sha256WithRSAEncryption",
        },
        "cert": certificate(),
        "interactionTypeUsed": "displayTextAndPIN",
    })
}

fn authenticated(value: &[u8]) -> Value {
    json!({
        "state": "COMPLETE",
        "result": {"endResult": "OK", "documentNumber": DOCUMENT},
        "signatureProtocol": "ACSP_V2",
        "signature": {
            "value": BASE64_STANDARD.encode(value),
            "serverRandom": SERVER_RANDOM,
            "userChallenge": USER_CHALLENGE,
            "flowType": "Notification",
            "signatureAlgorithm": "rsassa-pss",
            "signatureAlgorithmParameters": {
                "hashAlgorithm": "SHA-256",
                "maskGenAlgorithm": {
                    "algorithm": "id-mgf1",
                    "parameters": {"hashAlgorithm": "SHA-256"},
                },
                "saltLength": SALT_OCTETS,
                "trailerField": "0xbc",
            },
        },
        "cert": certificate(),
        "interactionTypeUsed": "displayTextAndPIN",
    })
}

fn certificate() -> Value {
    let der = BASE64_STANDARD.encode(&WORLD.device.certificate);
    json!({"value": der, "certificateLevel": "QUALIFIED"})
}

fn client(answer: &Answer) -> SmartIdClient {
    let config = SmartIdConfig::new(base_url(), Uuid::nil(), RELYING_PARTY, SCHEME);
    SmartIdClient::new(config, answer.port())
}

fn digest() -> DigestToSign {
    let algorithm = SignatureAlgorithm::Sha256WithRsaEncryption;
    let digest = DigestToSign::new(algorithm, Sha256::digest(MESSAGE).to_vec());
    digest.expect("lengths agree")
}

fn interactions() -> Interactions {
    let text = DisplayText::new("Sutartis").expect("it can be shown");
    let interactions = Interactions::new(&[Interaction::DisplayTextAndPin(text)]);
    interactions.expect("there is one")
}

fn nonce() -> Nonce {
    Nonce::new("attempt-1").expect("visible characters")
}
