//! Mobile-ID (MID REST API).

use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use parafa_eid::mobile_id::{
    DisplayText, Language, MobileIdClient, MobileIdConfig, MobileIdError, MobileIdUser,
    SessionState, SignatureSession,
};
use parafa_eid::{AuthenticationRequest, Authenticator, ProofScheme, ProviderSession};
use parafa_pki::ecdsa;
use parafa_trust::SignatureScheme;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{Answer, MESSAGE, RELYING_PARTY, SESSION, WAIT, base_url, octets, verifies};
use crate::Target;
use crate::authority::WORLD;
use crate::port::run_at_once;

/// Answers of Mobile-ID's service.
///
/// The input chooses a sound answer and its edits. An answer is accepted only if the service
/// reports success, and only the phone's own signature over the message verifies. No error contains
/// personal data.
pub const MOBILE_ID: Target = Target {
    name: "mobile_id",
    run: |input| {
        // An input that is too short chooses no answer.
        let _ = judge(&mut Unstructured::new(input));
    },
    seeds: || super::seeds(4),
};

const PERSON: &str = "PNOLT-50001018865";
const PHONE: &str = "+37060000666";
/// The personal code and the phone's number, which no error contains.
const NUMBERS: [&str; 2] = ["50001018865", "60000666"];
/// Octets of a number of P-256.
const FIELD_OCTETS: usize = 32;
/// Longest id of a session, in characters.
const LONGEST_SESSION: usize = 64;

/// Names and values in answers.
const WORDS: &[&str] = &[
    "result",
    "cert",
    "sessionID",
    "state",
    "signature",
    "value",
    "algorithm",
    "traceId",
    "time",
    "error",
    "OK",
    "RUNNING",
    "COMPLETE",
    "TIMEOUT",
    "NOT_MID_CLIENT",
    "USER_CANCELLED",
    "SIGNATURE_HASH_MISMATCH",
    "DELIVERY_ERROR",
    "SHA256WithECEncryption",
    "SHA256WithRSAEncryption",
    "SHA512WithECEncryption",
    "PNOLT-50001018865",
    "+37060000666",
    "../session/1",
];

/// Running sessions, and their sound answers.
struct Sound {
    user: MobileIdUser,
    signature: SignatureSession,
    authentication: ProviderSession,
    signed_value: Vec<u8>,
    certified: Value,
    started: Value,
    signed: Value,
    authenticated: Value,
}

static SOUND: LazyLock<Sound> = LazyLock::new(Sound::new);

fn judge(input: &mut Unstructured<'_>) -> Result<()> {
    let choice = input.int_in_range(0..=3_u8)?;
    let mut edited = |sound: &Value| Answer::edited(sound, WORDS, input);
    match choice {
        0 => certify(&edited(&SOUND.certified)?),
        1 => sign(&edited(&SOUND.signed)?),
        2 => authenticate(&edited(&SOUND.authenticated)?),
        _ => start(&edited(&SOUND.started)?),
    }
    Ok(())
}

fn certify(answer: &Answer) {
    match run_at_once(client(answer).certificate(&SOUND.user)) {
        Ok(certificate) => {
            assert!(!certificate.der.is_empty());
            assert!(certificate.user == SOUND.user);
            if let Some(value) = answer.value() {
                assert_eq!(value["result"], "OK");
                assert_eq!(octets(&value["cert"]), Some(certificate.der));
            }
        }
        Err(error) => assert_names_nobody(&error, answer),
    }
}

fn sign(answer: &Answer) {
    match run_at_once(client(answer).poll_signature(&SOUND.signature, WAIT)) {
        Ok(SessionState::Complete(value)) => {
            assert_complete(answer);
            let certificate = &WORLD.signer.certificate;
            let is_verified = verifies(certificate, SignatureScheme::Ecdsa, MESSAGE, &value);
            assert_eq!(is_verified, value == SOUND.signed_value);
            assert!(is_verified || !answer.is_sound);
        }
        Ok(SessionState::Running) => assert_running(answer),
        Err(error) => assert_names_nobody(&error, answer),
    }
}

fn authenticate(answer: &Answer) {
    let client = client(answer);
    let polled = Authenticator::poll_authentication(&client, &SOUND.authentication, WAIT);
    let proof = match run_at_once(polled) {
        Ok(SessionState::Complete(proof)) => proof,
        Ok(SessionState::Running) => return assert_running(answer),
        Err(_) => return assert!(!answer.is_sound),
    };
    assert_complete(answer);
    assert_eq!(proof.message, MESSAGE);
    assert_eq!(proof.user_challenge, None);
    let scheme = match proof.scheme {
        ProofScheme::Ecdsa => SignatureScheme::Ecdsa,
        ProofScheme::RsaPkcs1 => SignatureScheme::RsaPkcs1,
        ProofScheme::RsaPss => panic!("no SIM signs so"),
    };
    let is_verified = verifies(&proof.certificate, scheme, &proof.message, &proof.value);
    assert!(proof.value == SOUND.signed_value || !is_verified);
    assert!(is_verified || !answer.is_sound);
    if let Some(value) = answer.value() {
        assert_eq!(octets(&value["cert"]), Some(proof.certificate));
    }
}

fn start(answer: &Answer) {
    let text = DisplayText::new("Sutartis").expect("it can be shown");
    let sha256 = Sha256::digest(MESSAGE).into();
    let client = client(answer);
    let started = client.start_signature(&SOUND.user, &sha256, &text, Language::Lithuanian);
    match run_at_once(started) {
        Ok(started) => {
            let code = &started.verification_code;
            assert!(code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit()));
            // The session id becomes a part of the polled URL.
            if let Some(value) = answer.value() {
                let id = value["sessionID"].as_str().unwrap_or_default();
                let is_of_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
                assert!((1..=LONGEST_SESSION).contains(&id.len()) && id.bytes().all(is_of_id));
            }
        }
        Err(error) => assert_names_nobody(&error, answer),
    }
}

fn assert_running(answer: &Answer) {
    assert!(!answer.is_sound);
    let value = answer.value();
    assert!(value.is_none_or(|value| value["state"] == "RUNNING"));
}

fn assert_complete(answer: &Answer) {
    if let Some(value) = answer.value() {
        assert_eq!(value["state"], "COMPLETE");
        assert_eq!(value["result"], "OK");
        assert!(octets(&value["signature"]["value"]).is_some());
        assert!(value["signature"]["algorithm"].is_string());
    }
}

/// Asserts that an error has no personal data, since operators read it. The id by which the service
/// knows a wrong request may be anything.
fn assert_names_nobody(error: &MobileIdError, answer: &Answer) {
    assert!(!answer.is_sound, "{error}");
    if !matches!(error, MobileIdError::BadRequest(_)) {
        let text = error.to_string();
        assert!(
            !NUMBERS.iter().any(|number| text.contains(number)),
            "{text}"
        );
    }
}

impl Sound {
    fn new() -> Self {
        let started = json!({"sessionID": SESSION});
        let session = Answer::sound(&started);
        let client = client(&session);
        let user = MobileIdUser::new(PERSON, PHONE).expect("somebody with a phone");
        let text = DisplayText::new("Sutartis").expect("it can be shown");
        let sha256 = Sha256::digest(MESSAGE).into();
        let language = Language::Lithuanian;
        let signature = run_at_once(client.start_signature(&user, &sha256, &text, language));
        let authentication = run_at_once(client.request_authentication(AuthenticationRequest {
            person: PERSON,
            phone_number: Some(PHONE),
            message: MESSAGE,
            relying_party: "Parduotuvė",
        }));
        let signed_value = WORLD.signer.sign(MESSAGE);
        let raw = ecdsa::to_raw(&signed_value, FIELD_OCTETS).expect("two numbers of the curve");
        let certificate = BASE64_STANDARD.encode(&WORLD.signer.certificate);
        let signed = json!({
            "state": "COMPLETE",
            "result": "OK",
            "signature": {
                "value": BASE64_STANDARD.encode(raw),
                "algorithm": "SHA256WithECEncryption",
            },
            "time": "2026-11-21T16:00:00Z",
        });
        let mut authenticated = signed.clone();
        authenticated["cert"] = json!(certificate);
        Self {
            signature: signature.expect("a session was opened").session,
            authentication: authentication.expect("a session was opened"),
            certified: json!({"result": "OK", "cert": certificate}),
            user,
            signed_value,
            started,
            signed,
            authenticated,
        }
    }
}

fn client(answer: &Answer) -> MobileIdClient {
    let config = MobileIdConfig::new(base_url(), Uuid::nil(), RELYING_PARTY);
    MobileIdClient::new(config, answer.port())
}
