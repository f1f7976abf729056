use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;
use parafa_platform::webhook_secret::WebhookSecret;
use sha2::Sha256;
use uuid::Uuid;

/// Signature and metadata of a delivery as header fields: the `X-Service-` ones, and those of
/// Standard Webhooks.
///
/// `secrets` begins with the current one, which alone keys `X-Service-Signature`; all of them sign
/// `webhook-signature`.
pub(super) fn signed_headers(
    secrets: &[WebhookSecret],
    id: Uuid,
    event: &str,
    at: Timestamp,
    body: &[u8],
) -> HeaderMap {
    let (id, second) = (id.to_string(), at.as_second().to_string());
    let mut headers = HeaderMap::new();
    let mut set = |name, text: &str| {
        let value = HeaderValue::try_from(text).expect("ids, digits and base64 are ASCII");
        headers.insert(HeaderName::from_static(name), value);
    };
    if let Some(current) = secrets.first() {
        let mac = hmac(current.reveal().as_bytes(), &[body]);
        set(
            "x-service-signature",
            &format!("sha256={}", hex::encode(mac)),
        );
    }
    set("x-service-idempotency-key", &id);
    set("x-service-event", event);
    set("webhook-id", &id);
    set("webhook-timestamp", &second);
    let signed = [id.as_bytes(), b".", second.as_bytes(), b".", body];
    let signatures: Vec<String> = secrets
        .iter()
        .map(|secret| format!("v1,{}", STANDARD.encode(hmac(&secret.key(), &signed))))
        .collect();
    set("webhook-signature", &signatures.join(" "));
    headers
}

fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use standardwebhooks::Webhook;

    use super::*;

    /// The test vector published in the pages and descriptions of the APIs.
    const PUBLISHED: &str = include_str!("../../../../api/http/src/documentation/vector.txt");
    const SECRET: &str = "whsec_cGFyYWZhIHB1Ymxpc2hlZCB0ZXN0IHZlY3RvciBrZXk=";
    const ID: Uuid = Uuid::from_u128(0x0192_c3d4_e5f6_7a8b_9c0d_1e2f_3a4b_5c6d);
    const AT: i64 = 1_790_000_000;
    const BODY: &str = r#"{"event":"signing.completed","signingId":"0192c3d4-0000-7000-8000-000000000001","status":"completed","externalId":null,"occurredAt":"2026-09-21T14:13:20.000Z","completionMode":"qes_ceremony"}"#;

    fn headers(secrets: &[&str], at: i64) -> HeaderMap {
        let secrets: Vec<_> = secrets
            .iter()
            .map(|text| WebhookSecret::from_text((*text).to_owned()))
            .collect();
        let at = Timestamp::from_second(at).expect("a time");
        signed_headers(&secrets, ID, "signing.completed", at, BODY.as_bytes())
    }

    #[test]
    fn the_published_vector_comes_out() {
        let headers = headers(&[SECRET], AT);

        let sent = |name: &str| headers[name].to_str().expect("a text");
        let made = [
            SECRET,
            sent("webhook-id"),
            sent("webhook-timestamp"),
            BODY,
            sent("x-service-signature"),
            sent("webhook-signature"),
        ];
        let published: Vec<_> = PUBLISHED.split('`').skip(1).step_by(2).collect();
        assert_eq!(published, made);
        assert_eq!(headers["x-service-idempotency-key"], headers["webhook-id"]);
        assert_eq!(headers["x-service-event"], "signing.completed");
    }

    #[test]
    fn a_stock_library_accepts_it_with_either_secret_of_a_rotation() {
        let retired = WebhookSecret::random().expect("random bytes");
        let now = Timestamp::now().as_second();
        let headers = headers(&[SECRET, retired.reveal()], now);

        for secret in [SECRET, retired.reveal()] {
            let verifier = Webhook::new(secret).expect("a secret");
            assert!(verifier.verify(BODY.as_bytes(), &headers).is_ok());
        }
    }

    #[test]
    fn a_stock_library_refuses_another_body() {
        let headers = headers(&[SECRET], Timestamp::now().as_second());
        let verifier = Webhook::new(SECRET).expect("a secret");

        assert!(verifier.verify(b"{}", &headers).is_err());
    }
}
