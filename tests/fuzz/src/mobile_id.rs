//! Mobile-ID (MID REST API).

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parafa_eid::mobile_id::{
    DisplayText, Language, MobileIdClient, MobileIdConfig, MobileIdError, MobileIdUser,
    SessionState, SignatureSession,
};
use parafa_pki::ecdsa;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::eid::{
    MESSAGE, RELYING_PARTY, SESSION, Told, WAIT, assert_can_be_stored, base_url, stored,
};
use crate::port::run_at_once;
use crate::target::Target;

/// Answers of Mobile-ID's service.
///
/// An answer is taken only if the service tells success, and its value and certificate
/// are those that it holds. Sessions can be stored, and faults name nobody.
pub const MOBILE_ID: Target = Target {
    name: "mobile_id",
    run,
    seeds: || crate::eid::seeds(&sound()),
};

const PERSON: &str = "PNOLT-50001018865";
const PHONE: &str = "+37060000666";
const NUMBERS: &[&str] = &["50001018865", "60000666"];
const RSA: &str = "SHA256WithRSAEncryption";
const ECDSA: &str = "SHA256WithECEncryption";
/// Octets of r and of s on each curve.
const FIELDS: [usize; 3] = [32, 48, 66];

fn run(input: &[u8]) {
    let Some(told) = Told::of(input, &sound()) else {
        return;
    };
    match told.number {
        0 => certify(&told),
        1 => start(&told),
        2 => sign(&told),
        _ => authenticate(&told),
    }
}

fn certify(told: &Told) {
    match run_at_once(client(told).certificate(&user())) {
        Ok(certificate) => {
            let der = BASE64_STANDARD.encode(&certificate.der);
            told.assert_says(&["OK", &der]);
            assert_can_be_stored(&certificate);
        }
        Err(error) => fail(told, &error),
    }
}

fn start(told: &Told) {
    let text = DisplayText::new("Sutartis").expect("it can be shown");
    let sha256 = Sha256::digest(MESSAGE).into();
    let client = client(told);
    let user = user();
    let started = client.start_signature(&user, &sha256, &text, Language::Lithuanian);
    match run_at_once(started) {
        Ok(started) => {
            let code = started.verification_code;
            assert!(code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit()));
            let session = serde_json::to_value(&started.session).expect("sessions are JSON");
            told.assert_says(&[session["id"].as_str().expect("a session has an id")]);
            assert_can_be_stored(&started.session);
        }
        Err(error) => fail(told, &error),
    }
}

fn sign(told: &Told) {
    match run_at_once(client(told).poll_signature(&session(), WAIT)) {
        Ok(SessionState::Complete(value)) => {
            told.assert_says(&["COMPLETE", "OK"]);
            assert!(is_value(told, &value));
        }
        Ok(SessionState::Running) => told.assert_says(&["RUNNING"]),
        Err(error) => fail(told, &error),
    }
}

fn authenticate(told: &Told) {
    match run_at_once(client(told).poll_authentication(&session(), WAIT)) {
        Ok(SessionState::Complete(answer)) => {
            let der = BASE64_STANDARD.encode(&answer.certificate);
            let algorithm = if answer.is_rsa { RSA } else { ECDSA };
            told.assert_says(&["COMPLETE", "OK", &der, algorithm]);
            assert!(is_value(told, &answer.value));
        }
        Ok(SessionState::Running) => told.assert_says(&["RUNNING"]),
        Err(error) => fail(told, &error),
    }
}

fn fail(told: &Told, error: &MobileIdError) {
    // The service may trace requests by any number.
    let is_traced = matches!(error, MobileIdError::BadRequest(_));
    told.assert_may_fail(error, if is_traced { &[] } else { NUMBERS });
}

/// Returns true if a value is the one of the answer: of RSA as it is, or r and s of ECDSA.
fn is_value(told: &Told, value: &[u8]) -> bool {
    let says = |octets: &[u8]| told.says(&BASE64_STANDARD.encode(octets));
    let raw = |field: usize| ecdsa::to_raw(value, field);
    let is_of_ecdsa = |field| raw(field).is_some_and(|raw| says(&raw));
    (told.says(RSA) && says(value)) || (told.says(ECDSA) && FIELDS.into_iter().any(is_of_ecdsa))
}

fn client(told: &Told) -> MobileIdClient {
    let config = MobileIdConfig::new(base_url(), Uuid::nil(), RELYING_PARTY);
    MobileIdClient::new(config, told.port())
}

fn user() -> MobileIdUser {
    MobileIdUser::new(PERSON, PHONE).expect("a sound number and code")
}

fn session() -> SignatureSession {
    stored(json!({"id": SESSION}))
}

/// A sound answer to each question.
fn sound() -> [Value; 4] {
    let certificate = BASE64_STANDARD.encode(b"a certificate");
    let complete = |octets: &[u8], algorithm: &str| {
        json!({
            "state": "COMPLETE",
            "result": "OK",
            "signature": {"value": BASE64_STANDARD.encode(octets), "algorithm": algorithm},
            "cert": certificate,
            "time": "2026-03-11T09:00:00",
            "traceId": "1",
        })
    };
    [
        json!({"result": "OK", "cert": certificate}),
        json!({"sessionID": SESSION}),
        complete(&[7; 64], ECDSA),
        complete(&[9; 256], RSA),
    ]
}
