use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Request, Response};
use parafa_eid::smart_id::{
    DigestToSign, DisplayText, Interaction, Interactions, Nonce, SignatureAlgorithm,
    SigningCertificate, SmartIdClient, SmartIdConfig,
};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

pub(crate) const SESSION: &str = "de305d54-75b4-431b-adb2-eb6b9e546014";
pub(crate) const DOCUMENT: &str = "PNOLT-40504040001-MOCK-Q";
pub(crate) const CERTIFICATE: &[u8] = b"a certificate";

/// A request as the service saw it.
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) uri: String,
    pub(crate) body: Bytes,
    pub(crate) limits: ExchangeLimits,
}

/// Gives the scripted answers in order, and keeps the requests.
#[derive(Default)]
pub(crate) struct ScriptedPort {
    answers: Mutex<VecDeque<Result<Response<Bytes>, HttpPortError>>>,
    seen: Mutex<Vec<Seen>>,
}

impl ScriptedPort {
    /// Gives one answer.
    pub(crate) fn answering(answer: Result<Response<Bytes>, HttpPortError>) -> Self {
        let port = Self::default();
        port.answers.lock().unwrap().push_back(answer);
        port
    }

    /// The one request that there was.
    pub(crate) fn only_request(&self) -> Seen {
        let mut seen = self.seen.lock().unwrap();
        assert_eq!(seen.len(), 1, "one request");
        seen.remove(0)
    }
}

#[async_trait]
impl HttpPort for ScriptedPort {
    async fn exchange(
        &self,
        request: Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        self.seen.lock().unwrap().push(Seen {
            method: request.method().to_string(),
            uri: request.uri().to_string(),
            body: request.body().clone(),
            limits,
        });
        self.answers
            .lock()
            .unwrap()
            .pop_front()
            .expect("an answer for every request")
    }
}

/// A client whose service gives one answer.
pub(crate) struct Scripted {
    pub(crate) client: SmartIdClient,
    port: Arc<ScriptedPort>,
}

impl Scripted {
    pub(crate) fn new(answer: Result<Response<Bytes>, HttpPortError>) -> Self {
        let port = Arc::new(ScriptedPort::answering(answer));
        Self {
            client: SmartIdClient::new(config(), Arc::clone(&port) as Arc<dyn HttpPort>),
            port,
        }
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self::status(200, body.to_string())
    }

    pub(crate) fn status(status: u16, body: impl Into<Bytes>) -> Self {
        Self::new(Ok(Response::builder()
            .status(status)
            .body(body.into())
            .unwrap()))
    }

    /// Changes the configuration, for another relying party or environment.
    pub(crate) fn be(&mut self, another: impl FnOnce(&mut SmartIdConfig)) {
        let mut config = config();
        another(&mut config);
        self.client = SmartIdClient::new(config, Arc::clone(&self.port) as Arc<dyn HttpPort>);
    }

    pub(crate) fn seen(&self) -> Seen {
        self.port.only_request()
    }
}

pub(crate) fn config() -> SmartIdConfig {
    SmartIdConfig::new(
        Url::parse("https://sid.demo.example/smart-id-rp/").unwrap(),
        Uuid::parse_str("00000000-0000-4000-8000-000000000000").unwrap(),
        "DEMO",
        "smart-id-demo",
    )
}

pub(crate) fn nonce() -> Nonce {
    Nonce::new("attempt-1").unwrap()
}

pub(crate) fn digest() -> DigestToSign {
    DigestToSign::new(SignatureAlgorithm::Sha256WithRsaEncryption, [0xAB; 32]).unwrap()
}

pub(crate) fn interactions() -> Interactions {
    Interactions::new(&[Interaction::DisplayTextAndPin(
        DisplayText::new("Sutartis").unwrap(),
    )])
    .unwrap()
}

pub(crate) fn certificate() -> SigningCertificate {
    SigningCertificate {
        der: CERTIFICATE.to_vec(),
        level: parafa_eid::smart_id::CertificateLevel::Qualified,
        document_number: DOCUMENT.parse().unwrap(),
        flow: None,
    }
}

pub(crate) fn wait() -> Duration {
    Duration::from_secs(30)
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// A choice of a certificate that ended well.
pub(crate) fn chosen() -> Value {
    json!({
        "state": "COMPLETE",
        "result": {"endResult": "OK", "documentNumber": DOCUMENT},
        "signature": {"flowType": "Notification"},
        "cert": {"value": base64(CERTIFICATE), "certificateLevel": "QUALIFIED"},
        "somethingNew": {"a": 1},
    })
}

/// A signature that ended well.
pub(crate) fn signed() -> Value {
    json!({
        "state": "COMPLETE",
        "result": {"endResult": "OK", "documentNumber": DOCUMENT, "somethingNew": 1},
        "signatureProtocol": "RAW_DIGEST_SIGNATURE",
        "signature": {
            "value": base64(b"a signature"),
            "flowType": "Notification",
            "signatureAlgorithm": "sha256WithRSAEncryption",
        },
        "cert": {"value": base64(CERTIFICATE), "certificateLevel": "QUALIFIED"},
        "interactionTypeUsed": "displayTextAndPIN",
        "deviceIpAddress": "192.0.2.1",
    })
}

/// `body` with the member at `pointer` set or removed.
pub(crate) fn changed(mut body: Value, pointer: &str, value: Option<Value>) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let members = body.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => members.insert(name.to_owned(), value),
        None => members.shift_remove(name),
    };
    body
}
