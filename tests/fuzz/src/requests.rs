//! Bodies of requests to the HTTP APIs, as the self-describing decoder reads them.

use std::fmt::Debug;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use libfuzzer_sys::arbitrary::Unstructured;
use parafa_api_auth::AuthenticationMethod;
use parafa_api_auth::requests::{
    CertificateSubmission, CompletionRequest, CreateAuthentication, NewMethod,
};
use parafa_api_http::decode::{self, Node, Query};
use parafa_api_http::{Fault, FromBody, Problem};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::Target;
use crate::json::edited;

/// The decoder of JSON bodies.
///
/// The first byte chooses the type, and whether the rest is the body itself or edits of a sound
/// one. A refusal tells the caller what to fix: each of its faults points at an existing value, or
/// at a member that its object lacks. An accepted body can be encoded again, and then decodes to
/// the same.
pub const REQUESTS: Target = Target {
    name: "requests",
    run,
    seeds,
};

/// Longest address that is decoded, in characters.
const LONGEST_ADDRESS: usize = 2048;

/// Names and values in bodies.
const WORDS: &[&str] = &[
    "audience",
    "method",
    "personalCode",
    "phoneNumber",
    "returnUrl",
    "nonce",
    "https://shop.example",
    "https://shop.example/return?a=b",
    "http://[::1]:80/../a'b?c'd",
    "physical",
    "smart_id",
    "mobile_id",
    "38001085718",
    "+37060000666",
    "signature",
    "signatureAlgorithm",
    "operationToken",
    "certificate",
    "flag",
    "number",
    "line",
    "lines",
    "file",
    "time",
    "email",
    "address",
    "bytes",
    "list",
    "set",
    "left",
    "right",
    "id",
    "0000-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59.9999999999Z",
    "2026-02-29T23:59:60z",
    "žilvinas@žalia.example",
    "AA==",
    "AB==",
    "a/~b~1",
    "b",
    "c",
];

/// A decoded type, with its encoding.
trait Body: Debug + PartialEq + Sized {
    fn decode(node: &Node<'_>) -> Option<Self>;

    /// Encodes it; `None` if no sound body is equal to it.
    fn encode(&self) -> Option<Value>;
}

fn run(input: &[u8]) {
    let mut input = Unstructured::new(input);
    let Ok(choice) = input.int_in_range(0..=7_u8) else {
        return;
    };
    let sound = &bodies()[usize::from(choice / 2)];
    let text = if choice % 2 == 0 {
        edited(sound, WORDS, &mut input).map(String::into_bytes)
    } else {
        Ok(input.take_rest().to_vec())
    };
    let Ok(text) = text else {
        return;
    };
    match choice / 2 {
        0 => holds::<CreateAuthentication>(&text),
        1 => holds::<CompletionRequest>(&text),
        2 => holds::<CertificateSubmission>(&text),
        _ => holds::<EveryKind>(&text),
    }
}

fn holds<B: Body>(text: &[u8]) {
    let body = match decoded::<B>(text) {
        Ok(body) => body,
        Err(problem) => return assert_names_faults(&problem, text),
    };
    if let Some(again) = body.encode() {
        let again = decoded::<B>(again.to_string().as_bytes());
        assert_eq!(again.expect("it was accepted before"), body);
    }
}

fn decoded<B: Body>(text: &[u8]) -> Result<B, Problem> {
    decode::body(text, &Query::parse(""), None::<Fault>, |node| {
        B::decode(&node)
    })
}

/// Asserts that a refusal tells the caller what to change.
fn assert_names_faults(problem: &Problem, text: &[u8]) {
    assert!(problem.status().is_client_error());
    let faults = problem.errors();
    assert!(!faults.is_empty());
    let Ok(body) = serde_json::from_slice::<Value>(text) else {
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].pointer, "");
        return;
    };
    // A pointer into a repeated member may mean either.
    if faults
        .iter()
        .any(|fault| fault.detail == "must not appear twice")
    {
        return;
    }
    for Fault { pointer, detail } in faults {
        let is_there = body.pointer(pointer).is_some();
        let parent = pointer.rsplit_once('/').map(|(parent, _)| parent);
        let parent = parent.and_then(|parent| body.pointer(parent));
        let is_missing = parent.is_some_and(Value::is_object) && detail.starts_with("is required");
        assert!(is_there != is_missing, "{pointer:?} {detail}");
    }
}

impl Body for CreateAuthentication {
    fn decode(node: &Node<'_>) -> Option<Self> {
        <Self as FromBody<()>>::decode(&(), node)
    }

    fn encode(&self) -> Option<Value> {
        let mut body = json!({
            "audience": self.audience,
            "method": self.method.method().as_str(),
        });
        let (code, number) = match &self.method {
            NewMethod::Physical { personal_code }
            | NewMethod::Nfc { personal_code }
            | NewMethod::SmartId { personal_code } => (personal_code.as_ref(), None),
            NewMethod::MobileId {
                personal_code,
                phone_number,
            } => (Some(personal_code), Some(phone_number)),
        };
        for (name, value) in [
            ("personalCode", code),
            ("phoneNumber", number),
            ("returnUrl", self.return_url.as_ref()),
            ("nonce", self.nonce.as_ref()),
        ] {
            if let Some(value) = value {
                body[name] = json!(value);
            }
        }
        Some(body)
    }
}

impl Body for CompletionRequest {
    fn decode(node: &Node<'_>) -> Option<Self> {
        <Self as FromBody<()>>::decode(&(), node)
    }

    fn encode(&self) -> Option<Value> {
        Some(json!({
            "signature": BASE64_STANDARD.encode(&self.signature),
            "signatureAlgorithm": self.algorithm,
            "signatureEncoding": self.encoding,
            "operationToken": self.operation_token,
        }))
    }
}

impl Body for CertificateSubmission {
    fn decode(node: &Node<'_>) -> Option<Self> {
        <Self as FromBody<()>>::decode(&(), node)
    }

    fn encode(&self) -> Option<Value> {
        Some(json!({"certificate": BASE64_STANDARD.encode(&self.certificate)}))
    }
}

/// A body with a value of every kind that the decoder knows.
#[derive(Debug, PartialEq)]
struct EveryKind {
    flag: bool,
    number: u16,
    method: AuthenticationMethod,
    texts: Map<String, Value>,
    time: Timestamp,
    bytes: Vec<u8>,
    list: Vec<Item>,
    set: Option<Vec<String>>,
}

#[derive(Debug, PartialEq)]
struct Item {
    id: Uuid,
    name: Option<String>,
}

impl Body for EveryKind {
    fn decode(node: &Node<'_>) -> Option<Self> {
        node.object("EveryKind", |object| {
            let flag = object.or("flag", true, |node| node.boolean());
            let number = object.required("number", |node| node.integer(1..=500));
            let method = object.required("method", |node| node.one_of());
            let texts = [
                ("line", object.required("line", |node| owned(node.text(20)))),
                (
                    "lines",
                    object.optional("lines", |node| owned(node.visible_lines(40))),
                ),
                (
                    "file",
                    object.optional("file", |node| owned(node.file_name(30, &["pdf"]))),
                ),
                (
                    "email",
                    object.optional("email", |node| Some(node.email()?.to_string())),
                ),
                (
                    "address",
                    object.optional("address", |node| Some(String::from(node.web_address()?))),
                ),
            ];
            let time = object.required("time", |node| node.date_time());
            let bytes = object.required("bytes", |node| node.base64(50));
            let list =
                object.required("list", |node| node.items(1..=3, |item| Item::decode(&item)));
            let set = object.optional("set", |node| {
                node.distinct_items(0..=4, |item| owned(item.digits(4)))
            });
            let either = object.either(
                ("left", |node| {
                    owned(node.lines(10)).map(|text| ("left", text))
                }),
                ("right", |node| {
                    owned(node.visible_text(10)).map(|text| ("right", text))
                }),
            )?;
            let texts = texts.into_iter();
            let texts = texts.filter_map(|(name, text)| Some((name, text?)));
            Some(Self {
                flag: flag?,
                number: number?,
                method: method?,
                texts: texts
                    .chain([either])
                    .map(|(name, text)| (name.to_owned(), text.into()))
                    .collect(),
                time: time?,
                bytes: bytes?,
                list: list?,
                set,
            })
        })
    }

    fn encode(&self) -> Option<Value> {
        let address = self.texts.get("address").and_then(Value::as_str);
        let is_short = address.is_none_or(|address| address.len() <= LONGEST_ADDRESS);
        let first: Timestamp = "0000-01-01T00:00:00Z".parse().expect("a sound time");
        // RFC 3339 has no times before the year 0, and normalized addresses may be longer
        // than they were.
        if !is_short || self.time < first {
            return None;
        }
        let list: Vec<_> = self.list.iter().map(Item::encode).collect();
        let mut body = json!({
            "flag": self.flag,
            "number": self.number,
            "method": self.method.as_str(),
            "time": self.time.to_string(),
            "bytes": BASE64_STANDARD.encode(&self.bytes),
            "list": list,
        });
        if let Some(set) = &self.set {
            body["set"] = json!(set);
        }
        body.as_object_mut()?.extend(self.texts.clone());
        Some(body)
    }
}

impl Item {
    fn decode(node: &Node<'_>) -> Option<Self> {
        node.object("Item", |item| {
            let id = item.required("id", |node| node.uuid());
            let name = item.optional("name", |node| owned(node.visible_text(10)));
            Some(Self { id: id?, name })
        })
    }

    fn encode(&self) -> Value {
        let mut item = json!({"id": self.id.to_string()});
        if let Some(name) = &self.name {
            item["name"] = json!(name);
        }
        item
    }
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

/// Returns a sound body of each kind.
fn bodies() -> [Value; 4] {
    [
        json!({
            "audience": "https://shop.example",
            "method": "mobile_id",
            "personalCode": "38001085718",
            "phoneNumber": "+37060000666",
            "nonce": "n-1",
        }),
        json!({
            "signature": "MAYCAQECAQE=",
            "signatureAlgorithm": "ES256",
            "signatureEncoding": "DER",
            "operationToken": "token",
        }),
        json!({"certificate": "MAA="}),
        json!({
            "flag": false,
            "number": 14,
            "method": "nfc",
            "line": "Sutartis",
            "lines": "a\n\tb",
            "file": "Sutartis.pdf",
            "email": "ona@example.lt",
            "address": "https://hooks.example/in?a=b",
            "time": "2026-03-01T08:00:00.5+02:00",
            "bytes": "AAEC",
            "list": [{"id": "de305d54-75b4-431b-adb2-eb6b9e546014", "name": "b"}],
            "set": ["0001", "0002"],
            "left": "c",
        }),
    ]
}

fn seeds() -> Vec<Vec<u8>> {
    let link = json!({
        "audience": "https://shop.example",
        "method": "smart_id",
        "returnUrl": "https://shop.example/return",
    });
    let sound = (0..).step_by(2).zip(bodies());
    let mut seeds: Vec<_> = sound
        .flat_map(|(choice, body)| {
            let raw = [&[choice + 1], body.to_string().as_bytes()].concat();
            [vec![choice], raw]
        })
        .collect();
    seeds.push([&[1], link.to_string().as_bytes()].concat());
    seeds
}
