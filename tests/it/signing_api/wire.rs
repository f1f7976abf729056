//! Oversized bodies, malformed heads, and callers that disconnect in the
//! middle.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::PdfBuilder;
use serde_json::{Value, json};

use super::account::{Account, signing_of, two, with};
use crate::support::demo::Demo;

const MIB: usize = 1024 * 1024;
/// Maximum size of a document.
const LARGEST: usize = 15 * MIB;

#[tokio::test]
async fn a_document_of_fifteen_mebibytes_is_taken_and_one_byte_more_is_not() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let mut document = PdfBuilder::new().build_of_size(LARGEST);
    let posted = |document: &[u8]| {
        let document = json!({"name": "didelis.pdf", "content": BASE64.encode(document)});
        with(signing_of(two()), json!({"document": document}))
    };
    assert_eq!(document.len(), LARGEST);

    api.create(posted(&document)).await;
    document.push(b'\n');
    api.post("v1/signings", posted(&document))
        .await
        .expect_problem(400, "validation-failed", &["/document/content"]);
}

#[test]
fn a_body_that_is_too_long_is_refused_before_it_is_sent() {
    let demo = Demo::start();
    for (path, longest) in [
        ("/v1/signings", 24 * MIB),
        ("/v1/files", 24 * MIB),
        ("/v1/batches", 128 * MIB),
    ] {
        let mut connection = post(&demo, path, longest + 1);
        let answer = head(&mut connection);
        assert!(answer.starts_with("HTTP/1.1 413 "), "{path}: {answer}");
        assert!(answer.contains("application/problem+json"), "{answer}");
    }
}

#[test]
fn whoever_sends_the_whole_body_first_reads_why_it_was_refused() {
    let demo = Demo::start();
    let live = demo.world.signing.live.as_str();
    for (path, key, length, refused) in [
        ("/v1/signings", live, 25 * MIB, (413, "payload-too-large")),
        ("/v1/batches", live, 129 * MIB, (413, "payload-too-large")),
        (
            "/v1/signings",
            "tsk_live_x",
            25 * MIB,
            (401, "unauthorized"),
        ),
        ("/v1/nowhere", live, 25 * MIB, (404, "not-found")),
    ] {
        let mut connection = post_with(&demo, path, key, length);
        let body = vec![b' '; length];
        connection.write_all(&body).expect("all of it is taken");
        let problem = problem(&mut connection);
        let name = problem["type"].as_str().expect("a type");
        assert_eq!(problem["status"], refused.0, "{path}: {problem}");
        assert!(name.ends_with(refused.1), "{path}: {problem}");
    }
}

#[tokio::test]
async fn a_caller_who_goes_away_in_the_middle_leaves_nothing() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let body = serde_json::to_vec(&signing_of(two())).expect("JSON");

    for sent in [0, 1, body.len() / 2, body.len() - 1] {
        let mut connection = post(&demo, "/v1/signings", body.len());
        connection.write_all(&body[..sent]).expect("it is taken");
        drop(connection);
    }

    let page = api.get("v1/signings").await.expect(200);
    assert_eq!(page["data"], Value::Array(Vec::new()));
}

#[tokio::test]
async fn a_caller_who_hangs_up_may_repeat_the_request_at_once() {
    /// Time for which a key stays claimed by a request without a heartbeat.
    const CLAIMED: Duration = Duration::from_secs(60);

    let demo = Demo::start();
    let api = Account::live(&demo);
    let document = PdfBuilder::new().build_of_size(LARGEST);
    let document = json!({"name": "didelis.pdf", "content": BASE64.encode(document)});
    let signing = with(signing_of(two()), json!({"document": document}));
    let body = serde_json::to_vec(&signing).expect("JSON");

    for wait in [0, 20, 100, 300] {
        let key = format!("nutraukta-{wait}");
        let more = format!("Idempotency-Key: {key}\r\n");
        let mut connection = post_as(&demo, "/v1/signings", &more, body.len());
        connection.write_all(&body).expect("it is taken");
        tokio::time::sleep(Duration::from_millis(wait)).await;
        drop(connection);

        let begun = Instant::now();
        while api
            .post_once("v1/signings", signing.clone(), &key)
            .await
            .status
            == 409
        {
            assert!(begun.elapsed() < CLAIMED / 2, "the key stays claimed");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

#[test]
fn a_link_that_leads_nowhere_is_refused_before_its_body_comes() {
    let demo = Demo::start();
    for call in ["attempts", "decline"] {
        let path = format!("/c/nowhere/{call}");
        let mut connection = post(&demo, &path, 1000);
        connection
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("a time");
        let problem = problem(&mut connection);
        assert_eq!(problem["status"], 404, "{path}: {problem}");
    }
}

#[test]
fn a_head_that_is_malformed_is_refused_with_a_problem_document() {
    let demo = Demo::start();
    let authority = demo.world.base_url.authority();
    for head in [
        "GET /docs HTTP/1.1\r\n\r\n".to_owned(),
        format!("GET /docs HTTP/1.1\r\nHost: {authority}\r\nHost: {authority}\r\n\r\n"),
        format!("GET /docs HTTP/1.1\nHost: {authority}\n\n"),
        "nonsense\r\n\r\n".to_owned(),
    ] {
        let mut connection = TcpStream::connect(authority).expect("the server listens");
        connection.write_all(head.as_bytes()).expect("it is taken");
        let problem = problem(&mut connection);
        assert_eq!(problem["status"], 400, "{head}: {problem}");
        let name = problem["type"].as_str().expect("a type");
        assert!(name.ends_with("/problems/validation-failed"), "{problem}");
    }
}

/// Sends the head of a call with a body of this length.
fn post(demo: &Demo, path: &str, length: usize) -> TcpStream {
    post_with(demo, path, &demo.world.signing.live, length)
}

/// Sends the head with another key.
fn post_with(demo: &Demo, path: &str, key: &str, length: usize) -> TcpStream {
    let key = format!("Authorization: Bearer {key}\r\n");
    post_of(demo, path, &key, length)
}

/// Sends the head with the usual key and further headers.
fn post_as(demo: &Demo, path: &str, more: &str, length: usize) -> TcpStream {
    let key = &demo.world.signing.live;
    let headers = format!("Authorization: Bearer {key}\r\n{more}");
    post_of(demo, path, &headers, length)
}

fn post_of(demo: &Demo, path: &str, headers: &str, length: usize) -> TcpStream {
    let authority = demo.world.base_url.authority();
    let mut connection = TcpStream::connect(authority).expect("the server listens");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {authority}\r\n{headers}\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    connection.write_all(head.as_bytes()).expect("it is taken");
    connection
}

/// Reads the status line and the headers of the answer.
fn head(connection: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    let mut byte = [0];
    while !answer.ends_with(b"\r\n\r\n") {
        connection.read_exact(&mut byte).expect("an answer");
        answer.extend(byte);
    }
    String::from_utf8(answer).expect("ASCII")
}

/// Reads the answer, which must be a problem document.
fn problem(connection: &mut TcpStream) -> Value {
    let head = head(connection);
    assert!(head.contains("application/problem+json"), "{head}");
    let length = head
        .to_lowercase()
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut document = vec![0; length.expect("a length")];
    connection
        .read_exact(&mut document)
        .expect("all of the answer");
    serde_json::from_slice(&document).expect("JSON")
}
