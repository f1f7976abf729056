//! Examples, made from the same views as answers.

use parafa_api_http::BaseUrl;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::views;
use crate::vocabulary::{AuthenticationMethod, AuthenticationStatus};

const REQUEST: Uuid = Uuid::from_u128(0x0190_b5a8_7c3e_7d7b_8f6e_2a1b_3c4d_5e6f);
const AUDIENCE: &str = "https://shop.example";
const NONCE: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
const TOKEN: &str = "c2VjcmV0LXRva2VuLW9mLXRoZS1leGFtcGxlLW9ubHk";
const DER: &str = "MIIC";
const SIGNATURE: &str = "MGQCMA==";

/// The example of a request's or an answer's schema.
pub(crate) fn of(_: &str, schema: &str, base_url: &BaseUrl) -> Option<Value> {
    Some(match schema {
        "CreateAuthenticationRequest" => json!({
            "audience": AUDIENCE,
            "method": "physical",
            "nonce": "n-0S6_WzA2Mj",
        }),
        "CertificateRequest" => json!({"certificate": DER}),
        "CompletionRequest" => json!({
            "signature": SIGNATURE,
            "signatureAlgorithm": "ES256",
            "signatureEncoding": "P1363",
            "operationToken": TOKEN,
        }),
        "PairingRequest" => json!({"code": "K7QX-M2VD-9RTA"}),
        "CreatedAuthentication" => value(&views::CreatedAuthentication {
            request_id: REQUEST.into(),
            status: AuthenticationStatus::Pending,
            method: AuthenticationMethod::Physical,
            expires_at: "2026-03-01T08:05:00Z".parse().ok()?,
            client_token: Some(TOKEN.to_owned()),
            pairing: None,
            verification_code: None,
            device_link: None,
        }),
        "Authentication" => value(&views::Authentication {
            request_id: REQUEST.into(),
            status: AuthenticationStatus::Completed,
            method: AuthenticationMethod::SmartId,
            expires_at: "2026-03-01T08:05:00Z".parse().ok()?,
            verification_code: Some("4927".to_owned()),
            device_link: None,
            return_code: None,
            sig: Some(SIGNATURE.to_owned()),
            cert: Some(certificate()),
            assertion: None,
            error: None,
        }),
        "DataToBeSigned" => value(&views::DataToBeSigned {
            request_id: REQUEST.into(),
            dtbs: "A".repeat(192),
            dtbs_hash_alg_oid: "2.16.840.1.101.3.4.2.1",
            operation_token: TOKEN.to_owned(),
            challenge: views::Challenge {
                profile: "parafa-auth:1".to_owned(),
                audience: AUDIENCE.to_owned(),
                nonce: NONCE.to_owned(),
            },
            cert: views::CertificateHolder { subject: subject() },
            verification_code: "4927".to_owned(),
        }),
        "CompletedAuthentication" => value(&views::CompletedAuthentication {
            status: AuthenticationStatus::Completed,
            method: AuthenticationMethod::Physical,
            sig: SIGNATURE.to_owned(),
            cert: certificate(),
            assertion: None,
        }),
        "PairedClient" => value(&views::PairedClient {
            request_id: REQUEST.into(),
            client_token: TOKEN.to_owned(),
            provider: "UAB „Pavyzdys“".to_owned(),
            audience: AUDIENCE.to_owned(),
        }),
        "OpenIdConfiguration" => value(&views::OpenIdConfiguration {
            issuer: base_url.to_string(),
            jwks_uri: base_url.join("/v1/auth/.well-known/jwks.json"),
            response_types_supported: vec!["id_token"],
            subject_types_supported: vec!["public"],
            id_token_signing_alg_values_supported: vec!["ES256"],
            claims_supported: vec!["iss", "sub", "aud", "iat", "exp", "txn", "azp"],
        }),
        "JsonWebKeySet" => json!({"keys": [{
            "kty": "EC",
            "crv": "P-256",
            "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
            "use": "sig",
            "alg": "ES256",
            "kid": "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U",
        }]}),
        "Pairing" => value(&views::Pairing {
            code: "K7QX-M2VD-9RTA".to_owned(),
            uri: base_url.join("/auth/pair?code=K7QX-M2VD-9RTA"),
            expires_at: "2026-03-01T08:05:00Z".parse().ok()?,
        }),
        _ => return None,
    })
}

fn subject() -> views::Subject {
    views::Subject {
        serial_number: Some("40504040001".to_owned()),
        given_name: Some("ONA".to_owned()),
        sn: Some("PAVYZDYTĖ".to_owned()),
        cn: Some("ONA PAVYZDYTĖ".to_owned()),
        c: Some("LT".to_owned()),
    }
}

fn certificate() -> views::Certificate {
    views::Certificate {
        subject: subject(),
        der: DER.to_owned(),
    }
}

fn value(view: &impl Serialize) -> Value {
    serde_json::to_value(view).expect("a view of strings always serialises")
}
