//! A world for all tests, a client for it, and OpenSSL's command line.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
    thread,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use openssl::x509::X509;
use parafa_demo::{MobileIdTimings, SmartIdTimings, World, WorldConfig};
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};

/// The account of the first persona.
pub(crate) const FIRST: &str = "PNOLT-40504040001-MOCK-Q";

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let starting = thread::spawn(|| {
        let runtime = Box::leak(Box::new(tokio::runtime::Runtime::new().unwrap()));
        runtime.block_on(World::start(config(&scratch())))
    });
    starting.join().unwrap().unwrap()
});

/// The world that tests share which change nothing in it.
pub(crate) fn world() -> &'static World {
    &WORLD
}

/// A world of a test's own.
pub(crate) async fn fresh_world() -> World {
    World::start(config(&scratch())).await.unwrap()
}

/// A configuration whose persons answer at once.
pub(crate) fn config(folder: &Path) -> WorldConfig {
    let mut config = WorldConfig::new(folder);
    config.smart_id = SmartIdTimings::immediate();
    config.mobile_id = MobileIdTimings::immediate();
    config.http_callbacks = true;
    config
}

/// A new folder in the build folder.
pub(crate) fn scratch() -> PathBuf {
    let root = env!("CARGO_TARGET_TMPDIR");
    tempfile::Builder::new()
        .prefix("demo-")
        .tempdir_in(root)
        .unwrap()
        .keep()
}

/// A relying party.
pub(crate) struct Party {
    http: Client,
    base: String,
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
}

impl Party {
    pub(crate) fn of(world: &World) -> Self {
        Self::at(&world.addresses().smart_id)
    }

    pub(crate) fn of_mobile_id(world: &World) -> Self {
        Self::at(&world.addresses().mobile_id)
    }

    fn at(base: &str) -> Self {
        Self {
            http: Client::builder().no_proxy().build().unwrap(),
            base: base.to_owned(),
        }
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        let request = self.http.post(format!("{}{path}", self.base)).json(body);
        answer(request.send().await.unwrap()).await
    }

    pub(crate) async fn post_text(&self, path: &str, content_type: &str, body: &str) -> Answer {
        let request = self
            .http
            .post(format!("{}{path}", self.base))
            .header("content-type", content_type)
            .body(body.to_owned());
        answer(request.send().await.unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        let request = self.http.get(format!("{}{path}", self.base));
        answer(request.send().await.unwrap()).await
    }

    /// A request that must succeed.
    pub(crate) async fn begin(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(path, body).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body
    }

    /// The status of a session once it has ended.
    pub(crate) async fn ending(&self, begun: &Value) -> Value {
        let id = begun["sessionID"].as_str().unwrap();
        loop {
            let answer = self.get(&format!("/session/{id}?timeoutMs=10000")).await;
            assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
            if answer.body["state"] == "COMPLETE" {
                return answer.body;
            }
            assert_eq!(answer.body["state"], "RUNNING");
        }
    }
}

async fn answer(response: Response) -> Answer {
    let status = response.status();
    let body = response.bytes().await.unwrap();
    Answer {
        status,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    }
}

/// The members of every request, with a unique nonce.
pub(crate) fn common() -> Value {
    let nonce = uuid::Uuid::new_v4().simple().to_string();
    json!({
        "relyingPartyUUID": "00000000-0000-4000-8000-000000000000",
        "relyingPartyName": "DEMO",
        "certificateLevel": "QUALIFIED",
        "nonce": &nonce[..30],
    })
}

/// A signature request over a digest of this length.
pub(crate) fn signature(algorithm: &str, digest: &[u8]) -> Value {
    let interactions = r#"[{"type":"displayTextAndPIN","displayText60":"Pasirašyti"}]"#;
    with(
        common(),
        json!({
            "signatureProtocol": "RAW_DIGEST_SIGNATURE",
            "signatureProtocolParameters": {
                "digest": STANDARD.encode(digest),
                "signatureAlgorithm": algorithm,
            },
            "interactions": STANDARD.encode(interactions),
        }),
    )
}

/// The first object with the members of the second.
pub(crate) fn with(mut object: Value, members: Value) -> Value {
    let Value::Object(members) = members else {
        panic!("members are an object");
    };
    object.as_object_mut().unwrap().extend(members);
    object
}

/// The certificate of an answer.
pub(crate) fn certificate(answer: &Value) -> X509 {
    let der = STANDARD
        .decode(answer["cert"]["value"].as_str().unwrap())
        .unwrap();
    X509::from_der(&der).unwrap()
}

/// The signature of an answer.
pub(crate) fn signature_value(answer: &Value) -> Vec<u8> {
    let value = answer["signature"]["value"].as_str().unwrap();
    STANDARD.decode(value).unwrap()
}

/// Runs OpenSSL's command line; standard output and error together.
pub(crate) fn openssl(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("openssl")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("openssl is installed");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// The issuing authority's certificate from the repository, PEM.
pub(crate) async fn authority_pem(world: &World, authority: &str) -> Vec<u8> {
    let base = world.addresses().tsa.strip_suffix("/tsa").unwrap();
    let address = format!("{base}/aia/{authority}.crt");
    let der = reqwest::get(address).await.unwrap().bytes().await.unwrap();
    X509::from_der(&der).unwrap().to_pem().unwrap()
}
