//! Cost of signers who were prompted by an app and have not answered yet.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::load::Load;
use crate::server::{Disk, Server, answer};
use crate::{DOCUMENT, Scale, creation, mebibytes, to_bytes};

/// Concurrent creates and starts.
const PREPARING: usize = 16;
/// Wait of one poll of the state, in milliseconds.
const LOOK_MS: usize = 20_000;
/// Personal code of a persona who signs.
const SIGNS: &str = "50001029996";
/// Number of other signers, one after the other, while the first ones wait.
const OTHERS: usize = 3;

pub(crate) async fn measure(scale: &Scale) {
    // The world's own sessions are in another process.
    let world = Server::start(Disk::Real, &[]);
    let server = Arc::new(Server::join(&world, Disk::Real));
    let links = Arc::new(links(&server, scale.waiting).await);
    let idle = (server.resident(), server.sockets());
    let alone = slowest_signature(&server).await;

    let attempt = Bytes::from_static(br#"{"method": "smart_id"}"#);
    let (asked, of) = (server.clone(), links.clone());
    let started = Load::drive_all(PREPARING, scale.waiting, move |sent| {
        asked.post_by_link(&format!("{}/attempts", of[sent]), attempt.clone())
    });
    started.await;
    let until = Instant::now() + scale.watched;
    let mut pages = JoinSet::new();
    for place in 0..scale.waiting {
        let (server, links) = (server.clone(), links.clone());
        pages.spawn(async move {
            let state = format!("{}/state?waitMs={LOOK_MS}", links[place]);
            while Instant::now() < until {
                let shown = answer(server.http().get(&state)).await;
                assert!(shown["attempt"]["error"].is_null(), "{shown}");
            }
        });
    }
    tokio::time::sleep(scale.watched / 3).await;
    let before = server.processor();
    tokio::time::sleep(scale.watched / 3).await;
    let used = (server.processor() - before).as_secs_f64() / (scale.watched / 3).as_secs_f64();
    let busy = (server.resident(), server.sockets());
    let beside = slowest_signature(&server).await;
    pages.join_all().await;

    let waiting = f64::from(u32::try_from(scale.waiting).expect("a thousand"));
    let more = 1024.0 * mebibytes(busy.0.saturating_sub(idle.0)) / waiting;
    println!(
        "\n| {} signers who have been asked, their pages open | |\n|---|---|",
        scale.waiting
    );
    println!(
        "| memory, before any was asked | {:.0} MiB |",
        mebibytes(idle.0)
    );
    println!("| more of it for each | {more:.0} KiB |");
    println!("| processors in use | {used:.2} |");
    println!(
        "| open connections, before and then | {}, {} |",
        idle.1, busy.1
    );
    println!(
        "| the slowest of {OTHERS} who sign, before and beside them, seconds | {:.2}, {:.2} |",
        alone.as_secs_f64(),
        beside.as_secs_f64()
    );
}

/// Returns the longest time of a signer, from the start of an attempt to its
/// end; about two seconds of it are the app's.
async fn slowest_signature(server: &Arc<Server>) -> Duration {
    let attempt = json!({"method": "smart_id", "country": "LT", "personalCode": SIGNS});
    let mut slowest = Duration::ZERO;
    for link in links(server, OTHERS).await {
        let begun = Instant::now();
        let attempts = format!("{link}/attempts");
        answer(server.post_by_link(&attempts, to_bytes(&attempt))).await;
        loop {
            let state = format!("{link}/state?waitMs={LOOK_MS}");
            let shown = answer(server.http().get(&state)).await;
            match shown["attempt"]["phase"].as_str() {
                Some("done") => break,
                Some("failed") => panic!("{shown}"),
                _ => {}
            }
        }
        slowest = slowest.max(begun.elapsed());
    }
    slowest
}

/// Creates signings of one signer each; returns their links.
async fn links(server: &Arc<Server>, number: usize) -> Vec<String> {
    let mut body = creation(DOCUMENT);
    body["signers"] = json!([{"email": "ona@example.lt"}]);
    let body = to_bytes(&body);
    let mut creating = JoinSet::new();
    for first in 0..PREPARING {
        let (server, body) = (server.clone(), body.clone());
        creating.spawn(async move {
            let mut links = Vec::new();
            for _ in (first..number).step_by(PREPARING) {
                let created = answer(server.post("v1/signings", body.clone())).await;
                let link = created["signers"][0]["ceremonyUrl"].as_str();
                links.push(link.expect("a link").to_owned());
            }
            links
        });
    }
    creating.join_all().await.into_iter().flatten().collect()
}
