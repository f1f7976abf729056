//! A trace collector that accepts exactly what OTLP/HTTP allows.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Notify;

/// Maximum wait for spans.
const WAIT: Duration = Duration::from_secs(30);

/// A collector on loopback, until the tests end.
pub(crate) struct Collector {
    /// Address for traces.
    pub(crate) address: String,
    told: Arc<Mutex<Told>>,
    came: Arc<Notify>,
}

/// Data received by a collector.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    pub(crate) spans: Vec<Span>,
    /// Raw bodies of the requests.
    pub(crate) bodies: String,
    /// Reasons why requests were refused.
    refused: Vec<String>,
}

/// A received span.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) trace: String,
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) name: String,
    pub(crate) kind: u64,
    pub(crate) attributes: BTreeMap<String, String>,
}

impl Collector {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (told, came) = (Arc::<Mutex<Told>>::default(), Arc::new(Notify::new()));
        let (kept, notified) = (told.clone(), came.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A broken connection was not a request.
                let _ = answer(stream, &kept);
                notified.notify_one();
            }
        });
        Self {
            address: format!("http://{address}/v1/traces"),
            told,
            came,
        }
    }

    /// Returns the data received so far; asserts that all of it is well-formed.
    pub(crate) fn told(&self) -> Told {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(told.refused, [""; 0]);
        told.clone()
    }

    /// Returns the spans of a trace, once the awaited ones are there.
    pub(crate) async fn trace(&self, id: &str, is_whole: impl Fn(&[Span]) -> bool) -> Vec<Span> {
        let comes = async {
            loop {
                let mut spans = self.told().spans;
                spans.retain(|span| span.trace == id);
                if is_whole(&spans) {
                    return spans;
                }
                self.came.notified().await;
            }
        };
        let came = tokio::time::timeout(WAIT, comes).await;
        came.unwrap_or_else(|_| panic!("{id}: {:#?}", self.told().spans))
    }
}

/// Handles one request.
fn answer(stream: TcpStream, told: &Mutex<Told>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let head = head.to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1);
    let length = length.and_then(|rest| rest.split("\r\n").next()?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body)?;
    let taken = taken(&head, &body);
    let status = match taken {
        Ok(_) => "200 OK",
        Err(_) => "400 Bad Request",
    };
    {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        told.bodies += &String::from_utf8_lossy(&body);
        match taken {
            Ok(spans) => told.spans.extend(spans),
            Err(why) => told.refused.push(why),
        }
    }
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
    );
    stream.get_mut().write_all(answer.as_bytes())
}

fn taken(head: &str, body: &[u8]) -> Result<Vec<Span>, String> {
    if !head.starts_with("post /v1/traces http/1.1\r\n") {
        return Err(format!("another request: {head}"));
    }
    if !head.contains("content-type: application/json\r\n") {
        return Err(format!("another media type: {head}"));
    }
    let request: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let mut spans = Vec::new();
    for resource in list(&request, "resourceSpans")? {
        let about = attributes(&resource["resource"])?;
        if about.get("service.name").map(String::as_str) != Some("parafa") {
            return Err(format!("whose spans are these: {about:?}"));
        }
        for scope in list(resource, "scopeSpans")? {
            for told in list(scope, "spans")? {
                spans.push(span(told).ok_or_else(|| format!("no span: {told}"))?);
            }
        }
    }
    Ok(spans)
}

/// Parses a span; `None` if a required member is missing.
fn span(told: &Value) -> Option<Span> {
    let [began, ended] = ["startTimeUnixNano", "endTimeUnixNano"].map(|time| {
        let nanoseconds = told[time].as_str()?;
        nanoseconds.parse::<u64>().ok().filter(|time| *time > 0)
    });
    if began? > ended? {
        return None;
    }
    let parent = match told.get("parentSpanId") {
        Some(parent) => Some(id(parent, 16)?),
        None => None,
    };
    Some(Span {
        trace: id(&told["traceId"], 32)?,
        id: id(&told["spanId"], 16)?,
        parent,
        name: told["name"]
            .as_str()
            .filter(|name| !name.is_empty())?
            .into(),
        kind: told["kind"]
            .as_u64()
            .filter(|kind| (1..=5).contains(kind))?,
        attributes: attributes(told).ok()?,
    })
}

/// Parses an id of this many hexadecimal digits, which must not all be zero.
fn id(told: &Value, digits: usize) -> Option<String> {
    let id = told.as_str()?;
    let is_id = id.len() == digits && hex::decode(id).is_ok_and(|id| id.iter().any(|it| *it > 0));
    is_id.then(|| id.to_owned())
}

fn attributes(of: &Value) -> Result<BTreeMap<String, String>, String> {
    let mut attributes = BTreeMap::new();
    for attribute in list(of, "attributes")? {
        let value = &attribute["value"];
        let text = value.get("stringValue").or_else(|| value.get("intValue"));
        match (attribute["key"].as_str(), text.and_then(Value::as_str)) {
            (Some(key), Some(text)) => attributes.insert(key.to_owned(), text.to_owned()),
            _ => return Err(format!("no attribute: {attribute}")),
        };
    }
    Ok(attributes)
}

fn list<'v>(value: &'v Value, member: &str) -> Result<&'v Vec<Value>, String> {
    let list = value[member].as_array();
    list.ok_or_else(|| format!("no {member}: {value}"))
}
