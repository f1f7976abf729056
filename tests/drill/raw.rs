//! Raw HTTP, for requests that no client library would send.

use std::time::Duration;

use parafa_fixtures::PdfBuilder;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::server::Server;

/// Time limit for an answer.
const PATIENCE: Duration = Duration::from_secs(40);

/// An answer as it came.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// Returns host and port of a server.
pub(crate) fn authority(server: &Server) -> String {
    let base = server.demo("/baseUrl");
    let authority = base.trim_start_matches("http://").trim_end_matches('/');
    authority.to_owned()
}

/// Connects from one of this machine's own addresses.
pub(crate) async fn connect_from(address: [u8; 4], authority: &str) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().ok()?;
    socket.bind((address, 0).into()).ok()?;
    socket.connect(authority.parse().ok()?).await.ok()
}

pub(crate) async fn connect(authority: &str) -> Option<TcpStream> {
    TcpStream::connect(authority).await.ok()
}

/// Sends some bytes and reads one answer. `None` if the connection ends first, or no answer comes
/// in time.
pub(crate) async fn tell(stream: &mut TcpStream, bytes: &[u8]) -> Option<Answer> {
    // A caller refused early may still read the answer.
    let _ = stream.write_all(bytes).await;
    tokio::time::timeout(PATIENCE, answer(stream)).await.ok()?
}

async fn answer(stream: &mut TcpStream) -> Option<Answer> {
    const END: &[u8] = b"\r\n\r\n";

    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(END.len()).position(|window| window == END) {
            break end + END.len();
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes.drain(..end).collect())
        .ok()?
        .to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok())?;
    while bytes.len() < length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some(Answer {
        status: head.split(' ').nth(1)?.parse().ok()?,
        body: String::from_utf8(bytes).ok()?,
        head,
    })
}

/// Returns the request for a signing of a document by this many signers.
pub(crate) fn signing(document_bytes: usize, signers: usize) -> Value {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD as BASE64;

    let document = PdfBuilder::new().build_of_size(document_bytes);
    let signers = (0..signers).map(|number| json!({"email": format!("a{number}@example.lt")}));
    json!({
        "title": "Sutartis",
        "document": {"name": "sutartis.pdf", "content": BASE64.encode(document)},
        "signers": signers.collect::<Vec<_>>(),
    })
}

/// Returns the paths of the links to a created signing.
pub(crate) fn links(created: &Value) -> Vec<String> {
    let signers = created["signers"].as_array().expect("signers");
    let links = signers.iter().map(|signer| {
        let url = signer["ceremonyUrl"].as_str().expect("a link");
        url[url.find("/c/").expect("a path")..].to_owned()
    });
    links.collect()
}
