//! Malformed requests, and callers who do not wait.

use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;

use crate::attack::{Attack, Finding};
use crate::raw::{authority, connect, signing, tell};
use crate::server::{Disk, Server};

/// Endless heads.
pub(crate) const UNFINISHED_HEADS: Attack = Attack {
    name: "unfinished-heads",
    needs_files: false,
    run: || Box::pin(unfinished_heads()),
};

/// Heads that violate the standard.
pub(crate) const REFUSALS: Attack = Attack {
    name: "malformed-heads",
    needs_files: false,
    run: || Box::pin(refusals()),
};

/// Bodies for unknown links.
pub(crate) const UNKNOWN_LINK: Attack = Attack {
    name: "unknown-link",
    needs_files: false,
    run: || Box::pin(unknown_link()),
};

/// A caller who hangs up and calls again.
pub(crate) const HUNG_UP: Attack = Attack {
    name: "hung-up",
    needs_files: false,
    run: || Box::pin(hung_up()),
};

async fn unfinished_heads() -> Vec<Finding> {
    const CLIENTS: usize = 1000;
    const HEAD_BYTES: usize = 400 * 1024;
    /// Memory if the longest head of each were held.
    const MOST_MEBIBYTES: usize = 64;

    let server = Server::start(Disk::Memory, &[]);
    let authority = authority(&server);
    crate::server::answer(server.get("v1/signings")).await;
    let before = server.resident();
    server.forget_peak();
    let head = format!(
        "GET / HTTP/1.1\r\nhost: {authority}\r\nx: {}",
        "x".repeat(HEAD_BYTES)
    );
    let mut streams = Vec::new();
    for _ in 0..CLIENTS {
        let Some(mut stream) = connect(&authority).await else {
            continue;
        };
        let sent = stream.write_all(head.as_bytes());
        // The server may stop reading.
        let _ = tokio::time::timeout(Duration::from_millis(20), sent).await;
        streams.push(stream);
    }
    let more = server.peak().saturating_sub(before) >> 20;
    vec![Finding {
        what: "memory of 1,000 heads of 400 KiB that do not end, MiB (64 are allowed)",
        before: "about 400",
        now: more.to_string(),
        holds: more <= MOST_MEBIBYTES,
    }]
}

async fn refusals() -> Vec<Finding> {
    let server = Server::start(Disk::Memory, &[]);
    let authority = authority(&server);
    let long = "x".repeat(70_000);
    let no_host = "GET /docs HTTP/1.1\r\n\r\n".to_owned();
    let two_hosts = format!("GET /docs HTTP/1.1\r\nhost: {authority}\r\nhost: b\r\n\r\n");
    let bare = format!("GET /docs HTTP/1.1\nhost: {authority}\n\n");
    let nonsense = "nonsense\r\n\r\n".to_owned();
    let address = format!("GET /{long} HTTP/1.1\r\nhost: {authority}\r\n\r\n");
    let headers = format!(
        "GET / HTTP/1.1\r\nhost: {authority}\r\n{}\r\n",
        "x: y\r\n".repeat(200)
    );
    let mut findings = Vec::new();
    for (what, before, request, status) in [
        ("a request without a Host", "200", no_host, 400),
        ("a request with two", "200", two_hosts, 400),
        ("lines that end in LF alone", "200", bare, 400),
        ("what is no request", "400, empty", nonsense, 400),
        ("an address of 70,000 bytes", "414, empty", address, 414),
        ("200 headers", "431, empty", headers, 431),
    ] {
        let mut stream = connect(&authority).await.expect("the server listens");
        let answer = tell(&mut stream, request.as_bytes()).await;
        let (found, has_problem) = answer.map_or((0, false), |answer| {
            let is_problem = answer.head.contains("application/problem+json");
            (
                answer.status,
                is_problem && answer.body.contains("\"detail\""),
            )
        });
        findings.push(Finding {
            what,
            before,
            now: format!(
                "{found}, {}",
                if has_problem {
                    "a problem document"
                } else {
                    "no problem document"
                }
            ),
            holds: found == status && has_problem,
        });
    }
    findings
}

async fn unknown_link() -> Vec<Finding> {
    let server = Server::start(Disk::Memory, &[]);
    let authority = authority(&server);
    let request = format!(
        "POST /c/nowhere/attempts HTTP/1.1\r\nhost: {authority}\r\ncontent-type: application/json\r\n\
         content-length: 60000\r\n\r\n"
    );
    let mut stream = connect(&authority).await.expect("the server listens");
    let sent = Instant::now();
    let answer = tell(&mut stream, request.as_bytes()).await;
    let (taken, status) = (sent.elapsed(), answer.map_or(0, |answer| answer.status));
    vec![Finding {
        what: "the answer to a link that leads nowhere, with a body that never comes",
        before: "400 after 60 s",
        now: format!("{status} after {} ms", taken.as_millis()),
        holds: status == 404 && taken < Duration::from_secs(2),
    }]
}

async fn hung_up() -> Vec<Finding> {
    const DOCUMENT_BYTES: usize = 15 * 1024 * 1024;
    /// Longest time until the key is free again.
    const AT_ONCE: Duration = Duration::from_secs(1);

    let server = Server::start(Disk::Memory, &[]);
    let authority = authority(&server);
    let body = signing(DOCUMENT_BYTES, 1).to_string();
    let mut longest = Duration::ZERO;
    let mut statuses = Vec::new();
    // The caller hangs up at different stages of the server's work.
    for milliseconds in [0, 50, 100, 200, 400] {
        let key = format!("hung-up-{milliseconds}");
        let head = format!(
            "POST /v1/signings HTTP/1.1\r\nhost: {authority}\r\nauthorization: Bearer {}\r\n\
             idempotency-key: {key}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n",
            server.demo("/signing/live"),
            body.len()
        );
        let mut stream = connect(&authority).await.expect("the server listens");
        let bytes = [head.as_bytes(), body.as_bytes()].concat();
        stream.write_all(&bytes).await.expect("it is taken");
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        drop(stream);
        let begun = Instant::now();
        let status = loop {
            let again = server.post("v1/signings", body.clone().into());
            let again = again.header("idempotency-key", &key).send().await;
            let status = again.expect("the server answers").status().as_u16();
            if status != 409 {
                break status;
            }
            longest = longest.max(begun.elapsed());
            if longest > AT_ONCE {
                break status;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        statuses.push(status);
    }
    vec![Finding {
        what: "5 creates that are repeated after hanging up",
        before: "409 for 60 s",
        now: format!("{statuses:?}, 409 for {} ms", longest.as_millis()),
        holds: longest <= AT_ONCE && statuses.iter().all(|status| *status == 201),
    }]
}
